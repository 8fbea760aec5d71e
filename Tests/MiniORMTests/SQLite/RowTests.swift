import CSQLCipher
import Foundation
import Testing

@testable import MiniORM

@Suite("Row")
struct RowTests {
  /// Every storage class, and rows of a single column and of many columns.
  static let queries = [
    "SELECT 1", "SELECT NULL", "SELECT 1, 'a'", "SELECT x'', '', 0.5, NULL, -1",
    "SELECT " + (0..<300).map { $0 % 3 == 0 ? "'text \($0)'" : "\($0)" }.joined(separator: ", "),
    // Compound queries and sorters return rows from other registers than tables.
    "SELECT 1, 'a', 2.5 UNION ALL SELECT 2, 'b', NULL UNION SELECT 3, x'00', 1 ORDER BY 1",
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 50) SELECT x, x * x, 'n' FROM n",
    "VALUES (1, 'one'), (2, 'two'), (NULL, NULL)",
  ]

  @Test(
    "the cells of a row have SQLite's values of its columns", arguments: queries)
  func cells(query: String) async throws {
    try await withTemporaryDatabase { database in
      let (read, asked) = try await database.read { db in
        let statement = try db.statement(query)
        var read: [[DatabaseValue]] = []
        var asked: [[DatabaseValue]] = []
        while try statement.step() {
          let row = Row(statement.pointer)
          read.append(try (0..<statement.columnCount).map { try DatabaseValue(cell: row[$0]) })
          asked.append(
            try (0..<statement.columnCount).map {
              try DatabaseValue(cell: Cell(statement.pointer, $0))
            })
        }
        return (read, asked)
      }
      #expect(read == asked)
      #expect(!read.isEmpty)
    }
  }

  @Test(
    "beyond the last column is NULL, and reading it throws", arguments: [-1, 2, 1 << 20])
  func beyond(index: Int32) async throws {
    try await withTemporaryDatabase { database in
      try await database.read { db in
        let statement = try db.statement("SELECT 1, 2")
        #expect(try statement.step())
        for positions in [[], [1, 0]] as [[Int32]] {
          positions.withUnsafeBufferPointer { positions in
            let row = Row(statement.pointer, positions: positions)
            let isNull = row[index].isNull
            #expect(isNull)
            let error = #expect(throws: DatabaseError.self) { try Int(cell: row[index]) }
            #expect(error?.message.hasPrefix("Expected INTEGER but found NULL in column") == true)
          }
        }
      }
    }
  }

  #if os(Linux)
    /// Runs in a separate process, because SQLite's allocator must be set before first use.
    @Test("with little memory, a value is complete or throws")
    func noMemory() async {
      await #expect(processExitsWith: .success) {
        try #require(FaultyMemory.install())
        try await withTemporaryPath { path throws in
          // Reading UTF-16 texts and zeroblobs allocates memory.
          let text = "è \u{1F600} " + String(repeating: "text ", count: 500)
          try runSQL(
            """
            PRAGMA encoding = 'UTF-16le'; PRAGMA user_version = 7; CREATE TABLE t(a, b, c);
            INSERT INTO t VALUES ('\(text)', '2026-11-21 10:00:00',
              '6f9619ff-8b86-d011-b42d-00c04fc964ff');
            """, on: path)
          let database = try await Database(path: path, key: nil)
          // Out of memory, SQLite may roll back a transaction.
          try await database.withoutTransaction { db throws in
            let handle = try db.handle
            let date = Date(timeIntervalSince1970: 1_795_255_200)
            let reads: [(String, () throws -> Bool)] = [
              ("text", { try db.value(String.self, "SELECT a FROM t") == text }),
              ("date", { try db.value(Date.self, "SELECT b FROM t") == date }),
              (
                "UUID",
                {
                  try db.value(UUID.self, "SELECT c FROM t")?.uuidString
                    == "6F9619FF-8B86-D011-B42D-00C04FC964FF"
                }
              ),
              ("blob", { try db.value(Data.self, "SELECT zeroblob(90000)") == Data(count: 90000) }),
              ("PRAGMA", { try Connection.text("PRAGMA user_version", handle) == "7" }),
            ]
            for (name, read) in reads {
              var number = 0
              repeat {
                number += 1
                // Discards the text that SQLite cached in the previous run.
                db.releaseMemory()
                FaultyMemory.arm(number, lasting: false)
                defer { FaultyMemory.disarm() }
                do {
                  #expect(try read(), "\(name), allocation \(number)")
                } catch let error as DatabaseError {
                  #expect(
                    error.code.primary.rawValue == SQLITE_NOMEM, "\(name) \(number): \(error)")
                }
              } while FaultyMemory.struck > 0
              #expect(number > 2, "\(name)")
            }
          }
          try await database.close()
        }
      }
    }
  #endif
}
