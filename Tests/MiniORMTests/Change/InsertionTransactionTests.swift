import CSQLCipher
import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("grain", options: []) private struct Grain: Equatable {
  let id: Int64
  var text: String
  @Column(.unique) var number: Int
  var real: Double?
}

/// The same columns, and a property that is not stored.
@Table("grain", options: []) private struct MarkedGrain: Equatable {
  let id: Int64
  var text: String
  var number: Int
  var real: Double?
  @Transient var mark = 0
}

/// A type that uses the model's INSERT statement.
private struct GrainLine: Insertable {
  typealias Stored = Grain
  static var omitsRowID: Bool { false }
  var line: String

  func bind(to statement: borrowing Statement, at first: Int32) throws(DatabaseError) {
    let words = line.split(separator: " ")
    try statement.bind(Int64(words[0]), String(words[1]), Int(words[0]), Double?.none, at: first)
  }
}

private let grains = Table<Grain>()
private let schema = DatabaseSchema(Grain.self)

/// The first word of each statement, except those that open the file.
private final class Log: Sendable {
  private let words = Mutex<[String]>([])
  func add(_ sql: String) {
    words.withLock { $0.append(String(sql.prefix(while: { $0 != " " }))) }
  }
  func take() -> [String] {
    words.withLock { words in
      defer { words = [] }
      return words
    }
  }
}

@Suite("Transactions of insertions")
struct InsertionTransactionTests {
  private let log = Log()

  /// Calls a closure with a database that contains a row.
  private func withGrains(
    key: Key? = nil, _ body: (_ database: Database, _ path: String) async throws -> Void
  ) async throws {
    var configuration = Configuration()
    configuration.trace = StatementTrace(slowerThan: .zero) { [log] in log.add($0.sql) }
    try await withTemporaryPath { path throws in
      let database = try await Database(path: path, key: key, configuration: configuration)
      try await database.migrate(schema)
      try await grains.insert(Grain.Draft(text: "first", number: 1), in: database)
      _ = log.take()
      try await body(database, path)
      try await database.close()
    }
  }

  @Test(
    "an insertion takes the write lock at once, and reads its row in the same transaction",
    arguments: [false, true])
  func statements(isEncrypted: Bool) async throws {
    try await withGrains(key: isEncrypted ? .raw(testKeyBytes) : nil) { database, path throws in
      let one = ["BEGIN", "INSERT", "SELECT", "COMMIT"]
      let stored = try await grains.insert(
        Grain.Draft(text: "a", number: 2, real: -0.0), in: database)
      #expect(log.take() == one)
      #expect(stored == Grain(id: 2, text: "a", number: 2, real: 0))
      try await database.write { db in
        for number in 3...4 { try grains.insert(Grain.Draft(text: "b", number: number), in: db) }
      }
      let nested = ["SAVEPOINT", "INSERT", "SELECT", "RELEASE"]
      #expect(log.take() == ["BEGIN"] + nested + nested + ["COMMIT"])
      #expect(try await grains.fetchAll(in: database).map(\.number) == [1, 2, 3, 4])
    }
  }

  @Test(
    "after another process changed the schema, the insertion reads the new row, or stores nothing",
    arguments: [
      "CREATE TRIGGER change AFTER INSERT ON grain BEGIN UPDATE grain SET text = 'b' WHERE id = NEW.id; END",
      "CREATE TRIGGER change AFTER INSERT ON grain BEGIN DELETE FROM grain WHERE id = NEW.id; END",
      "CREATE TRIGGER change BEFORE INSERT ON grain BEGIN SELECT RAISE(IGNORE); END",
      "DROP TABLE grain; CREATE TABLE grain (id INTEGER PRIMARY KEY, text INTEGER, number INTEGER, real REAL)",
      "DROP TABLE grain; CREATE TABLE grain (id INTEGER PRIMARY KEY, text, number TEXT, real INTEGER)",
      "DROP TABLE grain; CREATE TABLE grain (id INTEGER, text TEXT, number INTEGER, real REAL)",
      "DROP TABLE grain",
      "CREATE INDEX more ON grain (text)",
    ], [false, true])
  func changed(script: String, isObserved: Bool) async throws {
    try await withGrains { database, path throws in
      let changes = isObserved ? grains.changes(in: database) : nil
      var observed = changes?.makeAsyncIterator()
      try runSQL(script, on: path)
      _ = log.take()
      let draft = Grain.Draft(text: "007", number: 7, real: 0.5)
      for number in [7, 8, 9] {
        var draft = draft
        draft.number = number
        do {
          let stored = try await grains.insert(draft, in: database)
          let row = try await database.read { db in
            try db.query("SELECT * FROM grain WHERE number = \(number)").first
          }
          #expect(try row?[0]?.value(as: Int64.self) == stored.id)
          #expect(try row?[1]?.value(as: String.self) == stored.text)
          if script.contains("TRIGGER") { #expect(stored.text == "b") }
        } catch let error as DatabaseError {
          #expect(!script.contains("INDEX") && !script.contains("'b'"), "\(error)")
          let count = try? await database.read { db in
            try db.value(Int.self, "SELECT count(*) FROM grain WHERE number = \(number)")
          }
          #expect(count == (script == "DROP TABLE grain" ? nil : 0))
        }
      }
      if script.contains("INDEX") {
        #expect(try await grains.count(in: database) == 4)
        if isObserved {
          // Each insertion is reported once.
          var rows: [RowChange] = []
          while rows.count < 3, let change = await observed?.next() {
            rows += change.tables.flatMap(\.rows)
          }
          #expect(rows == (Int64(2)...4).map { RowChange(kind: .insert, rowID: $0) })
        }
      }
    }
  }

  @Test("a failed insertion stores nothing, and throws the error of its transaction")
  func constraint() async throws {
    try await withGrains { database, _ throws in
      let row = Grain(id: 7, text: "a", number: 1)
      let alone = try await failure { try await grains.insert(row, in: database) }
      let other = try await failure {
        try await database.write { db in try grains.insert(row, in: db) }
      }
      #expect(alone.facts == other.facts)
      #expect(alone.code == .constraintUnique)
      #expect(try await grains.count(in: database) == 1)
      let stored = try await grains.insert(Grain(id: 7, text: "a", number: 2), in: database)
      #expect(stored.id == 7)
    }
  }

  @Test("a property without a column has its default value in the row")
  func transient() async throws {
    let marked = Table<MarkedGrain>()
    try await withGrains { database, _ throws in
      let row = MarkedGrain(id: 9, text: "a", number: 9, mark: 3)
      try await grains.insert(Grain(id: 8, text: "a", number: 8), in: database)
      try await grains.insert(Grain(id: 7, text: "a", number: 7), in: database)
      #expect(try await marked.insert(row, in: database).mark == 0)
      #expect(try await grains.insert(Grain(id: 10, text: "a", number: 10), in: database).id == 10)
      let draft = MarkedGrain.Draft(text: "b", number: 11)
      #expect(
        try await marked.insert(draft, in: database) == MarkedGrain(id: 11, text: "b", number: 11))
    }
  }

  @Test("a row of a hand-written type is read as the model")
  func line() async throws {
    try await withGrains { database, _ throws in
      for id in Int64(2)...3 {
        try await grains.insert(Grain(id: id, text: "a", number: Int(id)), in: database)
      }
      let stored = try await grains.insert(GrainLine(line: "7 seven"), in: database)
      #expect(stored == Grain(id: 7, text: "seven", number: 7))
    }
  }

  @Test("an insertion waits for another connection's lock without blocking a thread")
  func lock() async throws {
    try await withGrains { database, path throws in
      var other: OpaquePointer?
      #expect(sqlite3_open(path, &other) == SQLITE_OK)
      defer { sqlite3_close(other) }
      #expect(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
      async let stored = grains.insert(Grain.Draft(text: "a", number: 2), in: database)
      // Reads succeed while the lock is held.
      #expect(try await grains.count(in: database) == 1)
      #expect(sqlite3_exec(other, "COMMIT", nil, nil, nil) == SQLITE_OK)
      #expect(try await stored.number == 2)
    }
  }

  @Test("an insertion joins the enclosing transaction, also a transaction begun by SQL")
  func inTransaction() async throws {
    try await withGrains { database, _ throws in
      let error = await #expect(throws: CancellationError.self) {
        try await database.write { db in
          try grains.insert(Grain.Draft(text: "a", number: 2), in: db)
          try grains.insert(Grain.Draft(text: "a", number: 3), in: db)
          throw CancellationError()
        }
      }
      #expect(error != nil)
      try await database.withoutTransaction { db in
        try db.execute("BEGIN")
        try grains.insert(Grain.Draft(text: "a", number: 2), in: db)
        try db.execute("ROLLBACK")
        try grains.insert(Grain.Draft(text: "a", number: 4), in: db)
        // A schema change in an SQL transaction is detected too.
        try db.execute("BEGIN")
        try db.execute(
          script: """
            DROP TABLE grain;
            CREATE TABLE grain (id INTEGER PRIMARY KEY, text INTEGER, number INTEGER, real REAL)
            """)
        let error = #expect(throws: DatabaseError.self) {
          try grains.insert(Grain.Draft(text: "007", number: 5), in: db)
        }
        #expect(error?.operation == .read)
        try db.execute("ROLLBACK")
      }
      #expect(try await grains.fetchAll(in: database).map(\.number) == [1, 4])
    }
  }

  @Test("observers of the table are notified of each insertion")
  func observed() async throws {
    try await withGrains { database, _ throws in
      var values = grains.select { $0.number }.values(in: database).makeAsyncIterator()
      #expect(try await values.next() == [1])
      for number in 2...4 {
        try await grains.insert(Grain.Draft(text: "a", number: number), in: database)
        #expect(try await values.next() == Array(1...number))
      }
      var changes = grains.changes(in: database).makeAsyncIterator()
      for number in 5...7 {
        let stored = try await grains.insert(Grain.Draft(text: "a", number: number), in: database)
        let change = await changes.next()
        #expect(change?.tables.flatMap(\.rows) == [RowChange(kind: .insert, rowID: stored.id)])
      }
    }
  }
}
