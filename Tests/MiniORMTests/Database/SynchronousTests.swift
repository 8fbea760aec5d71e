import Dispatch
import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("note") private struct Note {
  let id: Int64
  var text: String
}

private let notes = Table<Note>()

/// Typical calls of a program without async.
private func fill(_ database: Database) throws -> [String] {
  try database.writeSynchronously { db in
    try notes.insert(contentsOf: ["a", "b"].map { Note.Draft(text: $0) }, in: db)
  }
  return try database.readSynchronously { db in try notes.fetchAll(in: db).map(\.text) }
}

@Suite("Reads and writes without await")
struct SynchronousTests {
  @Test("read and write on the calling thread", arguments: TestPlace.allCases)
  func calling(place: TestPlace) async throws {
    try await place.withDatabase(script: "") { database in
      try await database.migrate(DatabaseSchema(Note.self))
      #expect(try fill(database) == ["a", "b"])
      try onThisThread(database)
      #expect(try await notes.count(in: database) == 2)
    }
  }

  private func onThisThread(_ database: Database) throws {
    let thread = Thread.current
    #expect(try database.readSynchronously { _ in Thread.current } === thread)
    #expect(try database.writeSynchronously { _ in Thread.current } === thread)
    let refused = #expect(throws: DatabaseError.self) {
      try database.readSynchronously { db in try notes.deleteAll(in: db) }
    }
    #expect(refused?.code == .readOnly)
    #expect(throws: CocoaError.self) {
      try database.writeSynchronously { db in
        try notes.deleteAll(in: db)
        throw CocoaError(.fileNoSuchFile)
      }
    }
  }

  @Test("a synchronous program opens, adopts, migrates and closes a file")
  @MainActor
  func opening() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (path, key) = (folder.appending(path: "a.db").path, Key.raw([UInt8](0..<32)))
    let database = try Database.openSynchronously(path: path, key: key)
    try database.writeSynchronously { db in
      try db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY NOT NULL, text TEXT NOT NULL)")
    }
    try database.adoptSynchronously(version: 1)
    for _ in 0..<2 {
      try database.adoptSynchronously(version: 1, as: DatabaseSchema(version: 1, Note.self))
      try database.migrateSynchronously(DatabaseSchema(version: 1, Note.self))
    }
    #expect(try fill(database) == ["a", "b"])
    // Another database's closure would keep its connection while it waits.
    let other = try Database.openSynchronously(path: ":memory:", key: nil)
    try other.writeSynchronously { _ in
      for call in [
        { _ = try Database.openSynchronously(path: path, key: key) },
        { try database.migrateSynchronously(DatabaseSchema(version: 1, Note.self)) },
        { try database.adoptSynchronously(version: 1, as: DatabaseSchema(Note.self)) },
        { try database.closeSynchronously() },
      ] as [() throws -> Void] {
        let error = #expect(throws: DatabaseError.self) { try call() }
        #expect(error?.code == .misuse)
      }
    }
    try database.closeSynchronously()
    #expect(throws: DatabaseError.self) { try database.readSynchronously { _ in } }
    let wrong = #expect(throws: DatabaseError.self) {
      try Database.openSynchronously(path: path, key: .raw([UInt8](repeating: 1, count: 32)))
    }
    #expect(wrong?.code == .notADatabase)
  }

  @Test("a nested synchronous call on the same database throws at once")
  func inside() async throws {
    try await withTemporaryDatabase { database in
      try await database.migrate(DatabaseSchema(Note.self))
      try expectRefusal(database)
      // Also from a closure on the connection's own thread.
      try await database.write { db in
        try Self.refused { try database.readSynchronously { _ in } }
        try Self.refused { try database.writeSynchronously { _ in } }
        try notes.insert(Note.Draft(text: "kept"), in: db)
      }
      try await notes.forEach(in: database) { _ in
        try Self.refused { try database.writeSynchronously { _ in } }
      }
      #expect(try await notes.count(in: database) == 1)
    }
  }

  private static func refused(_ body: () throws -> Void) throws {
    let error = #expect(throws: DatabaseError.self) { try body() }
    #expect(error?.code == .misuse && error?.operation == .begin)
    #expect(error?.message.hasPrefix("This thread is inside a read or a write") ?? false)
  }

  private func expectRefusal(_ database: Database) throws {
    try database.writeSynchronously { _ in
      try Self.refused { try database.writeSynchronously { _ in } }
      try Self.refused { try database.readSynchronously { _ in } }
    }
    try database.readSynchronously { _ in
      try Self.refused { try database.writeSynchronously { _ in } }
      try Self.refused { try database.readSynchronously { _ in } }
    }
  }

  @Test("an SQL function that calls its own database gets an error")
  func function() async throws {
    let target = Mutex<Database?>(nil)
    var configuration = Configuration()
    configuration.functions = [
      SQLFunction("asks") { (number: Int) throws -> Int in
        guard let database = target.withLock({ $0 }) else { return number }
        return try ask(database)
      }
    ]
    try await withTemporaryDatabase(configuration: configuration) { database in
      target.withLock { $0 = database }
      defer { target.withLock { $0 = nil } }
      let error = try await failure { try await database.values("SELECT asks(1)") }
      #expect(error.message.contains("inside a read or a write of the same database"))
    }
  }

  @Test("threads and tasks write at the same time without losing a change")
  func mixed() async throws {
    try await withTemporaryDatabase { database in
      try await database.migrate(DatabaseSchema(Note.self))
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            await withCheckedContinuation { continuation in
              Thread.detachNewThread {
                for _ in 0..<25 { #expect(throws: Never.self) { try addOne(database) } }
                continuation.resume()
              }
            }
          }
          group.addTask {
            for _ in 0..<25 {
              await #expect(throws: Never.self) {
                try await notes.insert(Note.Draft(text: "task"), in: database)
              }
            }
          }
        }
      }
      #expect(try await notes.count(in: database) == 200)
    }
  }
}

private func ask(_ database: Database) throws -> Int {
  try database.readSynchronously { db in try notes.count(in: db) }
}

private func addOne(_ database: Database) throws {
  let before = try database.writeSynchronously { db in
    try notes.insert(Note.Draft(text: "thread"), in: db).id
  }
  let found = try database.readSynchronously { db in try notes.find(before, in: db) }
  #expect(found?.text == "thread")
}
