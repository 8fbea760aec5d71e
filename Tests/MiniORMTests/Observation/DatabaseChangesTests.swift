import Testing

@testable import MiniORM

@Suite("Committed changes, by table and row")
struct DatabaseChangesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let write: String
    let changes: [String]

    init(_ write: String, _ changes: String...) { (self.write, self.changes) = (write, changes) }
    var testDescription: String { write }
  }

  static let cases = [
    Case("INSERT INTO plain VALUES (8, 9), (9, 9)", "main.plain insert 3, insert 4"),
    Case("UPDATE plain SET b = 0 WHERE a = 1", "main.plain update 1"),
    Case("DELETE FROM plain WHERE a = 3", "main.plain delete 2"),
    Case("DELETE FROM plain", "main.plain delete 1, delete 2"),
    Case(
      "DELETE FROM parent WHERE id = 1",
      "main.child delete 1", "main.grandchild update 1", "main.parent delete 1"),
    Case("DELETE FROM parent WHERE id = 3", "main.parent delete 3"),
    Case(
      "INSERT INTO parent(name, size) VALUES ('a', 5) ON CONFLICT (name) DO UPDATE SET size = 5",
      "main.parent update 1"),
    Case("UPDATE keyed SET extra = 'e'", "main.keyed ?"),
    Case("UPDATE keyed SET value = 3 WHERE code = 'k'", "main.keyed ?", "main.log insert 1"),
    Case(
      "INSERT OR REPLACE INTO parent(id, name) VALUES (1, 'x')", "main.child delete 1",
      "main.grandchild update 1", "main.parent insert 1 ?"),
    Case(
      "REPLACE INTO parent(id, name) VALUES (1, 'x')", "main.child delete 1",
      "main.grandchild update 1", "main.parent insert 1 ?"),
    Case("INSERT INTO strict VALUES (1, 5, NULL)", "main.strict insert 3 ?"),
    Case("UPDATE parent SET id = 9 WHERE id = 3", "main.parent update 9 ?"),
    Case("UPDATE notes SET note = 'n' WHERE id = 1", "main.parent update 1"),
    Case("INSERT INTO words VALUES ('three')", "main.words ?"),
    Case(
      "SAVEPOINT a; INSERT INTO other VALUES (1); ROLLBACK TO a; RELEASE a; DELETE FROM plain",
      "main.plain delete 1, delete 2"),
    Case("SAVEPOINT a; INSERT INTO other VALUES (1); RELEASE a", "main.other insert 1"),
    Case("CREATE TABLE fresh(a)", "everything"),
    Case("DROP TABLE other; DELETE FROM plain", "everything"),
  ]

  @Test(
    "each kind of write is reported, also beside a row observer", arguments: cases,
    [false, true])
  func kinds(_ change: Case, isObservedByRow: Bool) async throws {
    try await ObservedTables.withDatabase { database in
      let row = try await ObservedQuery(in: database) { db in
        "\(isObservedByRow ? try Table<ParentRow>().find(1, in: db) as Any : 0)"
      }
      #expect(database.observationHub.isObservedByRow == isObservedByRow)
      defer { withExtendedLifetime(row) {} }
      // Compiled before any observation of row changes starts.
      try await database.write { try $0.execute("DELETE FROM log") }
      var changes = database.changes().makeAsyncIterator()
      try await database.write { try $0.execute(script: change.write) }
      let told = await changes.next().map(text)
      #expect(told == change.changes)
      let tables = try await database.values(
        "SELECT count(*) FROM sqlite_schema WHERE name = 'other'")
      #expect(tables == [.integer(change.write.utf8.starts(with: "DROP".utf8) ? 0 : 1)])
    }
  }

  @Test("rolled-back changes and failed statements are not reported")
  func rollback() async throws {
    struct Stop: Error {}
    try await ObservedTables.withDatabase { database in
      var changes = database.changes().makeAsyncIterator()
      await #expect(throws: Stop.self) {
        try await database.write { db in
          try db.execute("INSERT INTO other VALUES (1)")
          throw Stop()
        }
      }
      try await database.write { db in
        _ = try? db.execute("INSERT INTO parent(name) VALUES ('n'), ('a')")
        try db.execute("INSERT INTO other VALUES (2)")
      }
      #expect(await changes.next().map(text) == ["main.other insert 1"])
    }
  }

  @Test("a savepoint whose release failed is rolled back as a whole")
  func failedRelease() async throws {
    try await ObservedTables.withDatabase { database in
      try await database.write { db in
        try db.execute(
          script: """
            CREATE TABLE target(id INTEGER PRIMARY KEY);
            CREATE TABLE source(target REFERENCES target(id) DEFERRABLE INITIALLY DEFERRED)
            """)
      }
      var changes = database.changes().makeAsyncIterator()
      try await database.withoutTransaction { db in
        try db.execute("SAVEPOINT a")
        try db.execute("INSERT INTO source VALUES (7)")
        #expect(throws: DatabaseError.self) { try db.execute("RELEASE a") }
        try db.execute("ROLLBACK TO a")
        try db.execute("INSERT INTO target VALUES (1)")
        try db.execute("RELEASE a")
      }
      #expect(await changes.next().map(text) == ["main.target insert 1"])
    }
  }

  @Test("removing an observer twice is safe")
  func removedTwice() throws {
    let subscribers = ChangeSubscribers()
    let first = try #require(subscribers.insert { _ in })
    let second = try #require(subscribers.insert { _ in })
    subscribers.remove(first)
    subscribers.remove(first)
    #expect(subscribers.isWanted)
    subscribers.remove(second)
    #expect(!subscribers.isWanted)
  }

  @Test(
    "unread commits are merged in order, up to a maximum number of rows")
  func together() async throws {
    try await ObservedTables.withDatabase { database in
      var changes = database.changes().makeAsyncIterator()
      for number in 1...3 {
        try await database.write { try $0.execute("INSERT INTO other VALUES (\(number))") }
      }
      try await database.write { try $0.execute("DELETE FROM other WHERE value = 2") }
      #expect(
        await changes.next().map(text) == ["main.other insert 1, insert 2, insert 3, delete 2"])
      try await database.write { db in
        try db.execute(
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
          INSERT INTO other SELECT i FROM n
          """)
      }
      #expect(await changes.next().map(text) == ["main.other ?"])
    }
  }

  @Test("an observer that begins during a transaction reads everything")
  func middle() async throws {
    try await ObservedTables.withDatabase { database in
      let iterator = try await database.write { db in
        try db.execute("INSERT INTO other VALUES (1)")
        let iterator = database.changes().makeAsyncIterator()
        try db.execute("INSERT INTO plain VALUES (1, 2)")
        return Handed(iterator)
      }
      var changes = iterator.value
      #expect(await changes.next().map(text) == ["everything"])
    }
  }

  @Test("observing a table reports no changes of other tables")
  func table() async throws {
    try await withPeople { database, people in
      try await database.write { try $0.execute("CREATE TABLE t(a)") }
      var changes = people.changes(in: database).makeAsyncIterator()
      try await database.write { try $0.execute("INSERT INTO t VALUES (1)") }
      try await people.delete(2, in: database)
      #expect(await changes.next().map(text) == ["main.person delete 2"])
    }
  }

  @Test("table names that differ only in their bytes are different tables")
  func names() async throws {
    try await ObservedTables.withDatabase { database in
      let (one, two) = ("caf\u{e9}", "cafe\u{301}")
      try await database.write { db in
        try db.execute(script: "CREATE TABLE \"\(one)\"(a); CREATE TABLE \"\(two)\"(a)")
      }
      var changes = database.changes().makeAsyncIterator()
      try await database.write { db in
        try db.execute("INSERT INTO \(identifier: one) VALUES (1), (2)")
        try db.execute("INSERT INTO \(identifier: two) VALUES (1)")
      }
      let told = try #require(await changes.next()).tables
      #expect(told.map { Array($0.table.utf8) } == [Array(two.utf8), Array(one.utf8)])
      #expect(told.map(\.rows.count) == [1, 2])
    }
  }

  @Test("the observation ends with its task and with the database, and releases everything")
  func ending() async throws {
    try await ObservedTables.withDatabase { database in
      let task = Task {
        for await _ in database.changes() {}
        return true
      }
      while !database.observationHub.subscribers.isWanted { await Task.yield() }
      task.cancel()
      #expect(await task.value)
      #expect(!database.observationHub.subscribers.isWanted)
      var changes = database.changes().makeAsyncIterator()
      var idle = database.changes().makeAsyncIterator()
      try await database.write { try $0.execute("INSERT INTO other VALUES (1)") }
      #expect(await idle.next().map(text) == ["main.other insert 1"])
      try await database.close()
      // Earlier commits are not lost.
      #expect(await changes.next().map(text) == ["main.other insert 1"])
      #expect(await changes.next() == nil)
      #expect(await idle.next() == nil)
      var late = database.changes().makeAsyncIterator()
      #expect(await late.next() == nil)
    }
  }

  private struct Handed: @unchecked Sendable {
    let value: DatabaseChanges.AsyncIterator
    init(_ value: DatabaseChanges.AsyncIterator) { self.value = value }
  }

  private func text(_ changes: CommittedChanges) -> [String] {
    if changes.isEverything { return ["everything"] }
    return changes.tables.map { table in
      let rows = table.rows.map { "\($0.kind) \($0.rowID)" }.joined(separator: ", ")
      return ["\(table.database).\(table.table)", rows, table.isComplete ? "" : "?"]
        .filter { !$0.isEmpty }.joined(separator: " ")
    }
  }
}
