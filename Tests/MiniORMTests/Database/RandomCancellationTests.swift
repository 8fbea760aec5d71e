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

@Suite("Cancellation at random moments")
struct RandomCancellationTests {
  private enum Call: CaseIterable {
    case find, fetch, forEach, related, prepared, read, write, insert, insertAll, update, delete,
      upsert, raw, migrate, withoutTransaction, checkpoint, vacuum, attach, changeKey, export,
      integrity, observation, changes, limited
  }

  /// The number of calls; `MINIORM_CANCELLATIONS=10000` runs more.
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

  private static let configuration: Configuration = {
    var configuration = Configuration()
    configuration.synchronous = .off
    configuration.busyTimeout = .seconds(60)
    configuration.maximumReaderCount = 3
    configuration.readerTimeout = .seconds(600)
    return configuration
  }()

  private static func fill(_ database: Database) async throws {
    try await database.migrate(DatabaseSchema(Parent.self, Child.self))
    try await parents.insert(
      contentsOf: (1...50).map { Parent.Draft(name: "parent \($0)") }, in: database)
    try await children.insert(
      contentsOf: (0..<2_000).map { Child.Draft(parentID: $0 % 50 + 1, text: "child \($0)") },
      in: database)
  }

  /// Runs calls in four tasks, and cancels each at a random moment.
  /// - Returns: The number of calls that returned, and the number that threw `CancellationError`.
  @discardableResult
  private static func storm(
    _ count: Int, seed: UInt64, in database: Database
  ) async throws -> (done: Int, cancelled: Int) {
    try await withThrowingTaskGroup(of: (done: Int, cancelled: Int).self) { group in
      for worker in 0..<4 {
        group.addTask {
          var random = SeededRandom(seed * 100 + UInt64(worker) + 1)
          var counts = (done: 0, cancelled: 0)
          for turn in 0..<count / 4 {
            let number = (Int(seed) * 10 + worker) * 1_000_000 + turn
            guard let call = Call.allCases.randomElement(using: &random) else { break }
            let task = Task { try await run(call, number, in: database) }
            // Usually during the call, sometimes before or after it.
            try await Task.sleep(for: .microseconds(Int.random(in: 0..<3_000, using: &random)))
            task.cancel()
            do {
              try await task.value
              counts.done += 1
            } catch {
              #expect(error is CancellationError, "\(call): \(error)")
              counts.cancelled += 1
            }
          }
          return counts
        }
      }
      return try await group.reduce(into: (done: 0, cancelled: 0)) { sum, counts in
        sum = (sum.done + counts.done, sum.cancelled + counts.cancelled)
      }
    }
  }

  @Test("a call cancelled at any moment throws CancellationError or returns its result")
  func calls() async throws {
    try await withTemporaryDatabase(configuration: Self.configuration) { database in
      try await Self.fill(database)
      let counts = try await Self.storm(Self.count, seed: 0, in: database)
      print("figure: calls: \(counts.cancelled) cancelled, \(counts.done) done before")
      #expect(counts.cancelled > 0 && counts.done > 0)

      // No connection is held, and every call succeeds.
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

  #if os(Linux)
    /// The system resources of this process.
    private struct Held: Equatable, CustomStringConvertible {
      var files: [String]
      var threads: Int

      init() throws {
        let folder = "/proc/self/fd"
        files = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
          try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
        }.sorted()
        threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
      }

      var description: String { "\(threads) threads, \(files)" }

      /// Waits until the process uses no more than this. Idle threads end after a while.
      func isAll() async throws -> Bool {
        for _ in 0..<600 {
          let now = try Held()
          if now.files == files, now.threads <= threads { return true }
          try await Task.sleep(for: .milliseconds(50))
        }
        return false
      }
    }

    private struct Leak: Error { let message: String }

    /// Runs in a separate process, because other tests open files in this process.
    ///
    /// The database is closed for the comparison. While it is open, SQLite may keep an unused
    /// descriptor for the next connection: closing it would drop the process's locks.
    private static func checkResources() async throws {
      try await withTemporaryPath { path in
        func run(_ count: Int, seed: UInt64) async throws {
          let database = try await Database(
            path: path, key: .raw(testKeyBytes), configuration: configuration)
          try await fill(database)
          try await storm(count, seed: seed, in: database)
          try await database.close()
          try Database.delete(path: path)
        }
        // Absorbs threads and files that the system creates once.
        try await run(80, seed: 1)
        let before = try Held()
        try await run(count, seed: 2)
        guard try await before.isAll() else {
          throw Leak(message: "before: \(before), after: \(try Held())")
        }
        // Control: the comparison detects an open file.
        let empty = try Held()
        let file = open("/dev/null", O_RDONLY)
        guard try Held().files.count == empty.files.count + 1 else {
          throw Leak(message: "a file was not found")
        }
        close(file)
        let door = Door()
        for _ in 0..<100 { Thread.detachNewThread { door.pass() } }
        await door.wait(for: 100)
        guard try Held().threads >= empty.threads + 90 else {
          throw Leak(message: "threads were not found")
        }
        door.open()
      }
    }

    @Test("random cancellations leave no additional file or thread open")
    func resources() async throws {
      await #expect(processExitsWith: .success) { try await Self.checkResources() }
    }
  #endif
}
