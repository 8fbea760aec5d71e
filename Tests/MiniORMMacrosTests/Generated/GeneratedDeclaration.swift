/// A model with properties of given kinds, two rows, and the expected contents of the file. In
/// every other model, the properties are in a `@Selection` that the model embeds as a group.
struct GeneratedDeclaration {
  enum Kind: Int, CaseIterable {
    case known, unknown, optional, group, optionalGroup, nestedGroup, generated, transient, custom
  }

  /// A property: its declaration and, for each row, its Swift value and its columns' SQL values.
  private struct Part {
    var declaration: String
    /// The same property in a `@Selection`.
    var selected: String
    var names: [String]
    var selectedNames: [String]
    /// nil if no initializer takes the value.
    var values: [String?]
    var stored: [[String]]
    var isDrafted = true
    var isBound = true
  }

  private let number: Int
  private let parts: [Part]
  /// The index of `id` among the properties.
  private let keyIndex: Int
  /// True if the properties are in a group.
  private let isGrouped: Bool

  /// The number of sequences of one to four kinds.
  static let count = (1...4).reduce(0) { $0 + power($1) }

  private static func power(_ exponent: Int) -> Int {
    (0..<exponent).reduce(1) { product, _ in product * Kind.allCases.count }
  }

  /// Creates a declaration from a number below ``count``.
  init(number: Int) {
    self.number = number
    var (rest, length) = (number, 1)
    while rest >= Self.power(length) {
      rest -= Self.power(length)
      length += 1
    }
    var parts: [Part] = []
    for index in 0..<length {
      let kind = Kind.allCases[rest % Kind.allCases.count]
      rest /= Kind.allCases.count
      parts.append(Self.part(kind, name: "p\(index)", 10 * index + 3, isOther: number / 2 % 2 == 1))
    }
    self.parts = parts
    keyIndex = number % (length + 1)
    isGrouped = number % 2 == 1 && parts.contains { !$0.names.isEmpty }
  }

  /// - Parameters:
  ///   - seed: A number that determines the values, so that they differ between columns.
  ///   - isOther: True to declare the second of two types.
  private static func part(_ kind: Kind, name: String, _ seed: Int, isOther: Bool) -> Part {
    let letter = ["a", "b", "c", "d"][seed / 10 % 4]
    func part(
      _ type: String, _ values: [String?], _ stored: [String], attribute: String = "",
      isDrafted: Bool = true, isBound: Bool = true
    ) -> Part {
      let attribute = attribute.isEmpty ? "" : attribute + " "
      return Part(
        declaration: "\(attribute)var \(name): \(type)",
        selected: "\(attribute.contains("generated") ? "" : attribute)var \(name): \(type)",
        names: [name], selectedNames: [name], values: values, stored: stored.map { [$0] },
        isDrafted: isDrafted, isBound: isBound)
    }
    func group(
      _ type: String, _ names: [String], _ values: [String], _ stored: [[String]]
    ) -> Part {
      Part(
        declaration: "@Embedded var \(name): \(type)", selected: "var \(name): \(type)",
        names: names.map { "\(name)_\($0)" }, selectedNames: names.map { "\(name).\($0)" },
        values: values, stored: stored)
    }
    switch kind {
    case .known:
      return part("Int", ["\(seed)", "-\(seed)"], ["\(seed)", "-\(seed)"])
    case .unknown:
      return isOther
        ? part("Number", ["\(seed)", "\(seed + 1)"], ["\(seed)", "\(seed + 1)"])
        : part("Letter", [".\(letter)", ".e"], ["'\(letter)'", "'e'"])
    case .optional:
      return isOther
        ? part("Letter?", [".\(letter)", "nil"], ["'\(letter)'", "NULL"])
        : part("Int?", ["\(seed)", "nil"], ["\(seed)", "NULL"])
    case .group:
      return group(
        "Point", ["x", "y"], ["Point(x: \(seed), y: \(seed + 1))", "Point(x: -\(seed), y: nil)"],
        [["\(seed)", "\(seed + 1)"], ["-\(seed)", "NULL"]])
    case .optionalGroup:
      return group(
        "Point?", ["x", "y"], ["Point(x: \(seed), y: \(seed + 1))", "nil"],
        [["\(seed)", "\(seed + 1)"], ["NULL", "NULL"]])
    case .nestedGroup:
      return group(
        "Place", ["kind", "point.x", "point.y", "other.x", "other.y", "level"],
        [
          "Place(kind: .\(letter), point: Point(x: \(seed), y: \(seed + 1)), "
            + "other: Point(x: \(seed + 2), y: \(seed + 3)), level: \(seed + 4))",
          "Place(kind: .e, point: Point(x: -\(seed), y: nil), other: nil, level: 0)",
        ],
        [
          ["'\(letter)'"] + (0...4).map { "\(seed + $0)" },
          ["'e'", "-\(seed)", "NULL", "NULL", "NULL", "0"],
        ])
    case .generated:
      return part(
        "Int", ["\(seed)", "\(seed)"], ["\(seed)", "\(seed)"],
        attribute: "@Column(.generated(\"\(seed)\"))", isDrafted: false, isBound: false)
    case .transient:
      return Part(
        declaration: "@Transient var \(name) = \(seed)",
        selected: "@Transient var \(name) = \(seed)", names: [], selectedNames: [],
        values: [nil, nil], stored: [[], []], isDrafted: false)
    case .custom:
      return isOther
        ? part(
          "Date",
          ["Date(timeIntervalSince1970: \(seed))", "Date(timeIntervalSince1970: \(seed + 1))"],
          ["\(seed)", "\(seed + 1)"], attribute: "@Column(as: .unixSeconds)")
        : part(
          "[Int]", ["[\(seed)]", "[]"], ["'[\(seed)]'", "'[]'"],
          attribute: "@Column(as: .json)")
    }
  }

  /// The types of the properties.
  static let preamble = """
    import Foundation
    import MiniORM
    typealias Number = Int
    enum Letter: String, ColumnValue { case a, b, c, d, e }
    @Selection struct Point: Equatable { var x: Int; var y: Int? }
    @Selection struct Place: Equatable { var kind: Letter; var point: Point; var other: Point?; var level: Int }

    """

  private var type: String { "M\(number)" }

  /// The model, with its group if any.
  var source: String {
    guard isGrouped else {
      var declarations = parts.map(\.declaration)
      declarations.insert("let id: Int64", at: keyIndex)
      return "@Table struct \(type): Equatable { \(declarations.joined(separator: "; ")) }\n"
    }
    return """
      @Selection struct G\(number): Equatable { \(parts.map(\.selected).joined(separator: "; ")) }
      @Table struct \(type): Equatable { @Embedded("") var row: G\(number); let id: Int64; var last: Letter }

      """
  }

  /// The arguments of an initializer, without the key.
  private func arguments(_ row: Int, ofDraft isDraft: Bool = false) -> [String?] {
    parts.map { part in
      guard !isDraft || part.isDrafted, let value = part.values[row] else { return nil }
      return "\(part.declaration.propertyName): \(value)"
    }
  }

  /// The function that checks the model.
  var check: String {
    func call(_ type: String, _ values: [String?]) -> String {
      "\(type)(\(values.compactMap { $0 }.joined(separator: ", ")))"
    }
    func array(_ texts: [[String]]) -> String {
      "[\(texts.joined().map { "\"\($0)\"" }.joined(separator: ", "))]"
    }
    let last = ["c", "d"]
    var names = parts.map { isGrouped ? $0.selectedNames : $0.names }
    names.insert(["id"], at: isGrouped ? names.count : keyIndex)
    if isGrouped { names.append(["last"]) }
    var (rows, drafts, stored): ([String], [String], [String]) = ([], [], [])
    for row in [0, 1] {
      var columns = parts.map { $0.stored[row] }
      columns.insert(["\(row + 1)"], at: isGrouped ? columns.count : keyIndex)
      if isGrouped {
        let group = "row: " + call("G\(number)", arguments(row))
        rows.append(call(type, [group, "id: \(row + 1)", "last: .\(last[row])"]))
        drafts.append(call("\(type).Draft", [group, "last: .\(last[row])"]))
        columns.append(["'\(last[row])'"])
      } else {
        var values = arguments(row)
        values.insert("id: \(row + 1)", at: keyIndex)
        rows.append(call(type, values))
        drafts.append(call("\(type).Draft", arguments(row, ofDraft: true)))
      }
      stored.append(array(columns))
    }
    let computed = isGrouped ? [] : parts.filter { !$0.isBound }.map(\.names)
    return """
      func check\(number)() -> any Checkable {
        Check(
          rows: [\(rows.joined(separator: ", "))], drafts: [\(drafts.joined(separator: ", "))],
          names: \(array(names)), computed: \(array(computed)),
          stored: [\(stored.joined(separator: ", "))])
      }

      """
  }

  /// The program that checks some models.
  static func main(_ declarations: [GeneratedDeclaration]) -> String {
    let numbers = declarations.map { "\($0.number)" }
    return """
      import Foundation
      import MiniORM

      protocol Checkable: Sendable { func run(in database: Database) async throws }

      struct Check<T: PrimaryKeyedModel & Equatable, Draft: Insertable>: Checkable
      where T.PrimaryKey == Int64, Draft.Stored == T {
        let rows: [T]
        let drafts: [Draft]
        /// The columns, in order.
        let names: [String]
        let computed: [String]
        /// The columns of each row, as SQL.
        let stored: [[String]]

        func expect(_ what: String, _ found: String, _ expected: String) {
          if found != expected { print("\\(T.self), \\(what):\\n  \\(found)\\n  \\(expected)") }
        }
        func list(_ names: [String]) -> String {
          names.map { "\\"\\($0)\\"" }.joined(separator: ", ")
        }

        func expectStored(_ what: String, in database: Database) async throws {
          let list = names.map { "quote(\\"\\($0)\\")" }.joined(separator: " || ' ' || ")
          let found = try await database.read { db in
            try db.query(String.self, "SELECT \\(raw: list) FROM \\(identifier: T.schema.name) ORDER BY id")
          }
          expect(what, "\\(found)", "\\(stored.map { $0.joined(separator: " ") })")
        }

        func run(in database: Database) async throws {
          let (table, name) = (Table<T>(), T.schema.name)
          let all = table.order { _ in SQL.rowID(of: T.self) }
          expect("columns of the schema", "\\(T.schema.columns.map(\\.name))", "\\(names)")
          for row in rows {
            expect("row of an insertion", "\\(try await table.insert(row, in: database))", "\\(row)")
          }
          try await expectStored("stored by an insertion", in: database)
          expect("read", "\\(try await all.fetchAll(in: database))", "\\(rows)")
          for row in rows { _ = try await table.update(row, in: database) }
          try await expectStored("stored by an update", in: database)
          _ = try await table.delete().run(in: database)
          try await table.insert(contentsOf: drafts, in: database)
          try await expectStored("stored by drafts", in: database)
          _ = try await table.delete().run(in: database)
          let bound = names.indices.filter { !computed.contains(names[$0]) }
          for row in stored {
            let columns = list(bound.map { names[$0] })
            let values = bound.map { row[$0] }.joined(separator: ", ")
            try await database.write { db in
              try db.execute("INSERT INTO \\(identifier: name) (\\(raw: columns)) VALUES (\\(raw: values))")
            }
          }
          expect("read of SQL", "\\(try await all.fetchAll(in: database))", "\\(rows)")
          let reversed = list(names.reversed())
          let queried = try await database.read { db in
            try db.query(T.self, "SELECT \\(raw: reversed) FROM \\(identifier: name) ORDER BY id")
          }
          expect("read by names", "\\(queried)", "\\(rows)")
        }
      }

      \(declarations.map(\.check).joined())
      @main struct Main {
        static func main() async throws {
          let checks = [\(numbers.map { "check\($0)()" }.joined(separator: ", "))]
          let models: [any Model.Type] = [\(numbers.map { "M\($0).self" }.joined(separator: ", "))]
          let database = try await Database(
            path: "models.db", key: .raw([UInt8](repeating: 7, count: 32)))
          try await database.migrate(DatabaseSchema(models))
          for check in checks {
            do { try await check.run(in: database) } catch { print("\\(type(of: check)): \\(error)") }
          }
          try await database.close()
        }
      }
      """
  }
}

extension String {
  /// `name` in `var name: Type` and in `@Embedded var name = 1`.
  fileprivate var propertyName: Substring {
    let words = split(separator: " ")
    let index = words.firstIndex(of: "var").map { $0 + 1 } ?? 0
    return words[index].prefix { $0 != ":" }
  }
}
