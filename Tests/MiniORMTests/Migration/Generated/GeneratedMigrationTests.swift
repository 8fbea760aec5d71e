import Testing

@testable import MiniORM

@Suite("Generated migrations")
struct GeneratedMigrationTests {
  /// Runs a closure on the writing connection: in memory for most seeds, encrypted for some.
  private func withConnection(
    _ seed: Int, _ body: @Sendable (isolated Connection) throws -> Void
  ) async throws {
    guard seed % 10 == 0 else {
      let database = try await Database.inMemory()
      try await database.writer.isolated(nil, body)
      return try await database.close()
    }
    try await withTemporaryDatabase { database throws in
      try await database.writer.isolated(nil, body)
    }
  }

  @Test("rows of one schema become rows of another schema, without loss", arguments: 1...200)
  func migrates(seed: Int) async throws {
    try await withConnection(seed) { db in
      let pair = GeneratedPair(seed: seed)
      let old = pair.tables(0)
      let new = pair.tables(1)
      try Migrator(version: 1, declared: DeclaredSchema(tables: old), allowsDrops: false).run(
        on: db)
      try db.fill(pair)
      let before = try pair.tables.map { try db.rows(of: $0, 0) }
      let sequences = try db.sequences()

      try Migrator(version: 2, declared: DeclaredSchema(tables: new), allowsDrops: true).run(on: db)
      #expect(try db.fileSchema().report(DeclaredSchema(tables: new)).description == "")
      #expect(try db.query("PRAGMA integrity_check").map(\.values) == [[.text("ok")]])
      #expect(try db.query("PRAGMA foreign_key_check").isEmpty)
      #expect(try db.query("PRAGMA foreign_keys").map(\.values) == [[.integer(1)]])
      for (table, rows) in zip(pair.tables, before) {
        try db.compare(pair, table, rows, sequences)
      }
      let count = pair.tables[0].sides[0].map { _ in pair.tables[0].rowCount } ?? 0
      #expect(try db.value(Int.self, "SELECT n FROM counted") == count)
      #expect(
        try db.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = 'noted'") == 1)

      let state = try db.wholeContents()
      let again = Migrator(version: 2, declared: DeclaredSchema(tables: new), allowsDrops: false)
      #expect(try again.next(db.migrationState()) == nil)
      try again.run(on: db)
      #expect(try db.wholeContents() == state)
    }
  }

  enum Obstacle: CaseIterable {
    case null, word, fraction, largeInteger, largestInteger, bytes, twice, check, orphan, dropped
    case withoutValue, generated

    typealias Side = GeneratedColumn.Side

    /// The column in both schemas, and its values in the first.
    var column: ([Side?], @Sendable (Int) -> DatabaseValue) {
      func side(
        _ type: ColumnType, isNullable: Bool = true, isUnique: Bool = false, checks: [String] = []
      ) -> Side {
        Side(
          name: "obstacle", type: type, isNullable: isNullable, isUnique: isUnique, checks: checks)
      }
      return switch self {
      case .null:
        ([side(.text), side(.text, isNullable: false)], { $0 == 0 ? .null : .text("x") })
      case .word: ([side(.text), side(.integer)], { .text($0 == 0 ? "12 x" : "12") })
      case .fraction: ([side(.real), side(.integer)], { .real($0 == 0 ? 1.5 : 1) })
      case .largeInteger:
        ([side(.integer), side(.real)], { .integer($0 == 0 ? 9_007_199_254_740_993 : 1) })
      case .largestInteger: ([side(.integer), side(.real)], { .integer($0 == 0 ? .max : 1) })
      case .bytes: ([side(.blob), side(.integer)], { .blob($0 == 0 ? [255, 0] : []) })
      case .twice: ([side(.integer), side(.integer, isUnique: true)], { .integer(Int64($0 / 2)) })
      case .check:
        (
          [side(.integer), side(.integer, checks: ["obstacle < 1"])], { .integer($0 == 0 ? 1 : 0) }
        )
      case .orphan: ([side(.integer), side(.integer)], { .integer($0 == 0 ? 77 : 1) })
      case .dropped: ([side(.integer), nil], { .integer(Int64($0)) })
      case .withoutValue: ([nil, side(.integer, isNullable: false)], { _ in .null })
      case .generated:
        (
          [side(.text), Side(name: "obstacle", type: .text, generated: ("x", true))],
          { .text("\($0)") }
        )
      }
    }
  }

  @Test(
    "a migration that would lose data is refused, and changes nothing",
    arguments: Obstacle.allCases, [201, 202, 203, 204, 210])
  func refuses(_ obstacle: Obstacle, seed: Int) async throws {
    try await withConnection(seed) { db in
      var pair = GeneratedPair(seed: seed)
      let (sides, value) = obstacle.column
      pair.add(sides, value)
      var new = pair.tables(1)
      if obstacle == .orphan {
        // A foreign key to a new table, which has no rows yet.
        try new.append(Self.parent)
        let position = try #require(new.firstIndex { $0.definition.column("obstacle") != nil })
        let old = new[position]
        var create = old.create
        create.constraints.append("FOREIGN KEY (obstacle) REFERENCES parent (id)")
        new[position] = ModelTable(
          create: create, indexes: old.indexes, formerNames: old.formerNames,
          formerColumns: old.formerColumns)
      }
      try Migrator(version: 1, declared: DeclaredSchema(tables: pair.tables(0)), allowsDrops: false)
        .run(on: db)
      try db.fill(pair)
      let before = try db.wholeContents()
      let error = #expect(throws: DatabaseError.self) {
        try Migrator(
          version: 2, declared: DeclaredSchema(tables: new),
          allowsDrops: obstacle != .dropped && obstacle != .generated
        ).run(on: db)
      }
      #expect(error?.operation == .migrate)
      #expect(try db.wholeContents() == before)
      #expect(try db.query("PRAGMA foreign_keys").map(\.values) == [[.integer(1)]])
      #expect(try db.query("PRAGMA legacy_alter_table").map(\.values) == [[.integer(0)]])
      #expect(try db.query("PRAGMA integrity_check").map(\.values) == [[.text("ok")]])
    }
  }

  private static var parent: ModelTable {
    get throws {
      let create = CreateTable(
        name: "parent",
        columns: [
          ColumnSchema(
            "id", table: "parent", type: .integer, isNullable: false, [.primaryKey])
        ], primaryKey: ["id"], options: .strict)
      return ModelTable(
        create: create, indexes: [], formerNames: [], formerColumns: [:])
    }
  }
}

extension Connection {
  /// Fills the tables of the first schema, and creates a view and a trigger on its first table.
  fileprivate func fill(_ pair: GeneratedPair) throws {
    try execute("PRAGMA foreign_keys = OFF")
    for (number, table) in pair.tables.enumerated() {
      guard let declared = table.sides[0] else { continue }
      let columns = table.columns.indices.filter {
        table.column($0, 0).map { $0.generated == nil } ?? false
      }
      let name = declared.name.quotedIdentifier
      let rowID = table.rowIDKey(0) == nil ? table.rowIDName(0) : nil
      let list = (rowID.map { [$0] } ?? []) + columns.map { table.names([$0], 0) }
      for row in 0..<table.rowCount {
        var values = rowID == nil ? [] : [DatabaseValue.integer(Self.rowID(row))]
        values += columns.map { pair.value(table.columns[$0], row, of: table) }
        var insert = SQL(raw: "INSERT INTO \(name) (\(list.joined(separator: ", "))) VALUES (")
        insert.append(SQL.joined(values.map { SQL(binding: $0) }, separator: ", "))
        insert.append(")")
        try execute(insert)
      }
      if declared.isAutoincrement {
        try execute(
          "UPDATE sqlite_sequence SET seq = max(seq, 0) + 100 WHERE name = \(declared.name)")
      }
      guard number == 0 else { continue }
      try execute(
        script: """
          CREATE VIEW counted AS SELECT count(\(table.names([0], 0))) AS n FROM \(name);
          CREATE TRIGGER noted AFTER INSERT ON \(name) BEGIN
            SELECT NEW.\(table.names([0], 0)) FROM \(name) WHERE \(table.names([0], 0)) IS NULL;
          END;
          """)
    }
    try execute("PRAGMA foreign_keys = ON")
    #expect(try query("PRAGMA foreign_key_check").isEmpty)
  }

  /// Rowids with gaps, and both limits.
  private static func rowID(_ row: Int) -> Int64 {
    switch row {
    case 5: .min
    case 6: .max - 1
    default: Int64(row) * 10 - 30
    }
  }

  /// Rows keyed by rowid or key, with the columns in the order of the table.
  fileprivate func rows(
    of table: GeneratedTable, _ side: Int
  ) throws -> [DatabaseValue: [DatabaseValue]] {
    guard let declared = table.sides[side] else { return [:] }
    let rowID = table.rowIDKey(side).map { table.names([$0], side) } ?? table.rowIDName(side)
    let columns = table.columns.indices.map { index in
      table.column(index, side) == nil ? "NULL" : table.names([index], side)
    }
    let list = ([table.names([0], side), rowID ?? "NULL"] + columns).joined(separator: ", ")
    let rows = try query("SELECT \(raw: list) FROM \(raw: declared.name.quotedIdentifier)")
    return Dictionary(
      rows.map { ($0.values[0], Array($0.values.dropFirst())) },
      uniquingKeysWith: { first, _ in first })
  }

  fileprivate func sequences() throws -> [String: Int64] {
    guard
      try value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'") == 1
    else { return [:] }
    return try query("SELECT name, seq FROM sqlite_sequence").reduce(into: [:]) { sequences, row in
      if case (.text(let name), .integer(let number)) = (row.values[0], row.values[1]) {
        sequences[name] = number
      }
    }
  }

  fileprivate func compare(
    _ pair: GeneratedPair, _ table: GeneratedTable, _ before: [DatabaseValue: [DatabaseValue]],
    _ sequences: [String: Int64]
  ) throws {
    guard let old = table.sides[0] else { return }
    guard let new = table.sides[1] else {
      // A table without a model is kept.
      #expect(try rows(of: table, 0) == before)
      return
    }
    let after = try rows(of: table, 1)
    var expected: [DatabaseValue: [DatabaseValue]] = [:]
    for (tag, values) in before {
      var row = table.columns.enumerated().map { index, column -> DatabaseValue in
        guard let side = column.sides[1] else { return .null }
        if let generated = side.generated {
          guard case .text(let text) = tag.converted(to: .text) else { return .null }
          return .text(text + generated.suffix)
        }
        if column.sides[0] != nil { return values[index + 1].converted(to: side.type) }
        if new.key == [index] { return values[0] }
        return side.defaultValue?.value ?? .null
      }
      // The key's value is the rowid. Without an integer key, the old rowid is kept, if any.
      let rowID =
        if let key = table.rowIDKey(1) {
          row[key]
        } else if values[0] == .null || table.rowIDName(1) == nil {
          after[tag]?[0] ?? .null
        } else {
          values[0]
        }
      row.insert(rowID, at: 0)
      expected[tag] = row
    }
    #expect(after == expected)
    if old.isAutoincrement, new.isAutoincrement {
      #expect(try self.sequences()[new.name] == sequences[old.name])
    }
  }

  /// All contents of the file.
  fileprivate func wholeContents() throws -> [[DatabaseValue]] {
    var contents = try query("SELECT * FROM sqlite_schema").map(\.values)
    for name in try query("SELECT name FROM sqlite_schema WHERE type = 'table'") {
      guard case .text(let name) = name.values[0] else { continue }
      contents += try query("SELECT * FROM \(identifier: name)").map(\.values)
    }
    return try contents + query("PRAGMA user_version").map(\.values)
      + query("PRAGMA schema_version").map(\.values)
  }
}
