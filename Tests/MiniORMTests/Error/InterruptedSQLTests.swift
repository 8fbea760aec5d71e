import CSQLCipher
import Testing

@testable import MiniORM

/// Interrupts a connection at the nth call of its progress handler.
private final class Interrupter {
  let database: OpaquePointer
  var count: Int
  var hasInterrupted = false

  init(_ database: OpaquePointer, at count: Int) { (self.database, self.count) = (database, count) }

  func run(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    sqlite3_progress_handler(
      database, 1,
      { context in
        guard let context else { return 0 }
        let this = Unmanaged<Interrupter>.fromOpaque(context).takeUnretainedValue()
        this.count -= 1
        if this.count == 0 {
          this.hasInterrupted = true
          sqlite3_interrupt(this.database)
        }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    defer { sqlite3_progress_handler(database, 0, nil, nil) }
    try body()
  }
}

@Suite("Interrupted SQL")
struct InterruptedSQLTests {
  private static let script = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER);
    CREATE TABLE book (
      id INTEGER PRIMARY KEY, author INTEGER REFERENCES author (id) ON DELETE CASCADE, title TEXT,
      size INTEGER AS (length(title)), note TEXT
    );
    CREATE INDEX by_title ON book (title) WHERE title > '';
    CREATE VIEW titles AS SELECT name, title FROM author JOIN book ON author = author.id;
    CREATE TRIGGER dated AFTER INSERT ON book BEGIN
      UPDATE author SET born = 1 WHERE id = NEW.author;
    END;
    CREATE VIRTUAL TABLE search USING fts5(title);
    INSERT INTO author VALUES (1, 'a', 2), (2, 'b', NULL);
    INSERT INTO book (author, title) VALUES (1, 'one'), (1, 'two'), (2, 'three');
    INSERT INTO search SELECT title FROM book;
    """

  /// - Returns: True if the SQL was interrupted.
  private static func run(
    _ sql: String, interruptedAt count: Int, in db: isolated Connection
  ) throws -> Bool {
    let interrupter = Interrupter(try db.handle, at: count)
    do throws(DatabaseError) {
      try interrupter.run { () throws(DatabaseError) in try db.execute(script: sql) }
    } catch {
      #expect(error.code.primary == .interrupt, "\(error)")
      #expect(interrupter.hasInterrupted, "\(error)")
    }
    return interrupter.hasInterrupted
  }

  @Test(
    "an interruption is reported as SQLITE_INTERRUPT in every statement",
    arguments: [
      "ALTER TABLE author RENAME TO writer",
      "ALTER TABLE author RENAME COLUMN name TO called",
      "ALTER TABLE book ADD COLUMN pages INTEGER NOT NULL DEFAULT 0 CHECK (pages >= 0)",
      "ALTER TABLE book DROP COLUMN note",
      "ALTER TABLE search RENAME TO found",
      "CREATE TABLE copy AS SELECT * FROM titles",
      "CREATE UNIQUE INDEX by_name ON author (name)",
      "CREATE VIEW other AS SELECT * FROM titles",
      "CREATE TRIGGER other DELETE ON author BEGIN DELETE FROM book WHERE author = OLD.id; END",
      "CREATE VIRTUAL TABLE other USING fts5(title)",
      "CREATE VIRTUAL TABLE places USING rtree(id, low, high)",
      "DROP TABLE book",
      "DROP TABLE search",
      "DROP VIEW titles",
      "DELETE FROM author",
      "INSERT INTO book (author, title) SELECT author, title FROM book",
      "INSERT INTO search VALUES ('four')",
      "INSERT INTO search (search) VALUES ('rebuild')",
      "SELECT * FROM search WHERE search MATCH 'one OR t*' ORDER BY rank",
      "SELECT * FROM titles, json_each('[1, 2]')",
      "SELECT * FROM pragma_table_xinfo('book'), pragma_index_list('book')",
      "REINDEX",
      "ANALYZE",
      "PRAGMA integrity_check",
      "PRAGMA foreign_key_check",
      "VACUUM",
    ])
  func statement(sql: String) async throws {
    struct Undo: Error {
      let wasInterrupted: Bool
    }
    try await withTemporaryDatabase(script: Self.script) { database in
      var (count, wasInterrupted) = (0, true)
      while wasInterrupted {
        count += 1 + count / 20
        let at = count
        if sql == "VACUUM" {
          wasInterrupted = try await database.withoutTransaction { db in
            try Self.run(sql, interruptedAt: at, in: db)
          }
        } else {
          let undo = try await #require(throws: Undo.self) {
            try await database.write { db in
              throw Undo(wasInterrupted: try Self.run(sql, interruptedAt: at, in: db))
            }
          }
          wasInterrupted = undo.wasInterrupted
        }
      }
      #expect(count > 1)
    }
  }
}
