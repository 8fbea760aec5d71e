import CSQLCipher
import Foundation
import Synchronization
import Testing

@testable import MiniORM

/// Read-only connections on a file with a hot rollback journal.
@Suite("Hot journals")
struct HotJournalTests {
  @Table("note") struct Note: Equatable {
    let id: Int64
    var text: String
  }

  /// Ways to begin a read.
  enum Way: String, CaseIterable, Sendable {
    case query, fetch, noRows, script, newTable, values, attached, readings

    /// Counts the notes.
    func count(_ database: Database) async throws -> Int {
      switch self {
      case .query:
        return try await database.read {
          try $0.value(Int.self, "SELECT count(*) FROM note") ?? -1
        }
      case .fetch: return try await Table<Note>().fetchAll(in: database).count
      case .noRows:
        let none = try await Table<Note>().where { $0.id == 0 }.fetchAll(in: database)
        return none.isEmpty ? try await Table<Note>().count(in: database) : -1
      case .script:
        return try await database.read { db in
          try db.execute(script: "SELECT 1 FROM note; SELECT 2 FROM note")
          return try Table<Note>().count(in: db)
        }
      case .newTable:
        // A table that the connection's schema does not include yet.
        return try await database.read {
          try $0.value(Int.self, "SELECT count(*) FROM later") ?? -1
        }
      case .values:
        for try await count in database.values({ try Table<Note>().count(in: $0) }) { return count }
        return -1
      case .attached:
        return try await database.read {
          try $0.value(Int.self, "SELECT count(*) FROM other.note") ?? -1
        }
      case .readings:
        return try await database.read { db in
          let first = try Table<Note>().count(in: db)
          let second = try db.value(Int.self, "SELECT count(*) FROM other.note") ?? -1
          return first == second ? first : -1
        }
      }
    }
  }

  private static let key = Key.raw(testKeyBytes)
  private static let count = 400
  private static let change = "UPDATE note SET text = 'changed ' || id || text"

  private static func configuration(isReadOnly: Bool = false) -> Configuration {
    var configuration = Configuration()
    configuration.journalMode = .delete
    configuration.isReadOnly = isReadOnly
    return configuration
  }

  private static func make(_ path: String) async throws {
    let database = try await Database(path: path, key: key, configuration: configuration())
    try await database.migrate(DatabaseSchema(Note.self))
    try await database.write { db in
      for id in 1...count {
        try Table<Note>().insert(
          Note(id: Int64(id), text: String(repeating: "text", count: 40)), in: db)
      }
    }
    try await database.close()
  }

  /// Creates and opens a.db, with b.db attached.
  private static func openBoth(in folder: String) async throws -> Database {
    let (path, other) = (folder + "/a.db", folder + "/b.db")
    for path in [path, other] { try await make(path) }
    let database = try await Database(path: path, key: key, configuration: configuration())
    try await database.attach(other, as: "other", key: key)
    return database
  }

  private static func makeAnotherTable(_ path: String) async throws {
    let database = try await Database(path: path, key: key, configuration: configuration())
    try await database.write { db in
      try db.execute("CREATE TABLE later AS SELECT * FROM note")
    }
    try await database.close()
  }

  #if os(Linux)
    @Test(
      "a rollback by another connection does not make readers fail",
      arguments: Way.allCases, [false, true])
    func phantom(way: Way, isReadOnly: Bool) async {
      await #expect(processExitsWith: .success) {
        [name = way.rawValue as String, isReadOnly = isReadOnly as Bool] in
        let way = try #require(Way(rawValue: name))
        try #require(FaultyDisk.install())
        try await withTemporaryDirectory { folder throws in
          let (path, other) = (folder + "/a.db", folder + "/b.db")
          for path in [path, other] { try await Self.make(path) }
          func look() { FaultyDisk.phantomJournals.store(2, ordering: .relaxed) }
          // A connection that can write rechecks the journal itself, and then sees that none
          // exists.
          func lookReading() { if isReadOnly { look() } }
          func expectLooked(_ what: String) {
            #expect(FaultyDisk.phantomJournals.load(ordering: .relaxed) <= 0, "\(what)")
            FaultyDisk.phantomJournals.store(0, ordering: .relaxed)
          }
          lookReading()
          let database = try await Database(
            path: path, key: Self.key, configuration: Self.configuration(isReadOnly: isReadOnly))
          expectLooked("opening")
          lookReading()
          try await database.attach(other, as: "other", key: Self.key)
          expectLooked("attaching")
          if way == .newTable { try await Self.makeAnotherTable(path) }
          for _ in 0..<3 {
            look()
            #expect(try await way.count(database) == Self.count)
            expectLooked("reading")
          }
          try await database.close()
        }
      }
    }
  #endif

  @Test(
    "the first reader rolls back the journal of a dead process",
    arguments: Way.allCases, ["a.db", "b.db"])
  func left(way: Way, file: String) async throws {
    try await withTemporaryDirectory { folder in
      let database = try await Self.openBoth(in: folder)
      if way == .newTable { try await Self.makeAnotherTable(folder + "/a.db") }
      // The next read must not reuse earlier results of a connection.
      let hot = folder + "/" + file
      try leaveJournal(hot, changing: Self.change)
      #expect(DatabaseFile.exists(hot + "-journal"))
      #expect(try await way.count(database) == Self.count)
      #expect(try await Way.readings.count(database) == Self.count)
      #expect(!DatabaseFile.exists(hot + "-journal"))
      let texts = try await database.read { db in
        try db.query("SELECT text FROM note UNION SELECT text FROM other.note").count
      }
      #expect(texts == 1)
      try await database.close()
    }
  }

  @Test("an additional reading connection rolls back the journal too", arguments: ["a.db", "b.db"])
  func further(file: String) async throws {
    try await withTemporaryDirectory { folder in
      let database = try await Self.openBoth(in: folder)
      // The open connection runs no statement, so it does not check for a journal.
      let door = Door()
      let reader = Task { try await database.read { _ in door.pass() } }
      await door.wait(for: 1)
      try leaveJournal(folder + "/" + file, changing: Self.change)
      let count = Task { try await Way.readings.count(database) }
      let result = await count.result
      door.open()
      try await reader.value
      #expect(try result.get() == Self.count)
      #expect(!DatabaseFile.exists(folder + "/" + file + "-journal"))
      try await database.close()
    }
  }

  @Test("a read-only connection gets an error that names the remedy", arguments: Way.allCases)
  func readOnly(way: Way) async throws {
    try await withTemporaryDirectory { folder in
      let (path, other) = (folder + "/a.db", folder + "/b.db")
      for path in [path, other] { try await Self.make(path) }
      if way == .newTable { try await Self.makeAnotherTable(path) }
      let database = try await Database(
        path: path, key: Self.key, configuration: Self.configuration(isReadOnly: true))
      try await database.attach(other, as: "other", key: Self.key)
      try leaveJournal(way == .attached ? other : path, changing: Self.change)
      let error = try await failure { try await way.count(database) }
      #expect(error.code.rawValue == HotJournal.code)
      #expect(error.message.contains("open the file once where it is writable"))
      // A hot journal of an attached file does not block reads of the main file.
      if way == .attached { #expect(try await Way.query.count(database) == Self.count) }
      try await database.close()
    }
  }
}
