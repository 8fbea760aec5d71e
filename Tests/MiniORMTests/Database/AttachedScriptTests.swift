import Foundation
import Testing

@testable import MiniORM

@Suite("Scripts with an attached database")
struct AttachedScriptTests {
  /// Runs a test on a database with another database attached.
  private func withOther(_ body: (Database) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder throws in
      let database = try await Database(path: folder + "/main.db", key: .raw(testKeyBytes))
      try await database.attach(folder + "/other.db", as: "other", key: .raw(testKeyBytes))
      try await body(database)
      try await database.close()
    }
  }

  @Test("each statement of a script is scanned once, without the rest of the script")
  func linear() async throws {
    try await withOther { database throws in
      func script(_ table: String) -> String {
        "CREATE TABLE \(table)(a);"
          + (0..<4_000).map { "INSERT INTO \(table) VALUES (\($0));" }.joined(separator: "\n")
      }
      func duration(of script: String, in database: Database) async throws -> Duration {
        let start = ContinuousClock.now
        try await database.write { db in try db.execute(script: script) }
        return ContinuousClock.now - start
      }
      let beside = try await duration(of: script("t"), in: database)
      #expect(try await database.values("SELECT count(*) FROM t") == [.integer(4_000)])
      // Without an attached file, the same script takes 1/25 of the time. If each statement scanned
      // the rest of the script, the factor would be 8,000.
      try await database.detach("other")
      let alone = try await duration(of: script("u"), in: database)
      #expect(beside / alone < 500)
    }
  }

  @Test("sqlcipher_export fills an attached database")
  func export() async throws {
    try await withOther { database throws in
      try await database.write { db in
        try db.execute(script: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
      }
      try await database.write { db in
        try db.execute("SELECT sqlcipher_export('other')")
      }
      #expect(try await database.values("SELECT a FROM other.t") == [.integer(1), .integer(2)])
    }
  }

  @Test("each statement of a script is checked by its own text")
  func statements() async throws {
    try await withOther { database throws in
      try await database.write { db in
        try db.execute(script: "CREATE TABLE other.note(a); INSERT INTO other.note VALUES (1)")
      }
      for script in [
        "CREATE TABLE t(a); SELECT * FROM note; SELECT * FROM other.note",
        "SELECT a AS [it's] FROM note; SELECT 'x' FROM other.note",
        "CREATE TABLE t(a, b DEFAULT ';'); SELECT a FROM note /* ; other.note */; SELECT 1",
        """
        CREATE TABLE t(a); CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN SELECT ';'; SELECT 1; END;
        -- other.note ; it isn't
        SELECT ';' AS [;], 1 AS `;`, 2 AS ";" FROM note; SELECT * FROM other.note
        """,
      ] {
        let error = try await failure {
          try await database.write { try $0.execute(script: script) }
        }
        #expect(
          error.message
            == "no such table: note. The attached database other has a table of this name: write other.note",
          "\(script)")
      }
      try await database.write { db in
        try db.execute(
          script: """
            CREATE TABLE t(a, b DEFAULT ';'); /* it's ; */ SELECT ';' FROM other.note;
            CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN
              SELECT ';'; INSERT INTO note VALUES (2);
            END; SELECT a FROM other.note
            """)
      }
    }
  }
}
