import Testing

@testable import MiniORM

@Suite("An application through its versions")
struct EvolutionTests {
  private static let pairs = (1..<Evolution.last).flatMap { old in
    ((old + 1)...Evolution.last).map { (old, $0) }
  }

  /// A new file in a version, with rows of the same or of an earlier version.
  private func withVersion<Result>(
    _ version: Int, rowsFrom origin: Int, _ body: (Database) async throws -> Result
  ) async throws -> Result {
    try await withTemporaryDatabase { database throws in
      try await database.migrate(Evolution.schema(version))
      try await database.write { db in
        try db.execute(script: Evolution.rows(version, from: origin))
      }
      return try await body(database)
    }
  }

  private func contents(_ database: Database) async throws -> Contents {
    try await database.read { db in try db.contents() }
  }

  @Test(
    "each version migrates to each later version, with the schema of a new file", arguments: pairs)
  func jumps(from old: Int, to new: Int) async throws {
    let fresh = try await withVersion(new, rowsFrom: old) { try await contents($0) }
    try await withVersion(old, rowsFrom: old) { database throws in
      let plan = try await database.migrationPlan(for: Evolution.schema(new))
      try await database.migrate(Evolution.schema(new))
      #expect(try await database.schemaReport(for: Evolution.schema(new)).description == "")
      let migrated = try await contents(database)
      #expect(migrated.objects == fresh.objects)
      #expect(migrated.rows == fresh.rows)
      #expect(try await database.values("PRAGMA user_version") == [.integer(Int64(new))])
      #expect(try await database.values("PRAGMA integrity_check") == [.text("ok")])
      #expect(try await database.values("PRAGMA foreign_key_check") == [])
      let names = try await database.migrationHistory().map(\.name)
      #expect(names == ["created"] + plan.transactions.map(\.name))

      // A second migration changes nothing.
      let records = try await database.migrationHistory()
      let schema = try await database.values("SELECT quote(sql) FROM sqlite_schema")
      let cookie = try await database.values("PRAGMA schema_version")
      #expect(try await database.migrationPlan(for: Evolution.schema(new)).isEmpty)
      try await database.migrate(Evolution.schema(new))
      #expect(try await database.migrationHistory() == records)
      #expect(try await database.values("SELECT quote(sql) FROM sqlite_schema") == schema)
      #expect(try await database.values("PRAGMA schema_version") == cookie)
      #expect(try await database.values("PRAGMA user_version") == [.integer(Int64(new))])
    }
  }

  @Test(
    "migrating version by version gives the same result as migrating at once",
    arguments: 1..<Evolution.last)
  func oneByOne(from origin: Int) async throws {
    try await withVersion(origin, rowsFrom: origin) { database throws in
      for version in (origin + 1)...Evolution.last {
        try await database.migrate(Evolution.schema(version))
        let fresh = try await withVersion(version, rowsFrom: origin) { try await contents($0) }
        let migrated = try await contents(database)
        #expect(migrated.objects == fresh.objects, "version \(version)")
        #expect(migrated.rows == fresh.rows, "version \(version)")
      }
    }
  }

  @Test("the models read rows of the first version, and views and triggers still work")
  func lastVersion() async throws {
    try await withVersion(1, rowsFrom: 1) { database throws in
      try await database.migrate(Evolution.schema(Evolution.last))
      let people = try await Table<V9.Contact>().order { $0.id }.fetchAll(in: database)
      #expect(
        people == [
          V9.Contact(
            id: -5, fullName: "C", initials: "C", age: 65, nickname: "", visits: 0, isAdult: true),
          V9.Contact(
            id: 1, fullName: "Ada Lovelace", initials: "AL", age: 36, nickname: "", visits: 0,
            isAdult: true),
          V9.Contact(
            id: 7, fullName: "Bób \"B\" O'Neil", initials: "B\"O", age: 17, nickname: "", visits: 0,
            isAdult: false),
        ])
      // AUTOINCREMENT does not reuse the id of the ticket deleted in version 1.
      let ticket = try await Table<V9.Ticket>().insert(
        V9.Ticket.Draft(subject: "Valve"), in: database)
      #expect(ticket == V9.Ticket(id: 10, subject: "Valve", priority: 1))
      let journal = try await database.values("SELECT rowid || ' ' || text FROM journal")
      #expect(
        journal
          == ["3 one", "10 ", "4000000000 three", "4000000001 opened Valve"].map { .text($0) })
      #expect(
        try await database.values("SELECT name FROM adults ORDER BY id")
          == [.text("C"), .text("Ada Lovelace")])
      // The foreign key follows the new name of its parent.
      try await Table<V9.Contact>().delete(7, in: database)
      #expect(
        try await database.values("SELECT personID FROM address ORDER BY id")
          == [.integer(-5), .integer(1), .null])
    }
  }
}

/// The contents of a file, equal for files with the same meaning.
private struct Contents: Equatable {
  /// The statement of each index, view and trigger, and the declarations of each table, which may
  /// have another order.
  var objects: [String: Set<[SQLToken]>] = [:]
  /// The rows of each table, with rowids, keyed by column name.
  var rows: [String: [[String: DatabaseValue]]] = [:]
}

extension Connection {
  fileprivate func contents() throws -> Contents {
    var contents = Contents()
    for row in try query("SELECT type, name, sql FROM sqlite_schema") {
      guard case .text(let type) = row.values[0], case .text(let name) = row.values[1],
        case .text(let sql) = row.values[2], !name.hasPrefix("miniorm_")
      else { continue }
      guard type == "table" else {
        contents.objects[name] = [SQLToken.all(in: sql)]
        continue
      }
      let rowID: SQL =
        try value(Int.self, "SELECT wr FROM pragma_table_list WHERE name = \(name)") == 1
        ? "" : "rowid AS rowid, "
      contents.rows[name] = try query("SELECT \(rowID)* FROM \(identifier: name) ORDER BY 1").map {
        Dictionary(uniqueKeysWithValues: zip($0.columnNames.map { $0.lowercased() }, $0.values))
      }
      if name != "sqlite_sequence" {
        let table = SchemaText.Table(sql)
        contents.objects[name] = Set(
          (table.declarations.map(\.text) + [table.head, table.options]).map {
            SQLToken.all(in: $0)
          })
      }
    }
    // The rowids depend on the order of the first insertions.
    contents.rows["sqlite_sequence"] = contents.rows["sqlite_sequence"]?.map { row in
      row.filter { $0.key != "rowid" }
    }
    return contents
  }
}
