import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMTesting

@Suite("A schema of six versions")
struct JournalTests {
  private let snapshots = SchemaSnapshots(in: "Schemas", besides: #filePath)

  @Test("The newest schema equals its snapshot")
  func current() async throws {
    try await snapshots.expectCurrent(Journal.schema)
  }

  @Test("Files of all versions migrate, and keep their rows")
  func migrations() async throws {
    var versions: [Int32] = []
    try await snapshots.expectMigrations(to: Journal.schema) { version, database in
      versions.append(version)
      let notes = try await Table<Note>().fetchAll(in: database)
      #expect(notes.count >= 6)
      #expect(notes.contains { $0.title == "a\0b" })
      #expect(notes.contains { $0.size == nil } && notes.contains { $0.size == .max })
    }
    #expect(versions == [1, 2, 3, 4, 5, 6])
  }

  @Test("The test of a version opens at most 4 connections, and runs at most 1,000 statements")
  func cost() async throws {
    let (connections, statements) = (Counter(), Counter())
    var configuration = Configuration()
    configuration.prepare = { _ in connections.add() }
    configuration.trace = StatementTrace { _ in statements.add() }
    try await SchemaSnapshots(in: "Schemas", besides: #filePath, configuration: configuration)
      .expectMigrations(to: Journal.schema)
    #expect((6...24).contains(connections.value), "\(connections.value)")
    #expect((600...6_000).contains(statements.value), "\(statements.value)")
  }

  @Test("Another seed gives other rows, which migrate as well", arguments: [2, 3] as [UInt64])
  func seeds(_ seed: UInt64) async throws {
    try await SchemaSnapshots(in: "Schemas", besides: #filePath, seed: seed)
      .expectMigrations(to: Journal.schema)
  }

  @Test("A file that is created from a snapshot has the text of the snapshot")
  func texts() async throws {
    for recorded in try snapshots.recorded(#_sourceLocation) {
      let database = try await Database.inMemory()
      try await recorded.create(in: database)
      let text = try await database.withWriter { db in try db.schemaText() }
      let file = snapshots.folder.appendingPathComponent("\(recorded.version).sql")
      let written = try String(contentsOf: file, encoding: .utf8)
      #expect(text == written)
      try await database.close()
    }
  }
}

private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}
