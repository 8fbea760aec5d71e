import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("note") private struct Note {
  let id: Int64
  var text: String
}

private let notes = Table<Note>()

/// The traced statements.
private final class Log: Sendable {
  private let entries = Mutex<[TracedStatement]>([])
  var statements: [TracedStatement] { entries.withLock { $0 } }
  func add(_ statement: TracedStatement) { entries.withLock { $0.append(statement) } }
}

private let waits = SQLFunction("waits") { (microseconds: Int) in
  usleep(UInt32(microseconds))
  return microseconds
}

private func withNotes<Result>(
  slowerThan threshold: Duration = .zero, includingValues: Bool = false,
  key: Key = .raw(testKeyBytes), _ body: (Database, Log) async throws -> Result
) async throws -> Result {
  let log = Log()
  var configuration = Configuration()
  configuration.functions = [waits]
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

@Suite("Tracing statements")
struct StatementTraceTests {
  @Test("each statement is traced with its rows and its role, without values")
  func statements() async throws {
    try await withNotes { database, log in
      let before = log.statements.count
      let found = try await notes.where { $0.text == "secret 3" || $0.id > 4 }.fetchAll(
        in: database)
      try await database.write { db in try notes.delete(1, in: db) }
      let told = log.statements.dropFirst(before)
      #expect(found.count == 2)
      #expect(told.map(\.rowCount) == [0, 2, 0, 0, 0, 0])
      #expect(
        told.map(\.role) == Array(repeating: .reader, count: 3)
          + Array(repeating: .writer, count: 3))
      let first = told.map { $0.sql.split(separator: " ")[0] }
      #expect(first == ["BEGIN", "SELECT", "COMMIT", "BEGIN", "DELETE", "COMMIT"])
      for statement in log.statements {
        #expect(statement.expandedSQL == nil)
        #expect(!"\(statement)".contains("secret"))
        #expect(statement.duration >= .zero && statement.waited >= .zero)
      }
    }
  }

  @Test("rollbacks are traced as their statements")
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

  @Test("values are traced on request, and never a key")
  func values() async throws {
    let passphrase = "correct horse \(UUID())"
    try await withNotes(includingValues: true, key: .passphrase(passphrase)) { database, log in
      _ = try await notes.where { $0.text == "it's" }.fetchAll(in: database)
      let query = log.statements.last { $0.sql.hasPrefix("SELECT") }
      #expect(query?.expandedSQL?.contains("'it''s'") == true)
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

  @Test("statements below the threshold are not traced")
  func threshold() async throws {
    try await withNotes(slowerThan: .milliseconds(20)) { database, log in
      _ = try await database.read { db in
        try db.query(Int.self, "SELECT waits(30000)")
      }
      let slow = try #require(log.statements.last { $0.sql.hasPrefix("SELECT waits") })
      #expect(slow.duration >= .milliseconds(20))
      #expect(slow.rowCount == 1)
      #expect(log.statements.allSatisfy { $0.duration >= .milliseconds(20) })
    }
  }

  @Test("the time that a call waited for its connection is traced")
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

  @Test("internal statements of a full-text index are not traced")
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
