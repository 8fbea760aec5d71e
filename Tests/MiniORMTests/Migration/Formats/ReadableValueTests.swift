import Foundation
import Testing

@testable import MiniORM

/// Values of every storage class, in the spellings of every format.
private let values = [
  "NULL", "0", "1", "-1", "300", "9007199254740993", "9223372036854775807", "0.0", "5.0", "0.5",
  "1e300", "9e999", "''", "'5'", "'9.5'", "'abc'", "'small'", "'null'", "'[1]'", "'[\"a\"]'",
  "'{\"x\":5}'", "'2026-11-26 17:07:56'", "'2026-11-26T17:07:56.123Z'",
  "'550e8400-e29b-41d4-a716-446655440000'", "CAST(x'ff' AS TEXT)", "x''",
  "x'000102030405060708090a0b0c0d0e0f'",
]

extension FormatModel {
  /// The model's table with the declared type of a different program.
  fileprivate static func table(_ type: String) throws -> ModelTable {
    let value = try #require(schema.columns.last)
    let column = ColumnSchema(
      value.name, table: value.table, type: value.type, isNullable: value.isNullable,
      [.type(type, nullable: true)], stored: value.stored)
    let create = CreateTable(
      name: schema.name, columns: [schema.columns[0], column], primaryKey: ["id"], options: [])
    return ModelTable(create: create, indexes: [], formerNames: [], formerColumns: [:])
  }

  fileprivate static var unit: ColumnStorage? {
    switch schema.columns.last?.format?.kind {
    case .unixSeconds: .unixSeconds
    case .unixSecondsReal: .unixSecondsReal
    case .unixMilliseconds: .unixMilliseconds
    case .scaled(let scale): .decimal(scale: scale)
    default: nil
    }
  }
}

@Table("product", options: []) private struct Goods: Equatable {
  let id: Int64
  @Column(.type("DECIMAL(10, 2)")) var price: Double
  @Column(.type("NUMERIC")) var weight: Float?
}
@Table("product") private struct PricedGoods: Equatable {
  let id: Int64
  @Column(as: .decimal(scale: 2)) var price: Decimal
  var weight: Double?
}

@Table("setting", options: []) private struct Setting {
  let id: Int64
  @Column(.type("TEXT", nullable: true)) var name: String
  @Column(as: .json) var options: SettingOptions
}
private struct SettingOptions: Codable, Sendable {
  var size: Int
  var limit: Int
}
/// A custom type with errors that name no column.
private struct Even: ColumnValue {
  static var columnType: ColumnType { .integer }
  init(cell: borrowing Cell) throws(DatabaseError) {
    guard try cell.integer().isMultiple(of: 2) else {
      throw DatabaseError(.read, code: .mismatch, "The number is odd")
    }
  }
  func bind(to parameter: borrowing Parameter) throws(DatabaseError) { try 0.bind(to: parameter) }
}
@Table("pair") private struct Pair {
  let id: Int64
  var even: Even
}

@Suite("Values that a model can read")
struct ReadableValueTests {
  @Test(
    "fetch, the report and migrate agree about each value in each format",
    arguments: FormatModels.all.indices, ["", "NUMERIC"])
  func agreement(index: Int, type: String) async throws {
    func check<M: FormatModel>(_ model: M.Type) async throws {
      let database = try await Database.inMemory()
      try await database.write { db in
        try db.execute(
          script: "CREATE TABLE box (id INTEGER PRIMARY KEY NOT NULL, value \(type));"
            + values.map { "INSERT INTO box (value) VALUES (\($0));" }.joined())
      }
      try await database.adopt(
        version: 1, formats: M.unit.map { ["box": ["value": $0]] } ?? [:])
      var unreadable: [Int64] = []
      for id in values.indices.map({ Int64($0 + 1) }) {
        do {
          _ = try await Table<M>().find(id, in: database)
        } catch is DatabaseError {
          unreadable.append(id)
        }
      }
      // NUMERIC converts every text that a Decimal reads.
      #expect(unreadable.count < values.count || type == "NUMERIC" && M.Value.self == Decimal.self)
      #expect(unreadable != [] || M.Value.self == DatabaseValue.self)
      let report = try await database.schemaReport(
        for: DatabaseSchema(M.self), checkingRows: true)
      let reported = report.differences.reduce(0) { sum, difference in
        if case .unreadable(_, _, let rows, _) = difference { sum + rows } else { sum }
      }
      #expect(reported == unreadable.count, "\(report)")

      @Sendable func migrate() async throws {
        try await database.withConnection(.writer) { db in
          let declared = DeclaredSchema(tables: [try M.table(type)])
          try Migrator(version: 1, declared: declared, allowsDrops: false).run(on: db)
        }
      }
      if unreadable.contains(1) {
        let error = try await failure { try await migrate() }
        #expect(error.message.hasPrefix("1 row of box (rowid 1) holds NULL"), "\(error)")
        try await database.write { _ = try $0.execute("DELETE FROM box WHERE id = 1") }
        unreadable.removeFirst()
      }
      if !unreadable.isEmpty {
        let error = try await failure { try await migrate() }
        let rows = "\(unreadable.count) row\(unreadable.count == 1 ? "" : "s") of box (rowid "
        #expect(error.message.hasPrefix(rows + "\(unreadable[0])"), "\(error)")
      }
      let list = unreadable.map { "\($0)" }.joined(separator: ", ")
      try await database.write {
        _ = try $0.execute("DELETE FROM box WHERE id IN (\(raw: list))")
      }
      let cells: SQL = "SELECT group_concat(id || typeof(value) || quote(value)) FROM box"
      let before = try await database.values(cells)
      try await migrate()
      #expect(try await database.values(cells) == before)
      let left = try await database.schemaReport(for: DatabaseSchema(M.self), checkingRows: true)
      #expect(!left.differences.contains { if case .unreadable = $0 { true } else { false } })
      try await database.close()
    }
    try await check(FormatModels.all[index])
  }

  @Test("whole numbers in DECIMAL and NUMERIC columns are migrated, and converted exactly")
  func wholeNumbers() async throws {
    let script = """
      CREATE TABLE product (id INTEGER PRIMARY KEY NOT NULL, price DECIMAL(10, 2) NOT NULL, weight NUMERIC);
      INSERT INTO product VALUES (1, 5, 2), (2, 9.99, 0.5), (3, -7, NULL);
      """
    try await withTemporaryDatabase(script: script) { database in
      try await database.adopt(version: 1)
      let schema = DatabaseSchema(Goods.self)
      let sql = try await database.values("SELECT sql FROM sqlite_schema")
      try await database.migrate(schema)
      #expect(try await database.values("SELECT sql FROM sqlite_schema").starts(with: sql))
      #expect(try await database.schemaReport(for: schema, checkingRows: true).isEmpty)
      // Rows of MiniORM are stored in the same way.
      try await Table<Goods>().insert(Goods(id: 4, price: 12, weight: 3), in: database)
      #expect(
        try await database.values(
          "SELECT typeof(price) || typeof(weight) FROM product WHERE id = 4")
          == [.text("integerinteger")])
      try await database.write { try $0.execute(script: "DROP TABLE miniorm_columns") }
      try await database.migrate(schema)
      try await database.migrate(DatabaseSchema(version: 2, PricedGoods.self))
      let rows = try await Table<PricedGoods>().order { $0.id }.fetchAll(in: database)
      #expect(rows.map(\.price) == [5, Decimal(string: "9.99"), -7, 12])
      #expect(rows.map(\.weight) == [2, 0.5, nil, 3])
      try await database.migrate(DatabaseSchema(version: 3, Goods.self))
      #expect(
        try await Table<Goods>().order { $0.id }.fetchAll(in: database) == [
          Goods(id: 1, price: 5, weight: 2), Goods(id: 2, price: 9.99, weight: 0.5),
          Goods(id: 3, price: -7, weight: nil), Goods(id: 4, price: 12, weight: 3),
        ])
    }
  }

  @Test("a report names the columns, the rows and the reason, also a missing JSON key")
  func report() async throws {
    try await withFile(DatabaseSchema(Setting.self)) { database throws in
      try await database.write { db in
        try db.execute(
          script: """
            INSERT INTO setting VALUES (1, 'a', '{"size":1,"limit":2}'), (2, NULL, '{"size":1}'),
              (3, 'c', '{"size":1}'), (4, 'd', '{"size":2}'), (5, 'e', '{"size":"x"}');
            """)
      }
      let schema = DatabaseSchema(Setting.self)
      #expect(try await database.schemaReport(for: schema).isEmpty)
      let report = try await database.schemaReport(for: schema, checkingRows: true)
      #expect(
        report.description == """
          column setting.name: 1 row cannot be read: Expected TEXT but found NULL in column name
          column setting.options: 3 rows cannot be read: The JSON for SettingOptions has no key limit \
          in column options
          """)
      let error = try await failure {
        try await Table<Setting>().where { $0.id == 3 }.fetchAll(in: database)
      }
      #expect(error.message == "The JSON for SettingOptions has no key limit in column options")
      let other = try await failure {
        try await Table<Setting>().where { $0.id == 5 }.fetchAll(in: database)
      }
      #expect(other.message == "The text is not valid JSON for SettingOptions in column options")
    }
    try await withFile(DatabaseSchema(Pair.self)) { database throws in
      try await database.write { _ = try $0.execute("INSERT INTO pair VALUES (1, 1), (2, 2)") }
      let report = try await database.schemaReport(
        for: DatabaseSchema(Pair.self), checkingRows: true)
      #expect(report.description == "table pair: 1 row cannot be read: The number is odd")
    }
  }
}
