import Foundation
import Testing

@testable import MiniORM

@Suite("A damaged page of an encrypted file")
struct CodecStateTests {
  private static let key = Key.raw(testKeyBytes)
  private static let script = """
    CREATE TABLE small(a);
    INSERT INTO small VALUES (1), (2);
    CREATE TABLE large(id INTEGER PRIMARY KEY, bytes BLOB);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4)
    INSERT INTO large SELECT i, randomblob(15000) FROM n;
    """
  private static let largeRows: SQL = "SELECT bytes FROM large ORDER BY id"

  /// A value that is longer than a page is on several, and SQLite cannot know what stands on the last one.
  @Test("is an error and never another value, also in a copy; other pages are read after it")
  func everyPage() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      let new = try await Database(path: path, key: Self.key)
      try await new.write { try $0.execute(script: Self.script) }
      let expected = try await new.values(Self.largeRows)
      try await new.close()
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      var errors = 0
      for page in 2...whole.count / 4096 {
        try whole.write(to: URL(fileURLWithPath: path))
        try damage(path, pages: [page])
        let database = try await Database(path: path, key: Self.key)
        let copy = "\(folder)/\(page).db"
        func rows(_ sql: SQL, _ database: Database) async throws -> [DatabaseValue]? {
          do {
            return try await database.values(sql)
          } catch let error as DatabaseError {
            #expect([.corrupt, .notADatabase, .error].contains(error.code.primary), "\(error)")
            errors += 1
            return nil
          }
        }
        if let rows = try await rows(Self.largeRows, database) {
          #expect(rows == expected, "page \(page)")
        } else {
          #expect(try await rows("SELECT a FROM small", database) == [.integer(1), .integer(2)])
        }
        do {
          try await database.write { db in
            try db.execute("CREATE TABLE copy AS SELECT id, bytes FROM large")
          }
          #expect(
            try await rows("SELECT bytes FROM copy ORDER BY id", database) == expected,
            "page \(page)")
        } catch is DatabaseError {
          errors += 1
        }
        do {
          try await database.backup(to: copy)
          let copied = try await Database(path: copy, key: Self.key)
          #expect(try await copied.values(Self.largeRows) == expected, "page \(page)")
          try await copied.close()
        } catch is DatabaseError {
          errors += 1
        }
        try await database.close()
      }
      // Each of the pages is read by at least the backup.
      #expect(errors >= whole.count / 4096 - 1)
    }
  }
}
