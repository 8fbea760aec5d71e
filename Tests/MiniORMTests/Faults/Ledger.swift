import Foundation

@testable import MiniORM

/// A file of numbered transactions, and its expected state after each piece of work.
enum Ledger {
  @Table("entry") struct Entry {
    let id: Int64
    @Column(.references(Total.self)) var totalID: Int64 = 1
    var number: Int
    var part: Int
    var text: String
  }

  @Table("total") struct Total {
    let id: Int64
    var count: Int
  }

  static let parts = 3
  static let keys: [Key] = [.raw(testKeyBytes), .raw(testKeyBytes.reversed())]

  /// The state of a file: the number of transactions, the index of the key, and the schema version.
  struct State: Equatable, Sendable, CustomStringConvertible {
    var count = 0
    var key = 0
    var version: Int32 = 0

    var description: String { "\(count) transactions, key \(key), version \(version)" }
  }

  static func schema(_ version: Int32) -> DatabaseSchema {
    // Each version after the first rebuilds the table.
    let steps =
      version < 2
      ? []
      : (2...version).map { version in
        DatabaseSchema.Step(
          to: version, "rebuilt \(version)",
          .rebuildTable(
            "entry", .column("id", Int64.self, .primaryKey),
            .column("totalID", Int64.self, .references(table: "total", "id")),
            .column("number", Int.self),
            .column("part", Int.self, .check("part < \(version + 10)")),
            .column("text", String.self)))
      }
    return version < 2
      ? DatabaseSchema(version: version, Entry.self, Total.self)
      : DatabaseSchema(version: version, steps: steps)
  }

  /// Opens the file, trying each key.
  static func open(
    _ path: String, _ configuration: Configuration
  ) async throws -> (database: Database, key: Int) {
    do {
      return (try await Database(path: path, key: keys[0], configuration: configuration), 0)
    } catch  where error.openingFailure == .wrongKey {
      return (try await Database(path: path, key: keys[1], configuration: configuration), 1)
    }
  }

  /// Writes a transaction.
  static func write(_ number: Int, to database: Database, size: Int) async throws {
    try await database.write { db in
      try db.execute(
        """
        INSERT INTO total VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET count = count + 1
        """)
      for part in 0..<parts {
        try Table<Entry>().insert(
          Entry.Draft(
            number: number, part: part, text: String(repeating: "\(number) ", count: size)),
          in: db)
      }
    }
  }

  /// Reads the state of the file.
  /// - Parameter toleratesFreePages: True if free pages may be torn.
  /// - Throws: `Wrong` if the file is damaged or contains a partial transaction.
  static func state(
    of path: String, _ configuration: Configuration, toleratesFreePages: Bool = false
  ) async throws -> State {
    guard DatabaseFile.exists(path) else { return State() }
    let (database, key) = try await open(path, configuration)
    do {
      let state = try await state(of: database, key, toleratesFreePages)
      try await database.close()
      return state
    } catch {
      try? await database.close()
      throw error
    }
  }

  private static func state(
    of database: Database, _ key: Int, _ toleratesFreePages: Bool
  ) async throws -> State {
    let report = try await database.integrityReport()
    if !report.isEmpty {
      // SQLite never restores a free page, so a torn free page fails SQLCipher's HMAC check without
      // harm. All used pages are read here.
      guard toleratesFreePages, report.problems.allSatisfy({ $0.kind == .freePage }),
        try await database.values("PRAGMA integrity_check") == [.text("ok")]
      else { throw MixedScript.Wrong("\(report)") }
      try await database.vacuum()
      let after = try await database.integrityReport()
      guard after.isEmpty else { throw MixedScript.Wrong("vacuumed: \(after)") }
    }
    let version = try await database.values("PRAGMA user_version")
    guard version != [.integer(0)] else { return State() }
    let found = try await database.read { db in
      try db.query(
        """
        SELECT coalesce((SELECT count FROM total), 0), count(*), count(DISTINCT number), coalesce(max(number), 0),
          (SELECT count(*) FROM (SELECT 1 FROM entry GROUP BY number HAVING count(*) <> \(parts)))
        FROM entry
        """
      ).first?.values
    }
    guard case .integer(let count)? = found?[0], case .integer(let number)? = version.first,
      found
        == [
          .integer(count), .integer(count * Int64(parts)), .integer(count), .integer(count),
          .integer(0),
        ]
    else { throw MixedScript.Wrong("half of something: \(found ?? [])") }
    return State(count: Int(count), key: key, version: Int32(clamping: number))
  }
}
