import Foundation

@testable import MiniORM

// Three tables with columns of each type, filled at random. The query generator knows each column
// as a MiniORM expression and as SQL text.

@Table("alpha")
struct Alpha: Identifiable, Equatable {
  let id: Int64
  var a: Int
  var b: Int?
  var s: String
  var t: String?
  var d: Date
  @Column(as: .unixSeconds) var e: Date?
  var r: Double?
  var f: Bool
}

@Table("beta", columns: .snakeCase)
struct Beta: Identifiable, Equatable {
  let id: Int64
  @Column(.references(Alpha.self)) var alphaID: Alpha.ID?
  var n: Int
  var u: String?
  @Column(as: .unixMilliseconds) var w: Date
  @Column(as: .json) var list: [Int] = []
}

@Table("gamma", columns: .snakeCase)
struct Gamma: Identifiable, Equatable {
  let id: Int64
  @Column(.references(Beta.self)) var betaID: Beta.ID?
  var k: Int?
  var v: String
}

let alphas = Table<Alpha>()
let betas = Table<Beta>()
let gammas = Table<Gamma>()

/// Random rows for the three tables.
struct GeneratedRows: Sendable {
  var alphas: [Alpha] = []
  var betas: [Beta] = []
  var gammas: [Gamma] = []

  init(seed: UInt64) {
    var random = SeededRandom(seed)
    func number() -> Int { Int.random(in: -3...6, using: &random) }
    func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? {
      Int.random(in: 0..<4, using: &random) == 0 ? nil : value()
    }
    func word() -> String {
      ["", "a", "A", "ab", "é", "e\u{301}", "日本", "a'b", "%", "😀b"]
        .randomElement(using: &random) ?? ""
    }
    func date() -> Date {
      Date(
        timeIntervalSince1970: Double(
          1_700_000_000 + 43_200 * Int.random(in: 0..<8, using: &random)))
    }
    for id in 1...Int64.random(in: 9...13, using: &random) {
      alphas.append(
        Alpha(
          id: id, a: number(), b: maybe(number()), s: word(), t: maybe(word()), d: date(),
          e: maybe(date()), r: maybe(Double(number()) / 2), f: .random(using: &random)))
    }
    for id in 1...Int64.random(in: 9...15, using: &random) {
      betas.append(
        Beta(
          id: id, alphaID: maybe(Int64.random(in: 1...Int64(alphas.count), using: &random)),
          n: number(), u: maybe(word()), w: date(),
          list: (0..<Int.random(in: 0..<3, using: &random)).map { _ in number() }))
    }
    for id in 1...Int64.random(in: 8...12, using: &random) {
      gammas.append(
        Gamma(
          id: id, betaID: maybe(Int64.random(in: 1...Int64(betas.count), using: &random)),
          k: maybe(number()), v: word()))
    }
  }

  func insert(into database: Database) async throws {
    let rows = self
    try await database.write { db in
      try MiniORMTests.alphas.insert(contentsOf: rows.alphas, in: db)
      try MiniORMTests.betas.insert(contentsOf: rows.betas, in: db)
      try MiniORMTests.gammas.insert(contentsOf: rows.gammas, in: db)
    }
  }
}

/// The columns that a query can name: all columns of the tables in its FROM clause.
struct Names: Sendable {
  var leaves = ExpressionGrower.Leaves()
  /// The selectable parts.
  var parts: [any Selectable] = []
  /// The keys of the tables. Together they identify each row.
  var keys: [any OrderingTerm & Sendable] = []
  var keyTexts: [String] = []

  static func + (left: Names, right: Names) -> Names {
    var sum = left
    sum.leaves.integers += right.leaves.integers
    sum.leaves.nullables += right.leaves.nullables
    sum.leaves.texts += right.leaves.texts
    sum.leaves.nullableTexts += right.leaves.nullableTexts
    sum.leaves.conditions += right.leaves.conditions
    sum.parts += right.parts
    sum.keys += right.keys
    sum.keyTexts += right.keyTexts
    return sum
  }
}

private let noon = Date(timeIntervalSince1970: 1_700_172_800)
private let noonText = "1700172800"

/// The columns of `Alpha` under a table name, and subqueries over them.
func names(_ c: Alpha.Columns, _ name: String) -> Names {
  let own = betas.where { $0.alphaID == c.id }
  let ownText = "FROM beta AS x WHERE x.alpha_id = \(name).id"
  var names = ownNames(c, name)
  names.leaves.nullables += [
    TwinExpression(own.select { $0.n.sum() }.scalar(), "(SELECT sum(x.n) \(ownText))"),
    TwinExpression(gammas.select { $0.k.max() }.scalar(), "(SELECT max(x.k) FROM gamma AS x)"),
  ]
  names.leaves.conditions += [
    TwinExpression(own.where { $0.n > 1 }.exists(), "EXISTS (SELECT 1 \(ownText) AND x.n > 1)"),
    TwinExpression(
      !own.exists(), "\(name).id NOT IN (SELECT alpha_id FROM beta WHERE alpha_id NOT NULL)"),
    TwinExpression(
      c.b.isIn(gammas.where { $0.v > "a" }.select { $0.k }),
      "\(name).b IN (SELECT x.k FROM gamma AS x WHERE x.v > 'a')"),
  ]
  return names
}

private func ownNames(_ c: Alpha.Columns, _ name: String) -> Names {
  Names(
    leaves: ExpressionGrower.Leaves(
      integers: [
        TwinExpression(c.a, "\(name).a"), TwinExpression(c.id.cast(to: Int.self), "\(name).id"),
      ],
      nullables: [TwinExpression(c.b, "\(name).b")], texts: [TwinExpression(c.s, "\(name).s")],
      nullableTexts: [TwinExpression(c.t, "\(name).t")],
      conditions: [
        TwinExpression(c.f, "\(name).f"),
        TwinExpression(c.d < noon, "unixepoch(\(name).d) < \(noonText)"),
        TwinExpression(c.e >= noon, "\(name).e >= \(noonText)"),
        TwinExpression(c.e == nil, "\(name).e IS NULL"),
        TwinExpression(c.d < c.e, "unixepoch(\(name).d) < \(name).e"),
        TwinExpression(c.r > 0.5, "\(name).r > 0.5"),
        TwinExpression(c.d.date() == noon.day, "date(\(name).d) = '\(noon.day)'"),
      ]),
    parts: [
      OneValue.value(c.id, "\(name).id"), OneValue.value(c.a, "\(name).a"),
      OneValue.value(c.b, "\(name).b"),
      OneValue.value(c.s, "\(name).s"), OneValue.value(c.t, "\(name).t"),
      OneValue.value(c.r, "\(name).r"),
      OneValue.value(c.f, "\(name).f"), OneValue.date(c.d, "unixepoch(\(name).d)"),
      OneValue.date(c.e, "\(name).e"), Whole(c, Alpha.texts(name), Alpha.described),
    ],
    keys: [c.id], keyTexts: ["\(name).id"])
}

/// The columns of `Alpha` on the nullable side of an outer join.
func names(_ c: NullableColumns<Alpha.Columns>, _ name: String) -> Names {
  Names(
    leaves: ExpressionGrower.Leaves(
      nullables: [
        TwinExpression(c.a, "\(name).a"), TwinExpression(c.b, "\(name).b"),
        TwinExpression(c.id.cast(to: Int.self), "\(name).id"),
      ],
      nullableTexts: [TwinExpression(c.s, "\(name).s"), TwinExpression(c.t, "\(name).t")],
      conditions: [
        TwinExpression(c.id == nil, "\(name).id IS NULL"),
        TwinExpression(c.id != nil, "\(name).id IS NOT NULL"),
        TwinExpression(c.d < noon, "unixepoch(\(name).d) < \(noonText)"),
        TwinExpression(c.f == true, "\(name).f IS 1"),
        TwinExpression(c.e == nil, "\(name).e IS NULL"),
      ]),
    parts: [
      OneValue.value(c.id, "\(name).id"), OneValue.value(c.a, "\(name).a"),
      OneValue.value(c.s, "\(name).s"),
      OneValue.value(c.f, "\(name).f"), OneValue.date(c.d, "unixepoch(\(name).d)"),
      OneValue.date(c.e, "\(name).e"),
      Whole(c, Alpha.texts(name)) { $0[0] == .null ? "nil" : "Optional(\(Alpha.described($0)))" },
    ],
    keys: [c.id], keyTexts: ["\(name).id"])
}

func names(_ c: Beta.Columns, _ name: String) -> Names {
  Names(
    leaves: ExpressionGrower.Leaves(
      integers: [TwinExpression(c.n, "\(name).n")],
      nullables: [TwinExpression(c.alphaID.cast(to: Int.self), "\(name).alpha_id")],
      nullableTexts: [TwinExpression(c.u, "\(name).u")],
      conditions: [
        TwinExpression(c.w < noon, "\(name).w < \(noonText)000"),
        TwinExpression(c.u == nil, "\(name).u IS NULL"),
        TwinExpression(c.list == [], "\(name).list = '[]'"),
      ]),
    parts: [
      OneValue.value(c.id, "\(name).id"), OneValue.value(c.alphaID, "\(name).alpha_id"),
      OneValue.value(c.n, "\(name).n"), OneValue.value(c.u, "\(name).u"),
      OneValue.date(c.w, "\(name).w / 1000"), Whole(c, Beta.texts(name), Beta.described),
    ],
    keys: [c.id], keyTexts: ["\(name).id"])
}

func names(_ c: NullableColumns<Beta.Columns>, _ name: String) -> Names {
  Names(
    leaves: ExpressionGrower.Leaves(
      nullables: [
        TwinExpression(c.n, "\(name).n"),
        TwinExpression(c.alphaID.cast(to: Int.self), "\(name).alpha_id"),
      ],
      nullableTexts: [TwinExpression(c.u, "\(name).u")],
      conditions: [
        TwinExpression(c.id == nil, "\(name).id IS NULL"),
        TwinExpression(c.w < noon, "\(name).w < \(noonText)000"),
        TwinExpression(c.n != nil, "\(name).n IS NOT NULL"),
      ]),
    parts: [
      OneValue.value(c.id, "\(name).id"), OneValue.value(c.n, "\(name).n"),
      OneValue.value(c.u, "\(name).u"),
      OneValue.date(c.w, "\(name).w / 1000"),
      Whole(c, Beta.texts(name)) { $0[0] == .null ? "nil" : "Optional(\(Beta.described($0)))" },
    ],
    keys: [c.id], keyTexts: ["\(name).id"])
}

func names(_ c: Gamma.Columns, _ name: String) -> Names {
  Names(
    leaves: ExpressionGrower.Leaves(
      integers: [TwinExpression(c.v.length(), "length(\(name).v)")],
      nullables: [TwinExpression(c.k, "\(name).k")], texts: [TwinExpression(c.v, "\(name).v")],
      nullableTexts: [TwinExpression(c.v.nullif("a"), "nullif(\(name).v, 'a')")],
      conditions: [TwinExpression(c.betaID == nil, "\(name).beta_id IS NULL")]),
    parts: [
      OneValue.value(c.id, "\(name).id"), OneValue.value(c.k, "\(name).k"),
      OneValue.value(c.v, "\(name).v"),
      OneValue.value(c.betaID, "\(name).beta_id"),
    ],
    keys: [c.id], keyTexts: ["\(name).id"])
}

func names(_ c: NullableColumns<Gamma.Columns>, _ name: String) -> Names {
  Names(
    leaves: ExpressionGrower.Leaves(
      nullables: [TwinExpression(c.k, "\(name).k")],
      nullableTexts: [TwinExpression(c.v, "\(name).v")],
      conditions: [TwinExpression(c.id != nil, "\(name).id IS NOT NULL")]),
    parts: [OneValue.value(c.id, "\(name).id"), OneValue.value(c.v, "\(name).v")],
    keys: [c.id], keyTexts: ["\(name).id"])
}

/// The columns of `Alpha` under an alias.
func names(_ c: AliasedColumns<Alpha.Columns>, _ name: String) -> Names {
  Names(
    leaves: ExpressionGrower.Leaves(
      integers: [TwinExpression(c.a, "\(name).a")], nullables: [TwinExpression(c.b, "\(name).b")],
      texts: [TwinExpression(c.s, "\(name).s")], nullableTexts: [TwinExpression(c.t, "\(name).t")],
      conditions: [
        TwinExpression(c.f, "\(name).f"), TwinExpression(c.e < noon, "\(name).e < \(noonText)"),
        TwinExpression(c.d < c.e, "unixepoch(\(name).d) < \(name).e"),
      ]),
    parts: [
      OneValue.value(c.a, "\(name).a"), OneValue.value(c.t, "\(name).t"),
      OneValue.date(c.d, "unixepoch(\(name).d)"), OneValue.date(c.e, "\(name).e"),
      Whole(c, Alpha.texts(name), Alpha.described),
    ],
    keys: [c.id], keyTexts: ["\(name).id"])
}

extension Date {
  fileprivate var day: String { "2023-11-16" }
}

extension Alpha {
  static func texts(_ name: String) -> [String] {
    ["id", "a", "b", "s", "t"].map { "\(name).\($0)" } + ["unixepoch(\(name).d)", "\(name).e"]
      + ["\(name).r", "\(name).f"]
  }

  static func described(_ values: [DatabaseValue]) -> String {
    String(
      reflecting: Alpha(
        id: values[0].int64 ?? 0, a: values[1].int ?? 0, b: values[2].int,
        s: values[3].string ?? "", t: values[4].string, d: values[5].date ?? .distantPast,
        e: values[6].date, r: values[7].double, f: values[8].int == 1))
  }
}

extension Beta {
  static func texts(_ name: String) -> [String] {
    ["id", "alpha_id", "n", "u"].map { "\(name).\($0)" } + ["\(name).w / 1000", "\(name).list"]
  }

  static func described(_ values: [DatabaseValue]) -> String {
    let list = values[5].string?.split { "[], ".contains($0) }.compactMap { Int($0) } ?? []
    return String(
      reflecting: Beta(
        id: values[0].int64 ?? 0, alphaID: values[1].int64, n: values[2].int ?? 0,
        u: values[3].string, w: values[4].date ?? .distantPast, list: list))
  }
}

extension DatabaseValue {
  fileprivate var int64: Int64? { if case .integer(let value) = self { value } else { nil } }
  fileprivate var int: Int? { int64.map { Int($0) } }
  fileprivate var string: String? { if case .text(let value) = self { value } else { nil } }
  fileprivate var double: Double? { if case .real(let value) = self { value } else { nil } }
  fileprivate var date: Date? { int64.map { Date(timeIntervalSince1970: Double($0)) } }
}

/// A selectable part, as MiniORM builds it and as SQL text.
protocol Selectable: Sendable {
  associatedtype Selected: Projection where Selected.Projected: Sendable
  var selected: Selected { get }
  var texts: [String] { get }
  /// Describes the values of ``texts`` as Swift describes the selected part.
  func described(_ values: [DatabaseValue]) -> String
}

/// All columns of a table.
struct Whole<Selected: Projection>: Selectable where Selected.Projected: Sendable {
  let selected: Selected
  let texts: [String]
  private let describe: @Sendable ([DatabaseValue]) -> String

  init(
    _ selected: Selected, _ texts: [String],
    _ describe: @escaping @Sendable ([DatabaseValue]) -> String
  ) {
    (self.selected, self.texts, self.describe) = (selected, texts, describe)
  }

  func described(_ values: [DatabaseValue]) -> String { describe(values) }
}

/// A single value.
struct Single<Value: Sendable>: Selectable {
  let selected: TypedExpression<Value>
  let texts: [String]
  fileprivate let read: @Sendable (DatabaseValue) -> Value

  func described(_ values: [DatabaseValue]) -> String { String(reflecting: read(values[0])) }
}

enum OneValue {
  static func value(_ e: TypedExpression<Int>, _ text: String) -> Single<Int> {
    Single(selected: e, texts: [text]) { $0.int ?? .min }
  }
  static func value(_ e: TypedExpression<Int?>, _ text: String) -> Single<Int?> {
    Single(selected: e, texts: [text]) { $0.int }
  }
  static func value(_ e: TypedExpression<Int64>, _ text: String) -> Single<Int64> {
    Single(selected: e, texts: [text]) { $0.int64 ?? .min }
  }
  static func value(_ e: TypedExpression<Int64?>, _ text: String) -> Single<Int64?> {
    Single(selected: e, texts: [text]) { $0.int64 }
  }
  static func value(_ e: TypedExpression<String>, _ text: String) -> Single<String> {
    Single(selected: e, texts: [text]) { $0.string ?? "no text" }
  }
  static func value(_ e: TypedExpression<String?>, _ text: String) -> Single<String?> {
    Single(selected: e, texts: [text]) { $0.string }
  }
  static func value(_ e: TypedExpression<Bool>, _ text: String) -> Single<Bool> {
    Single(selected: e, texts: [text]) { $0.int == 1 }
  }
  static func value(_ e: TypedExpression<Bool?>, _ text: String) -> Single<Bool?> {
    Single(selected: e, texts: [text]) { $0.int.map { $0 == 1 } }
  }
  static func value(_ e: TypedExpression<Double>, _ text: String) -> Single<Double> {
    Single(selected: e, texts: [text]) { $0.double ?? -.infinity }
  }
  static func value(_ e: TypedExpression<Double?>, _ text: String) -> Single<Double?> {
    Single(selected: e, texts: [text]) { $0.double }
  }
  static func date(_ e: TypedExpression<Date>, _ text: String) -> Single<Date> {
    Single(selected: e, texts: [text]) { $0.date ?? .distantPast }
  }
  static func date(_ e: TypedExpression<Date?>, _ text: String) -> Single<Date?> {
    Single(selected: e, texts: [text]) { $0.date }
  }
}
