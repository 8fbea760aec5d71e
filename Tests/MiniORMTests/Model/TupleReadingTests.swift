import Foundation
import Testing

@testable import MiniORM

// Not STRICT, so that each column stores any value.
@Table("kinds", options: [])
private struct Kinds: Identifiable, Equatable {
  let id: Int64
  var int: Int
  var small: Int32
  var flag: Bool
  var real: Double
  var text: String
  var bytes: [UInt8]
  var uuid: UUID
  var byte: UInt8
  var intOrNil: Int?
  var smallOrNil: Int32?
  var flagOrNil: Bool?
  var realOrNil: Double?
  var textOrNil: String?
  var bytesOrNil: [UInt8]?
  @Column(as: .unixSeconds) var date: Date?

  static func make(_ n: Int64) -> Kinds {
    func some<Value>(_ value: Value) -> Value? { n % 3 == 0 ? nil : value }
    let text = hostile[Int(n) % hostile.count]
    return Kinds(
      id: n, int: n % 2 == 0 ? .max : .min, small: .min, flag: n % 2 == 0, real: Double(n) / 7,
      text: text, bytes: Array(text.utf8), uuid: UUID(), byte: UInt8(n % 256),
      intOrNil: some(-1), smallOrNil: some(.max), flagOrNil: some(true), realOrNil: some(-0.5),
      textOrNil: some(text + text), bytesOrNil: some([]), date: some(Date(timeIntervalSince1970: 7))
    )
  }
}

private let hostile = HostileText.some(20, seed: 14) + ["", "é", "e\u{301}", "abc"]
private let kinds = Table<Kinds>()

@Selection
private struct Wrapped: Equatable {
  let text: String
}

/// Counts live instances.
private final class Counted: Sendable {
  nonisolated(unsafe) static var alive = 0
  init() { Self.alive += 1 }
  deinit { Self.alive -= 1 }
}

private struct Holder: ColumnValue, Equatable {
  let counted = Counted()
  static var columnType: ColumnType { .text }
  init(cell: borrowing Cell) throws(DatabaseError) { _ = try cell.text() }
  func bind(to parameter: borrowing Parameter) throws(DatabaseError) { try parameter.bind("x") }
  static func == (left: Holder, right: Holder) -> Bool { true }
}

@Suite("Reading tuples and single values")
struct TupleReadingTests {
  private func withKinds(_ body: (Database, [Kinds]) async throws -> Void) async throws {
    let rows = (1...100).map { Kinds.make(Int64($0)) }
    try await withFile(DatabaseSchema(Kinds.self)) { database throws in
      try await kinds.insert(contentsOf: rows, in: database)
      try await body(database, rows)
    }
  }

  @Test("a tuple of every column type equals the model, read at once and one by one")
  func sameAsModel() async throws {
    try await withKinds { database, rows throws in
      let query = kinds.order { $0.id }.select {
        (
          $0.id, $0.int, $0.small, $0.flag, $0.real, $0.text, $0.bytes, $0.uuid, $0.byte,
          $0.intOrNil, $0.smallOrNil, $0.flagOrNil, $0.realOrNil, $0.textOrNil, $0.bytesOrNil,
          $0.date
        )
      }
      @Sendable func model(
        _ row: (
          Int64, Int, Int32, Bool, Double, String, [UInt8], UUID, UInt8, Int?, Int32?, Bool?,
          Double?, String?, [UInt8]?, Date?
        )
      ) -> Kinds {
        Kinds(
          id: row.0, int: row.1, small: row.2, flag: row.3, real: row.4, text: row.5, bytes: row.6,
          uuid: row.7, byte: row.8, intOrNil: row.9, smallOrNil: row.10, flagOrNil: row.11,
          realOrNil: row.12, textOrNil: row.13, bytesOrNil: row.14, date: row.15)
      }
      #expect(try await query.fetchAll(in: database).map(model) == rows)
      #expect(try await query.fetchOne(in: database).map(model) == rows[0])
      let each = try await database.read { db in
        var found: [Kinds] = []
        try query.forEach(in: db) { found.append(model($0)) }
        return found
      }
      #expect(each == rows)
      #expect(
        rows.map(\.text).allSatisfy { text in
          each.contains { $0.text.utf8.elementsEqual(text.utf8) }
        })
    }
  }

  @Test("tuple elements of every size and alignment are stored at Swift's offsets")
  func layouts() async throws {
    try await withKinds { database, rows throws in
      let small = try await kinds.order { $0.id }
        .select { ($0.flag, $0.small, $0.byte, $0.int, $0.flagOrNil, $0.smallOrNil, $0.byte) }
        .fetchAll(in: database)
      #expect(small.map(\.0) == rows.map(\.flag) && small.map(\.1) == rows.map(\.small))
      #expect(small.map(\.2) == rows.map(\.byte) && small.map(\.3) == rows.map(\.int))
      #expect(small.map(\.4) == rows.map(\.flagOrNil) && small.map(\.5) == rows.map(\.smallOrNil))
      #expect(small.map(\.6) == rows.map(\.byte))
      // A model, an optional model and a single column.
      let mixed = try await kinds.alias("a").leftJoin(kinds.alias("b")) {
        $0.id == $1.id && $1.flag
      }
      .order { $0.0.id }
      .select { ($0.byte, $0, $1, Wrapped.Columns(text: $0.text), $0.flag) }
      .fetchAll(in: database)
      #expect(mixed.map(\.0) == rows.map(\.byte) && mixed.map(\.1) == rows)
      #expect(mixed.map(\.2) == rows.map { $0.flag ? $0 : nil })
      #expect(mixed.map(\.3) == rows.map { Wrapped(text: $0.text) })
      #expect(mixed.map(\.4) == rows.map(\.flag))
    }
  }

  @Test(
    "wrong types and unexpected NULL give the same error as in a model",
    arguments: [
      ("int", "'7'"), ("int", "NULL"), ("int", "1.5"), ("small", "4294967296"), ("flag", "2"),
      ("real", "'1'"), ("real", "9007199254740993"), ("text", "x'61'"), ("text", "NULL"),
      ("text", "CAST(x'ff' AS TEXT)"), ("bytes", "'a'"), ("bytes", "NULL"), ("uuid", "'a'"),
      ("byte", "256"), ("flagOrNil", "3"), ("textOrNil", "CAST(x'C328' AS TEXT)"),
      ("bytesOrNil", "0"), ("intOrNil", "'x'"), ("date", "'x'"),
    ])
  func errors(column: String, value: String) async throws {
    try await withKinds { database, _ throws in
      try await database.write { db in
        // Without NOT NULL.
        try db.execute(
          script: "ALTER TABLE kinds RENAME TO old; CREATE TABLE kinds AS SELECT * FROM old")
        _ = try db.execute(SQL(raw: "UPDATE kinds SET \(column) = \(value) WHERE id = 50"))
      }
      let expected = try await problem(kinds.select { $0 }, in: database)
      let tuple = kinds.select {
        (
          $0.text, $0.int, $0.small, $0.flag, $0.real, $0.bytes, $0.uuid, $0.byte, $0.intOrNil,
          $0.flagOrNil, $0.textOrNil, $0.bytesOrNil, $0.date
        )
      }
      #expect(expected == (try await modelProblem(database)))
      #expect(try await problem(tuple, in: database) == expected)
      let pair = kinds.join(kinds.alias("other")) { $0.id == $1.id }.select { ($0.id, $1) }
      #expect(try await problem(pair, in: database) == expected)
    }
  }

  private func facts(_ error: DatabaseError) -> [String?] {
    ["\(error.code)", error.message, error.column, error.operation.rawValue]
  }

  private func modelProblem(_ database: Database) async throws -> [String?] {
    do {
      _ = try await kinds.fetchAll(in: database)
      return []
    } catch let error as DatabaseError {
      return facts(error)
    }
  }

  private func problem<Output>(_ query: some SelectStatement<Output>, in database: Database)
    async throws -> [String?]
  {
    var found: [[String?]] = []
    do {
      _ = try await query.fetchAll(in: database)
    } catch let error as DatabaseError {
      found.append(facts(error))
    }
    do {
      try await query.forEach(in: database) { _ in }
    } catch let error as DatabaseError {
      found.append(facts(error))
    }
    return found.count == 2 && found[0] == found[1] ? found[0] : []
  }

  @Test("values read before an error, or not kept, are released")
  func lifetimes() async throws {
    Counted.alive = 0
    try await withKinds { database, _ throws in
      let holder = SQLExpression<Holder>("kinds.textOrNil")
      let query = kinds.order { $0.id }.select {
        (SQL.value("x"), SQLExpression<Holder>("'x'"), $0.id, holder)
      }
      // The third row has NULL in the column. The values read before must be released.
      await #expect(throws: DatabaseError.self) { _ = try await query.fetchAll(in: database) }
      await #expect(throws: DatabaseError.self) { try await query.forEach(in: database) { _ in } }
      #expect(Counted.alive == 0)
      #expect(try await query.limit(2).fetchAll(in: database).count == 2)
      #expect(try await query.fetchOne(in: database)?.2 == 1)
      struct Stop: Error {}
      await #expect(throws: Stop.self) {
        try await query.forEach(in: database) { _ in throw Stop() }
      }
      #expect(Counted.alive == 0)
    }
  }

  @Test(
    "a single column, with texts of each length and without rows",
    arguments: [0, 1, 15, 16, 17, 1000])
  func single(count: Int) async throws {
    try await withKinds { database, rows throws in
      let texts = try await kinds.order { $0.id }.limit(count).select { $0.text }.fetchAll(
        in: database)
      #expect(texts.map { Array($0.utf8) } == rows.prefix(count).map { Array($0.text.utf8) })
      let optional = try await kinds.order { $0.id }.limit(count).select { $0.textOrNil }
        .fetchAll(in: database)
      #expect(optional == rows.prefix(count).map(\.textOrNil))
      #expect(try await kinds.where { $0.id < 0 }.select { $0.flag }.fetchOne(in: database) == nil)
    }
  }
}
