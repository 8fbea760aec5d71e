#if os(Linux)
  import CSQLCipher
  import Foundation
  import Testing

  @testable import MiniORM

  @Suite("Tables that a statement reads and writes")
  struct SchemaReaderTests {
    private static let statements = [
      "SELECT count(*) FROM t", "SELECT b FROM t WHERE id = 1", "SELECT length(text) FROM words",
      "SELECT a FROM shown", "UPDATE OR REPLACE t SET a = 2 WHERE id = 1", "UPDATE u SET a = 2",
      "INSERT INTO t(a, b) VALUES (3, 4)", "DELETE FROM t WHERE id = 1",
    ]

    /// Runs in a separate process, because SQLite's allocator must be set before first use.
    @Test("without memory, a statement counts as reading and writing every table")
    func noMemory() async {
      await #expect(processExitsWith: .success) {
        try #require(FaultyMemory.install())
        // Reading UTF-16 allocates memory, and so do texts longer than SQLite's static buffers.
        for encoding in ["UTF-8", "UTF-16le"] {
          try await withTemporaryPath { path throws in
            let tables = """
              CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b, c AS (a + b));
              CREATE TABLE u(/* \(String(repeating: "long ", count: 500)) */ a UNIQUE ON CONFLICT REPLACE);
              CREATE VIRTUAL TABLE words USING fts5(text, content='t');
              CREATE VIEW shown AS SELECT a FROM t;
              CREATE TRIGGER changed AFTER INSERT ON t BEGIN INSERT OR REPLACE INTO u VALUES (new.a); END;
              """
            try runSQL(
              "PRAGMA encoding = '\(encoding)';" + tables, on: path,
              key: "x'\(testKeyBytes.hexadecimal)'")
            let database = try await Database(path: path, key: .raw(testKeyBytes))
            try await Self.failAllocations(database)
            try await database.close()
          }
        }
      }
    }

    private static func failAllocations(_ database: Database) async throws {
      // Out of memory, SQLite may roll back a transaction.
      try await database.withoutTransaction { db throws in
        var failures = 0
        let handle = try db.handle
        for sql in Self.statements {
          let opened = db.cache
          let authorizer = try #require(opened?.authorizer)
          /// Statements without cached access information.
          var made: [OpaquePointer?] = []
          defer { for statement in made { sqlite3_finalize(statement) } }
          func access() throws -> StatementAccess {
            var pointer: OpaquePointer?
            defer { made.append(pointer) }
            let code = authorizer.preparing(sql) {
              sqlite3_prepare_v2(handle, sql, -1, &pointer, nil)
            }
            try #require(code == SQLITE_OK)
            return StatementAccess(try #require(pointer), sql, authorizer.recorded)
          }
          let known = try access()
          let reads = known.reads(askedBy: authorizer)
          let writes = known.writes(askedBy: authorizer)
          let tables = known.tables(askedBy: authorizer)
          for lasting in [false, true] {
            var number = 1
            while true {
              let asked = try access()
              FaultyMemory.arm(number, lasting: lasting)
              let found = (
                asked.reads(askedBy: authorizer), asked.writes(askedBy: authorizer),
                asked.tables(askedBy: authorizer)
              )
              FaultyMemory.disarm()
              guard FaultyMemory.struck > 0 else { break }
              failures += 1
              #expect(found.0.isAnything || found.0 == reads, "\(sql) \(number)")
              #expect(found.1.isEverything || found.1.keys == writes.keys, "\(sql) \(number)")
              #expect(
                tables.allSatisfy { table, written in
                  found.2[table].map { written.isKnown || !$0.isKnown } ?? false
                },
                "\(sql) \(number)")
              #expect(asked.reads(askedBy: authorizer) == reads, "\(sql) \(number)")
              #expect(asked.writes(askedBy: authorizer).keys == writes.keys, "\(sql) \(number)")
              #expect(
                asked.tables(askedBy: authorizer).mapValues(\.isKnown)
                  == tables.mapValues(\.isKnown), "\(sql) \(number)")
              number += 1
            }
          }
        }
        #expect(failures > 500)
      }
    }
  }
#endif
