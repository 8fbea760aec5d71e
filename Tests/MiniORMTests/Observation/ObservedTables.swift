import Testing

@testable import MiniORM

/// Tables with triggers, foreign key actions and other ways for a write to change several tables.
enum ObservedTables {
  static let script = """
    CREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT UNIQUE, size INTEGER, note TEXT,
      twice INTEGER AS (size * 2));
    CREATE TABLE child(id INTEGER PRIMARY KEY,
      parent REFERENCES parent(id) ON DELETE CASCADE ON UPDATE CASCADE, text TEXT);
    CREATE TABLE grandchild(id INTEGER PRIMARY KEY, child REFERENCES child(id) ON DELETE SET NULL,
      text TEXT);
    CREATE TABLE keyed(code TEXT PRIMARY KEY, value INTEGER, extra TEXT) WITHOUT ROWID;
    CREATE TABLE plain(a, b);
    CREATE TABLE strict(code INTEGER UNIQUE ON CONFLICT REPLACE, b, c);
    CREATE TABLE log(text TEXT);
    CREATE TABLE other(value);
    CREATE TABLE shelf(a, b);
    CREATE TABLE unique_shelf(a UNIQUE, b);
    CREATE VIEW names AS SELECT name FROM parent WHERE size > 0;
    CREATE VIEW notes AS SELECT id, note FROM parent;
    CREATE TRIGGER logged AFTER UPDATE OF value ON keyed BEGIN
      INSERT INTO log VALUES (new.code);
    END;
    CREATE TRIGGER moved AFTER UPDATE OF b ON shelf BEGIN
      UPDATE OR REPLACE unique_shelf SET a = new.b WHERE a = old.b;
    END;
    CREATE TRIGGER noted INSTEAD OF UPDATE ON notes BEGIN
      UPDATE parent SET note = new.note WHERE id = old.id;
    END;
    CREATE VIRTUAL TABLE words USING fts5(text);
    CREATE VIRTUAL TABLE shown USING fts5(note, content='notes', content_rowid='id');
    CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT, a);
    CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1);
    INSERT INTO parent(id, name, size, note) VALUES (1, 'a', 1, ''), (2, 'b', 2, ''), (3, 'c', 0, '');
    INSERT INTO child VALUES (1, 1, 'x'), (2, 2, 'y');
    INSERT INTO grandchild VALUES (1, 1, 'z');
    INSERT INTO keyed VALUES ('k', 1, ''), ('l', 2, '');
    INSERT INTO plain VALUES (1, 2), (3, 4);
    INSERT INTO strict VALUES (1, 1, NULL), (2, 2, NULL);
    INSERT INTO shelf VALUES (1, 1);
    INSERT INTO unique_shelf VALUES (1, 1), (2, 2);
    INSERT INTO words VALUES ('one two');
    INSERT INTO boxes VALUES (1, 0, 1);
    """

  static func withDatabase<Result>(
    configuration: Configuration = Configuration(), _ body: (Database) async throws -> Result
  ) async throws -> Result {
    try await withTemporaryDatabase(configuration: configuration, script: script, body)
  }
}

/// A query observed without a waiting task: when a write returns, its effect on the query is known.
struct ObservedQuery {
  private let observation: DatabaseObserver
  private let read: @Sendable (isolated Connection) throws -> [String]

  init(_ sql: String, in database: Database) async throws {
    try await self.init(database) { db in
      try db.query(SQL(raw: sql)).map { "\($0.values)" }
    }
  }

  init(
    in database: Database, _ read: @escaping @Sendable (isolated Connection) throws -> String
  ) async throws {
    try await self.init(database) { db in [try read(db)] }
  }

  private init(
    _ database: Database, _ read: @escaping @Sendable (isolated Connection) throws -> [String]
  ) async throws {
    observation = try await DatabaseObserver(of: database)
    self.read = read
    _ = try await rows()
  }

  /// Reads the rows as text, and resets ``isChanged``.
  @discardableResult
  func rows() async throws -> [String] { try await observation.value(read) }

  /// True if a commit has notified the observation since ``rows()``.
  var isChanged: Bool { observation.isChanged }
}
