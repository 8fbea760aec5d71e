import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("note") private struct Note {
  let id: Int64
  var text: String
}

private let notes = Table<Note>()

/// What was told.
private final class Log: Sendable {
  private let entries = Mutex<[TracedStatement]>([])
  var statements: [TracedStatement] { entries.withLock { $0 } }
  func add(_ statement: TracedStatement) { entries.withLock { $0.append(statement) } }
}

private func withNotes<Result>(
  slowerThan threshold: Duration = .zero, includingValues: Bool = false,
  key: Key = .raw(testKeyBytes), _ body: (Database, Log) async throws -> Result
) async throws -> Result {
  let log = Log()
  var configuration = Configuration()
  configuration.trace = StatementTrace(slowerThan: threshold, includingValues: includingValues) {
    log.add($0)
  }
  return try await withTemporaryDatabase(key: key, configuration: configuration) { database in
    try await database.migrate(DatabaseSchema(Note.self))
    try await notes.insert(
      contentsOf: (1...5).map { Note.Draft(text: "secret \($0)") }, in: database)
    return try await body(database, log)
  }
}

/// The thread that this is called on.
private func thread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

/// Whose thread a statement runs on.
private enum Place { case caller, connection }

/// Knows where the last statement ran.
private struct Places {
  let last: Last

  final class Last: Sendable {
    let thread = Mutex<ObjectIdentifier?>(nil)
  }

  /// Runs a closure, and expects the last of its statements on a thread.
  ///
  /// What may run on the caller's does not where the connection is in use, and the thread that has just answered the
  /// caller may not have let go of it yet: so it is tried again.
  func expect(
    _ place: Place, _ location: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
  ) async throws {
    var found = Place.connection
    for _ in 1...(place == .caller ? 100 : 1) where found == .connection {
      last.thread.withLock { $0 = nil }
      let caller = thread()
      try await body()
      let ran = try #require(last.thread.withLock { $0 }, sourceLocation: location)
      found = ran == caller ? .caller : .connection
    }
    #expect(found == place, sourceLocation: location)
  }
}

private func withPlaces(_ body: (Database, Places) async throws -> Void) async throws {
  let last = Places.Last()
  var configuration = Configuration()
  configuration.trace = StatementTrace { _ in last.thread.withLock { $0 = thread() } }
  try await withTemporaryDatabase(configuration: configuration) { database in
    try await database.migrate(DatabaseSchema(Note.self))
    try await notes.insert(contentsOf: (1...5).map { Note.Draft(text: "\($0)") }, in: database)
    try await body(database, Places(last: last))
  }
}

@Suite("Tracing statements")
struct StatementTraceTests {
  @Test("each statement is told with its rows, its role and without values")
  func statements() async throws {
    try await withNotes { database, log in
      let before = log.statements.count
      let found = try await notes.where { $0.text == "secret 3" || $0.id > 4 }.fetchAll(
        in: database)
      try await database.write { db in try notes.delete(1, in: db) }
      let told = log.statements.dropFirst(before)
      #expect(found.count == 2)
      #expect(told.map(\.rowCount) == [2, 0, 0, 0])
      #expect(told.map(\.role) == [.reader, .writer, .writer, .writer])
      #expect(told.map(\.sql).dropFirst().first == "BEGIN IMMEDIATE")
      #expect(told.last?.sql == "COMMIT")
      for statement in log.statements {
        #expect(statement.expandedSQL == nil)
        #expect(!"\(statement)".contains("secret"))
        #expect(statement.duration >= .zero && statement.waited >= .zero)
      }
    }
  }

  @Test("what is undone is told as the statements that undo it, and no others")
  func undone() async throws {
    struct Stop: Error {}
    try await withNotes { database, log in
      for isNested in [false, true] {
        let before = log.statements.count
        try? await database.write { db in
          try notes.delete(1, in: db)
          guard isNested else { throw Stop() }
          try? db.transaction { db in
            try notes.delete(2, in: db)
            throw Stop()
          }
        }
        let told = log.statements.dropFirst(before).map(\.sql)
        let delete = try #require(told.dropFirst().first)
        let nested = ["SAVEPOINT miniorm_1", delete, "ROLLBACK TO miniorm_1", "RELEASE miniorm_1"]
        #expect(
          told == ["BEGIN IMMEDIATE", delete] + (isNested ? nested + ["COMMIT"] : ["ROLLBACK"]))
      }
    }
  }

  @Test("what counts all rows does not begin on the thread of the caller: one instruction does it")
  func counting() async throws {
    try await withPlaces { database, places in
      let one = PreparedQuery(Int64.self) { id in notes.where { $0.id == id } }
      let all = PreparedQuery { notes.select { _ in SQL.count() } }
      // A reader is opened, and each statement is found in the cache the second time.
      for _ in 1...2 {
        try await places.expect(.caller) { _ = try await notes.find(1, in: database) }
        try await places.expect(.caller) { _ = try await one.fetchOne(2, in: database) }
        let some = notes.where { $0.text > "" }.select { _ in SQL.count() }
        try await places.expect(.caller) { _ = try await some.fetchOne(in: database) }
        try await places.expect(.caller) { _ = try await notes.exists(in: database) }

        let count = notes.select { _ in SQL.count() }
        try await places.expect(.connection) { _ = try await count.fetchOne(in: database) }
        try await places.expect(.connection) { _ = try await all.fetchOne(in: database) }
        let nested = notes.select { _ in count.scalar() }
        try await places.expect(.connection) { _ = try await nested.fetchOne(in: database) }
        try await places.expect(.connection) { _ = try await notes.count(in: database) }
      }
    }
  }

  @Test(
    "a query that is observed begins on the thread of the task that observes, a closure does not")
  func observing() async throws {
    try await withPlaces { database, places in
      _ = try await notes.fetchAll(in: database)
      try await places.expect(.caller) {
        var values = notes.where { $0.id == 1 }.values(in: database).makeAsyncIterator()
        _ = try await values.next()
      }
      try await places.expect(.caller) {
        var pairs = notes.select { ($0.id, $0.text) }.values(in: database).makeAsyncIterator()
        _ = try await pairs.next()
      }
      // SQL could write, which is refused there.
      var texts = database.values(String.self, "SELECT text FROM note").makeAsyncIterator()
      try await places.expect(.connection) { _ = try await texts.next() }
      var closures = database.values { db in try notes.find(1, in: db) }.makeAsyncIterator()
      try await places.expect(.connection) { _ = try await closures.next() }
    }
  }

  @Test(
    "what was too long for the thread of the caller does not begin there again, until it is short")
  func long() async throws {
    try await withNotes { database, log in
      func runs(_ count: Int) async throws -> Int {
        let before = log.statements.count
        let found = try await notes.order { $0.text.descending }.fetchAll(in: database)
        #expect(found.count == count)
        return log.statements.count - before
      }
      #expect(try await runs(5) == 1)
      try await notes.insert(
        contentsOf: (0..<4_000).map { Note.Draft(text: "\($0)") }, in: database)
      // Once on each of the two threads.
      #expect(try await runs(4_005) == 2)
      #expect(try await runs(4_005) == 1)
      #expect(try await runs(4_005) == 1)
      try await notes.where { $0.id > 5 }.deleteAll(in: database)
      #expect(try await runs(5) == 1)
      #expect(try await runs(5) == 1)
      try await notes.insert(
        contentsOf: (0..<4_000).map { Note.Draft(text: "\($0)") }, in: database)
      #expect(try await runs(4_005) == 2)
    }
  }

  @Test("values are there where they are asked for, and never a key")
  func values() async throws {
    let passphrase = "correct horse \(UUID())"
    try await withNotes(includingValues: true, key: .passphrase(passphrase)) { database, log in
      _ = try await notes.where { $0.text == "it's" }.fetchAll(in: database)
      #expect(log.statements.last?.expandedSQL?.contains("'it''s'") == true)
      try await withTemporaryPath { path in
        try await database.attach(path, as: "other", key: .passphrase(passphrase + "2"))
        _ = try? await database.withoutTransaction { db in
          try db.execute("ATTACH 'x' AS y KEY 'correct horse'")
        }
        try await database.detach("other")
      }
      try await database.changeKey(to: .passphrase(passphrase + "3"))
      _ = try await notes.count(in: database)
      for statement in log.statements {
        #expect(!"\(statement) \(statement.sql)".contains("correct horse"))
      }
    }
  }

  @Test("what is faster than the threshold is not told")
  func threshold() async throws {
    try await withNotes(slowerThan: .milliseconds(20)) { database, log in
      _ = try await database.read { db in
        try db.query(
          Int.self,
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000) SELECT count(*) FROM n"
        )
      }
      let slow = try #require(log.statements.last { $0.sql.hasPrefix("WITH RECURSIVE") })
      #expect(slow.duration >= .milliseconds(20))
      #expect(slow.rowCount == 1)
      #expect(log.statements.allSatisfy { $0.duration >= .milliseconds(20) })
    }
  }

  @Test("how long a call waited for its connection is told")
  func waiting() async throws {
    try await withNotes { database, log in
      let door = Door()
      let first = Task { try await database.write { _ in door.pass() } }
      await door.wait(for: 1)
      let second = Task { try await notes.insert(Note.Draft(text: "late"), in: database) }
      while database.statistics().waitingCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
      try await Task.sleep(for: .milliseconds(30))
      door.open()
      _ = try await (first.value, second.value)
      let insert = try #require(log.statements.last { $0.sql.hasPrefix("INSERT") })
      #expect(insert.waited >= .milliseconds(30))
      _ = try await notes.find(1, in: database)
      #expect(log.statements.last?.waited == .zero)
      let statistics = database.statistics()
      #expect(statistics.waitCount == 1 && statistics.waitingCount == 0)
      #expect(statistics.longestWait >= .milliseconds(30))
      #expect(statistics.totalWait == statistics.longestWait)
    }
  }

  @Test("a full-text index's own statements are not told")
  func fullText() async throws {
    let log = Log()
    var configuration = Configuration()
    configuration.trace = StatementTrace { log.add($0) }
    try await withTemporaryDatabase(configuration: configuration) { database in
      try await database.write { db in
        try db.execute("CREATE VIRTUAL TABLE search USING fts5(body)")
        try db.execute("INSERT INTO search VALUES ('one two')")
      }
      #expect(log.statements.map { $0.sql.prefix(6) } == ["BEGIN ", "CREATE", "INSERT", "COMMIT"])
    }
  }
}
