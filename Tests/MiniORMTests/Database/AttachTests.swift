import Testing

@testable import MiniORM

private let otherKey = [UInt8]((100..<132).map { UInt8($0) })
private let people = Table<Person>()
private let archived = Table<Person>(in: "archive")

/// Runs a test on a database with two people, and an attached file with other people.
func withArchive(
  models: DatabaseSchema = DatabaseSchema(Person.self),
  _ body: (Database, _ archive: String) async throws -> Void
) async throws {
  try await withTemporaryDirectory { folder throws in
    let path = folder + "/archive 'x\".db"
    let archive = try await Database(path: path, key: .raw(otherKey))
    try await archive.migrate(DatabaseSchema(Person.self))
    try await people.insert(contentsOf: Person.some, in: archive)
    try await archive.close()
    let database = try await Database(path: folder + "/main.db", key: .raw(testKeyBytes))
    try await database.migrate(models)
    if models.models.count == 1 {
      try await people.insert(contentsOf: Person.some.prefix(2), in: database)
    }
    try await database.attach(path, as: "archive", key: .raw(otherKey))
    try await body(database, path)
    try await database.close()
  }
}

@Suite("Attached databases")
struct AttachTests {
  @Test("attaching more databases than SQLite allows throws SQLite's error")
  func tooMany() async throws {
    try await withTemporaryDirectory { folder throws in
      let database = try await Database(path: folder + "/main.db", key: .raw(testKeyBytes))
      for number in 1...10 {
        try await database.attach(
          "\(folder)/\(number).db", as: "other\(number)", key: .raw(otherKey))
      }
      let error = try await failure {
        try await database.attach(folder + "/11.db", as: "other11", key: .raw(otherKey))
      }
      #expect(
        error.operation == .attach && error.code == .error
          && error.message.hasPrefix("too many attached databases - max 10"), "\(error)")
      try await database.close()
    }
  }

  @Test("schemas for names that are used once are not cached")
  func manyNames() async throws {
    try await withArchive { database, _ throws in
      for number in 0..<3 * AttachedSchemas.capacity {
        let table = Table<Person>(in: "tenant\(number)")
        #expect(table.sql.text.contains("\"tenant\(number)\""))
      }
      #expect(AttachedSchemas.count <= AttachedSchemas.capacity)
      for table in [archived, Table(in: "archive")] {
        #expect(try await table.fetchAll(in: database) == Person.some)
      }
    }
  }

  @Test("each call on an attached table reads and writes only that table")
  func calls() async throws {
    try await withArchive { database, path throws in
      #expect(try await people.count(in: database) == 2)
      #expect(try await archived.fetchAll(in: database) == Person.some)
      #expect(try await archived.find(5, in: database) == Person.some[4])
      #expect(try await archived.where { $0.age > 60 }.find(4, in: database) == Person.some[3])
      #expect(try await archived.sum(of: { $0.age }, in: database) == 182)
      #expect(try await archived.limit(2).max(of: { $0.age }, in: database) == 36)
      #expect(try await archived.where { $0.id > 5 }.exists(in: database) == false)

      let eva = try await archived.insert(Person.Draft(name: "Eva", age: 1), in: database)
      #expect(eva.id == 6)
      let more = (7...60).map { Person(id: $0, name: "P\($0)") }
      #expect(try await archived.insert(contentsOf: more, in: database) == 54)
      #expect(
        try await archived.update(Person(id: 6, name: "Eve 2"), in: database))
      #expect(try await archived.update(contentsOf: more, in: database) == 54)
      #expect(
        try await archived.where { $0.id > 10 }.limit(3).update { $0.age += 1 }.run(in: database)
          == 3)
      guard
        case .updated(let six) = try await archived.upsert(
          Person(id: 6, name: "Six"), onConflict: { $0.id }, in: database)
      else {
        Issue.record("not updated")
        return
      }
      #expect(six.name == "Six")
      guard
        case .unchanged = try await archived.upsert(
          six, onConflict: { $0.id }, updating: { $0.name }, in: database)
      else {
        Issue.record("not unchanged")
        return
      }
      #expect(try await archived.delete(60, in: database))
      #expect(try await archived.delete(keys: [59, 58], in: database) == 2)
      #expect(try await archived.where { $0.id > 6 }.deleteAll(in: database) == 51)
      #expect(try await people.fetchAll(in: database) == Array(Person.some.prefix(2)))
      #expect(try await archived.truncate(in: database) == 6)
      #expect(try await archived.insert(Person.Draft(name: "New"), in: database).id == 1)
      #expect(try await people.count(in: database) == 2)
    }
  }

  @Test("the SQL names the attached database as a quoted identifier")
  func text() throws {
    let columns = #""id", "name", "age", "score", "nickname", "isActive", "level""#
    let table = Table<Person>(in: "a\"b")
    #expect(table.sql.text == #"SELECT \#(columns) FROM "a""b"."person""#)
    let some = table.where { $0.age > 1 }.limit(1)
    let chosen =
      #"SELECT "id" FROM "a""b"."person" WHERE ("person"."age" > ?) LIMIT ?"#
    #expect(
      some.sql.text
        == #"SELECT \#(columns) FROM "a""b"."person" WHERE ("person"."age" > ?) LIMIT ?"#)
    #expect(some.delete().sql.text == #"DELETE FROM "a""b"."person" WHERE ("id") IN (\#(chosen))"#)
    #expect(
      some.update { $0.age += 1 }.sql.text
        == #"UPDATE "a""b"."person" SET "age" = ("person"."age" + ?) WHERE ("id") IN (\#(chosen))"#)
    #expect(Table<Person>(in: "a\"b").schema === table.schema)
  }

  @Test("reads, changes and dropped tables never fall back to an attached table")
  func fallThrough() async throws {
    try await withArchive { database, _ throws in
      #expect(try await people.fetchAll(in: database).count == 2)
      #expect(try await archived.count(in: database) == 5)
      try await database.write { db throws in try db.execute("DROP TABLE main.person") }
      // SQLite recompiles the cached statement automatically.
      let error = try await failure { try await people.fetchAll(in: database) }
      #expect(
        error.message
          == "no such table: person. The attached database archive has a table of this name: write archive.person"
      )
      #expect(error.code == .error)
      for call: @Sendable (Database) async throws -> Void in [
        { _ = try await people.insert(Person.some[0], in: $0) },
        { _ = try await people.find(1, in: $0) }, { _ = try await people.count(in: $0) },
        { _ = try await people.delete(1, in: $0) }, { _ = try await people.truncate(in: $0) },
        { _ = try await people.update(Person.some[0], in: $0) },
        { _ = try await people.update { $0.age = 1 }.run(in: $0) },
        { _ = try await people.upsert(Person.some[0], onConflict: { $0.id }, in: $0) },
      ] {
        let error = try await failure { try await call(database) }
        #expect(
          error.message
            == "no such table: person. The attached database archive has a table of this name: write archive.person"
        )
      }
      #expect(try await archived.fetchAll(in: database) == Person.some)
      // A schema change of the attached file makes SQLite recompile its statements.
      try await database.write { db throws in
        try db.execute("CREATE INDEX archive.by_name ON person(name)")
      }
      #expect(try await archived.fetchAll(in: database) == Person.some)
      #expect(try await archived.find(2, in: database) == Person.some[1])
      try await database.detach("ARCHIVE")
      let detached = try await failure { try await archived.fetchAll(in: database) }
      #expect(detached.message == "no such table: archive.person")
      let plain = try await failure { try await people.fetchAll(in: database) }
      #expect(plain.message == "no such table: person")
    }
  }

  @Test("joins, views, triggers, foreign keys and maintenance work with a qualified database")
  func named() async throws {
    try await withArchive { database, _ throws in
      try await database.write { db throws in
        #expect(
          try db.value(
            Int.self,
            #"SELECT count(*) FROM person JOIN "archive"."person" AS old USING (id)"#) == 2)
        #expect(
          try db.value(
            Int.self,
            "WITH c AS (SELECT id FROM [Archive] . person) SELECT count(*) FROM c") == 5)
        try db.execute(
          script: """
            CREATE TABLE archive.parent(id INTEGER PRIMARY KEY);
            CREATE TABLE archive.child(parent REFERENCES parent ON DELETE CASCADE);
            INSERT INTO archive.parent VALUES (1), (2);
            INSERT INTO archive.child VALUES (1), (1), (2);
            CREATE VIEW archive.young AS SELECT * FROM person WHERE age < 30;
            CREATE TRIGGER archive.t AFTER DELETE ON parent BEGIN DELETE FROM person WHERE id = 5; END;
            CREATE TEMP VIEW everybody AS SELECT id FROM main.person UNION ALL SELECT id FROM archive.person;
            CREATE TEMP TABLE log(id);
            CREATE TEMP TRIGGER copy AFTER INSERT ON main.person BEGIN
              INSERT INTO log SELECT count(*) + NEW.id FROM archive.child;
            END;
            """)
        #expect(try db.value(Int.self, "SELECT count(*) FROM archive.young") == 2)
        #expect(try db.value(Int.self, "SELECT count(*) FROM everybody") == 7)
        #expect(try db.execute("DELETE FROM archive.parent WHERE id = 1") == 1)
        #expect(try db.value(Int.self, "SELECT count(*) FROM archive.child") == 1)
        #expect(try db.value(Int.self, "SELECT count(*) FROM archive.person") == 4)
        try people.insert(Person(id: 9, name: "Ida"), in: db)
        #expect(try db.value(Int.self, "SELECT id FROM log") == 10)
        for sql: SQL in [
          "ANALYZE", "ANALYZE archive", "REINDEX", "PRAGMA optimize", "PRAGMA archive.user_version",
          "ALTER TABLE archive.child RENAME TO kid", "DROP TABLE archive.kid",
          "SELECT count(*) FROM pragma_table_list",
        ] { try db.execute(sql) }
        let error = #expect(throws: DatabaseError.self) {
          try db.execute("DROP TABLE parent")
        }
        #expect(
          error?.message
            == "The SQL uses the attached database archive without naming it: qualify the table's name"
        )
      }
      #expect(try await archived.count(in: database) == 4)
    }
  }

  @Test(
    "a wrong key, a missing file, a folder and a plain file give the same errors as for the main database"
  )
  func openings() async throws {
    try await withArchive { database, path throws in
      let wrong =
        "The key is wrong, the file has other cipher settings, or the file is damaged or not a database: SQLCipher reports the same code for all of them"
      let folder = DatabaseFile.parent(path)
      try await Database(path: folder + "/plain.db", key: nil).close()
      let plain = try await Database(path: folder + "/plain.db", key: nil)
      try await plain.write { db throws in try db.execute("CREATE TABLE t(a)") }
      try await plain.close()
      // A file that is attached already is refused for that reason.
      let archive = path
      let path = folder + "/other archive.db"
      try await Database(path: path, key: .raw(otherKey)).close()
      #expect(archive != path)
      let cases: [(String, Key?, ErrorFacts)] = [
        (path, .raw(testKeyBytes), ErrorFacts(.key, .notADatabase, wrong, path: path)),
        (
          path, nil,
          ErrorFacts(
            .key, .notADatabase,
            "The file is encrypted and no key was given, or it is not a database: give the key",
            path: path)
        ),
        (
          path, .raw([1]),
          ErrorFacts(
            .key, .misuse, "A raw key must have 32 bytes, not 1", path: path)
        ),
        (
          path, .passphrase(""),
          ErrorFacts(.key, .misuse, "The key is empty: give a passphrase or a raw key", path: path)
        ),
        (
          folder + "/plain.db", .raw(otherKey),
          ErrorFacts(
            .key, .notADatabase,
            "The file is not encrypted, but a key was given: open it without a key",
            path: folder + "/plain.db")
        ),
        (
          folder + "/none/x.db", nil,
          ErrorFacts(
            .open, ResultCode(rawValue: 14),
            "The folder \(folder)/none does not exist: create it first",
            path: folder + "/none/x.db")
        ),
        (
          folder, nil,
          ErrorFacts(
            .open, .cannotOpen, "The path leads to a folder: give the path of a file", path: folder)
        ),
        (
          ":memory:", nil,
          ErrorFacts(
            .attach, .misuse, "Only a file can be attached: give the path of a file",
            path: ":memory:")
        ),
      ]
      for (file, key, facts) in cases {
        let error = try await failure { try await database.attach(file, as: "other", key: key) }
        #expect(error.facts == facts)
      }
      try await database.attach(folder + "/plain.db", as: "other", key: nil)
      #expect(try await database.values("SELECT name FROM other.sqlite_schema") == [.text("t")])

      var configuration = Configuration()
      configuration.createsFile = false
      let other = try await Database(
        path: database.path, key: .raw(testKeyBytes), configuration: configuration)
      let error = try await failure {
        try await other.attach(folder + "/none.db", as: "none", key: .raw(otherKey))
      }
      #expect(
        error.facts
          == ErrorFacts(
            .open, .cannotOpen, "The file does not exist: check the path", path: folder + "/none.db"
          ))
      try await other.close()
    }
  }

  @Test(
    "a reserved, used or invalid name is refused",
    arguments: [
      (
        "main",
        "The name main is in use by another database of this connection: choose another name"
      ),
      (
        "TEMP",
        "The name TEMP is in use by another database of this connection: choose another name"
      ),
      (
        "Archive",
        "The name Archive is in use by another database of this connection: choose another name"
      ),
      (
        "",
        "The name of an attached database must not be empty or contain a NUL character: choose another name"
      ),
      (
        "a\0",
        "The name of an attached database must not be empty or contain a NUL character: choose another name"
      ),
    ])
  func names(name: String, message: String) async throws {
    try await withArchive { database, path throws in
      let error = try await failure {
        try await database.attach(path + "2", as: name, key: .raw(otherKey))
      }
      #expect(error.facts == ErrorFacts(.attach, .misuse, message, path: path + "2"))
      let detach = try await failure { try await database.detach("none") }
      #expect(
        detach.facts
          == ErrorFacts(
            .detach, .misuse, "No database is attached as none: check the name", path: database.path
          ))
      #expect(try await archived.count(in: database) == 5)
    }
  }

  @Test("a database in use cannot be detached")
  func inUse() async throws {
    try await withArchive { database, path throws in
      for connection in [database.reader, database.writer] {
        let error = try await failure { try await connection.detachDuringQuery("archive") }
        #expect(
          error.facts
            == ErrorFacts(
              .detach, .locked,
              "The attached database archive is in use: detach it when the transaction or query has ended",
              path: path))
      }
      #expect(try await archived.count(in: database) == 5)
      try await database.detach("archive")
      try await database.attach(path, as: "archive", key: .raw(otherKey))
      #expect(try await archived.count(in: database) == 5)
    }
  }

  @Test("a change of the main key keeps attached databases and their keys")
  func changeKey() async throws {
    try await withArchive { database, path throws in
      try await database.changeKey(to: .raw(testKeyBytes.reversed()))
      #expect(try await archived.count(in: database) == 5)
      #expect(try await archived.delete(1, in: database))
      let error = try await failure {
        try await database.read { db throws in try db.execute("DELETE FROM archive.person") }
      }
      #expect(error.code.primary == .readOnly)
      try await database.write { db throws in try db.execute("DROP TABLE main.person") }
      let missing = try await failure { try await people.count(in: database) }
      #expect(
        missing.message
          == "no such table: person. The attached database archive has a table of this name: write archive.person"
      )
      try await database.close()
      let archive = try await Database(path: path, key: .raw(otherKey))
      #expect(try await people.count(in: archive) == 4)
      try await archive.close()
    }
  }

  @Test("an attached key is in no SQL, no error and no cached statement")
  func secrecy() async throws {
    try await withArchive { database, path throws in
      let key = otherKey.hexadecimal
      _ = try await database.write { db throws in try db.query("SELECT 1") }
      _ = try await database.values("SELECT 1")
      for connection in [database.reader, database.writer] {
        let texts = await connection.cachedTexts
        #expect(!texts.isEmpty && !texts.contains { $0.contains(key) || $0.contains("KEY ?") })
      }
      let error = try await failure {
        try await database.attach(path + "/x", as: "b", key: .raw(otherKey))
      }
      #expect(!"\(error) \(error.failureReason ?? "")".contains(key))
      #expect(error.sql == nil)
    }
  }

  @Test(
    "a missing attached file is created with its own key, in each journal mode",
    arguments: [
      Configuration.JournalMode.wal, .delete,
    ])
  func creation(mode: Configuration.JournalMode) async throws {
    var configuration = Configuration()
    configuration.journalMode = mode
    try await withTemporaryDatabase(configuration: configuration) { database throws in
      let path = database.path + "-new"
      try await database.attach(path, as: "new", key: .raw(otherKey))
      try await database.write { db throws in
        try db.execute("CREATE TABLE new.t(a)")
        try db.execute("INSERT INTO new.t VALUES (1)")
      }
      #expect(try await database.values("SELECT a FROM new.t") == [.integer(1)])
      #expect(
        try await database.values("PRAGMA new.journal_mode") == [.text(mode.rawValue.lowercased())])
      try await database.detach("new")
      #expect(try !DatabaseFile.isPlain(path))
      let new = try await Database(path: path, key: .raw(otherKey))
      #expect(try await new.values("SELECT a FROM t") == [.integer(1)])
      try await new.close()
    }
  }

  @Test("a database in memory attaches files and other databases in memory")
  func memory() async throws {
    try await withArchive { other, path throws in
      try await other.close()
      let database = try await Database.inMemory()
      try await database.attach(path, as: "archive", key: .raw(otherKey))
      try await database.attach(":memory:", as: "notes", key: nil)
      try await database.write { db throws in try db.execute("CREATE TABLE notes.t(a)") }
      #expect(try await archived.count(in: database) == 5)
      try await database.detach("notes")
      #expect(try await archived.count(in: database) == 5)
      try await database.close()
    }
  }

  @Test("an attached passphrase is derived with the salt of the attached file")
  func passphrase() async throws {
    try await withTemporaryDatabase { database throws in
      let path = database.path + "-other"
      let other = try await Database(path: path, key: .passphrase("it's"))
      try await other.write { db throws in try db.execute("CREATE TABLE t AS SELECT 1 AS a") }
      try await other.close()
      try await database.attach(path, as: "other", key: .passphrase("it's"))
      #expect(try await database.values("SELECT a FROM other.t") == [.integer(1)])
    }
  }

  @Test("of tasks that attach under the same name, one succeeds, on both connections")
  func concurrent() async throws {
    try await withTemporaryDatabase { database throws in
      let path = database.path + "-other"
      let count = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<8 {
          group.addTask {
            do {
              try await database.attach(path, as: "other", key: .raw(otherKey))
              return true
            } catch { return false }
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(count == 1)
      try await database.write { db throws in try db.execute("CREATE TABLE other.t(a)") }
      #expect(try await database.values("SELECT count(*) FROM other.t") == [.integer(0)])
    }
  }
}

extension Connection {
  fileprivate func detachDuringQuery(_ name: String) throws {
    let statement = try statement("SELECT id FROM archive.person")
    _ = try statement.step()
    try detach(name)
  }

  fileprivate var cachedTexts: [String] { cache?.texts ?? [] }
}
