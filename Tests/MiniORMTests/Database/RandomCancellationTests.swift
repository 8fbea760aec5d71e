import Foundation
import Testing

@testable import MiniORM

@Table("parent") private struct Parent: Identifiable {
  let id: Int64
  var name: String
}

@Table("child") private struct Child {
  let id: Int64
  @Column(.references(Parent.self)) var parentID: Int64
  var text: String
}

private let parents = Table<Parent>()
private let children = Table<Child>()

/// Calls of every kind, each cancelled at a random moment.
@Suite("Cancellation at random moments")
struct RandomCancellationTests {
  private enum Call: CaseIterable {
    case find, fetch, forEach, related, prepared, read, write, insert, insertAll, update, delete,
      upsert, raw, migrate, withoutTransaction, checkpoint, vacuum, attach, changeKey, export,
      integrity, observation, changes, limited
  }

  /// How many are cancelled: many more by `MINIORM_CANCELLATIONS=10000`.
  private static let count =
    ProcessInfo.processInfo.environment["MINIORM_CANCELLATIONS"].flatMap { Int($0) } ?? 250

  private static func run(_ call: Call, _ number: Int, in database: Database) async throws {
    let folder = URL(fileURLWithPath: database.path).deletingLastPathComponent().path
    switch call {
    case .find: _ = try await parents.find(3, in: database)
    case .fetch:
      _ = try await parents.where { $0.name.like("%1%") }.fetchAll(in: database)
    case .forEach: try await children.forEach(in: database) { _ in }
    case .related: _ = try await parents.including(children).fetchAll(in: database)
    case .prepared:
      let query = PreparedQuery(String.self) { name in parents.where { $0.name == name } }
      _ = try await query.fetchAll("parent 1", in: database)
    case .read:
      _ = try await database.read { db in
        try (parents.fetchAll(in: db).count, children.count(in: db))
      }
    case .write:
      try await database.write { db in
        try parents.insert(Parent.Draft(name: "written \(number)"), in: db)
        try db.transaction { db in
          try children.insert(Child.Draft(parentID: 1, text: "written"), in: db)
        }
      }
    case .insert: try await parents.insert(Parent.Draft(name: "new \(number)"), in: database)
    case .insertAll:
      try await children.insert(
        contentsOf: (0..<200).map { Child.Draft(parentID: 2, text: "many \($0)") }, in: database)
    case .update:
      try await children.where { $0.parentID == 1 }.update { $0.text = "\(number)" }
        .run(in: database)
    case .delete: try await children.where { $0.parentID == 2 }.delete().run(in: database)
    case .upsert:
      try await parents.upsert(
        Parent(id: 5, name: "upserted \(number)"), onConflict: { $0.id }, in: database)
    case .raw: _ = try await database.read { db in try db.query("SELECT * FROM child, parent") }
    case .migrate: try await database.migrate(DatabaseSchema(Parent.self, Child.self))
    case .withoutTransaction:
      try await database.withoutTransaction { db in try db.execute("PRAGMA optimize") }
    case .checkpoint: try await database.checkpoint(.truncate)
    case .vacuum: try await database.vacuum()
    case .attach:
      let name = "other\(number)"
      try await database.attach(folder + "/\(name).db", as: name, key: .raw(testKeyBytes))
      try await Task { try await database.detach(name) }.value
    case .changeKey: try await database.changeKey(to: .raw(testKeyBytes))
    case .export:
      let path = folder + "/copy\(number).db"
      defer { try? Database.delete(path: path) }
      try await database.export(to: path, key: .raw(testKeyBytes))
    case .integrity: _ = try await database.integrityReport()
    case .observation:
      for try await _ in parents.values(in: database) { break }
    case .changes:
      var changes = database.changes().makeAsyncIterator()
      _ = await changes.next()
    case .limited:
      try await withTimeLimit(.seconds(60)) { _ = try await children.fetchAll(in: database) }
    }
  }

  @Test("E4: calls that are cancelled at any moment end with CancellationError or their result")
  func calls() async throws {
    var configuration = Configuration()
    configuration.synchronous = .off
    configuration.busyTimeout = .seconds(60)
    configuration.maximumReaderCount = 3
    configuration.readerTimeout = .seconds(600)
    try await withTemporaryDatabase(configuration: configuration) { database in
      try await database.migrate(DatabaseSchema(Parent.self, Child.self))
      try await parents.insert(
        contentsOf: (1...50).map { Parent.Draft(name: "parent \($0)") }, in: database)
      try await children.insert(
        contentsOf: (0..<2_000).map { Child.Draft(parentID: $0 % 50 + 1, text: "child \($0)") },
        in: database)

      try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<4 {
          group.addTask {
            var random = SeededRandom(UInt64(worker) + 1)
            for turn in 0..<Self.count / 4 {
              let number = worker * 1_000_000 + turn
              guard let call = Call.allCases.randomElement(using: &random) else { return }
              let task = Task { try await Self.run(call, number, in: database) }
              // Mostly while it runs, at times before it begins and after it has ended.
              try await Task.sleep(for: .microseconds(Int.random(in: 0..<3_000, using: &random)))
              task.cancel()
              do {
                try await task.value
              } catch {
                #expect(error is CancellationError, "\(call): \(error)")
              }
            }
          }
        }
        try await group.waitForAll()
      }

      // Nothing is held by anybody, and everything works.
      let statistics = database.statistics()
      #expect(statistics.busyReaderCount == 0 && !statistics.isWriting)
      #expect(statistics.waitingCount == 0)
      #expect(!database.observationHub.isObserved && !database.observationHub.subscribers.isWanted)
      for connection in database.pool.connections {
        let state = try await connection.isolated { db in
          [db.depth, db.cache?.checkedOut ?? 0, db.attachments.count]
        }
        #expect(state.prefix(2) == [0, 0])
      }
      #expect(try await database.integrityReport().isEmpty)
      try await parents.insert(Parent.Draft(name: "after"), in: database)
      #expect(try await parents.where { $0.name == "after" }.count(in: database) == 1)
    }
  }
}
