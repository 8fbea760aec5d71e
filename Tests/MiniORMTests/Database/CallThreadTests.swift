import CSQLCipher
import Synchronization
import Testing

@testable import MiniORM

@Table("call_thread") private struct Item {
  let id: Int64
  @Column(.unique) var name: String
  var size = 0
}

private let items = Table<Item>()

/// Records the thread of each statement that a database runs.
private final class StatementThreads: Sendable {
  private let threads = Mutex<[UInt]>([])

  /// A configuration with a trace that records the threads.
  var configuration: Configuration {
    var configuration = Configuration()
    configuration.trace = StatementTrace { _ in
      self.threads.withLock { $0.append(miniorm_thread()) }
    }
    return configuration
  }

  /// Returns and clears the recorded threads.
  func take() -> [UInt] {
    threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
  }
}

private enum Call: String, CaseIterable, Sendable {
  case fetchAll, fetchOne, find, forEach, count, exists
  case max, select, queryPlan, insert, insertRows, update, updateByCondition, upsert
  case delete, deleteAll, returning, read, write, withoutTransaction, migrate, check

  @MainActor
  func run(in database: Database) async throws {
    switch self {
    case .fetchAll: _ = try await items.fetchAll(in: database)
    case .fetchOne: _ = try await items.where { $0.size > 0 }.fetchOne(in: database)
    case .find: _ = try await items.find(1, in: database)
    case .forEach: try await items.forEach(in: database) { _ in }
    case .count: _ = try await items.count(in: database)
    case .exists: _ = try await items.where { $0.size == 9 }.exists(in: database)
    case .max: _ = try await items.max(of: { $0.size }, in: database)
    case .select: _ = try await items.select { $0.name }.fetchAll(in: database)
    case .queryPlan: _ = try await items.queryPlan(in: database)
    case .insert: _ = try await items.insert(Item.Draft(name: "new"), in: database)
    case .insertRows: _ = try await items.insert(contentsOf: [Item.Draft(name: "b")], in: database)
    case .update: _ = try await items.update(Item(id: 1, name: "a", size: 2), in: database)
    case .updateByCondition: _ = try await items.update { $0.size += 1 }.run(in: database)
    case .upsert:
      _ = try await items.upsert(
        Item.Draft(name: "a", size: 3), onConflict: { $0.name }, in: database)
    case .delete: _ = try await items.delete(1, in: database)
    case .deleteAll: _ = try await items.deleteAll(in: database)
    case .returning:
      _ = try await items.update { $0.size += 1 }.returning { $0.name }.fetchAll(in: database)
    case .read: try await database.read { db in _ = try items.fetchAll(in: db) }
    case .write: try await database.write { db in _ = try items.deleteAll(in: db) }
    case .withoutTransaction: try await database.withoutTransaction { try $0.execute("VACUUM") }
    case .migrate: try await database.migrate(DatabaseSchema(version: 2, Item.self))
    case .check: _ = try await database.integrityReport()
    }
  }
}

@Suite("Threads of calls", .timeLimit(.minutes(1)))
struct CallThreadTests {
  @MainActor
  @Test("an awaited call runs no statement on the caller's thread", arguments: Call.allCases)
  fileprivate func awaited(call: Call) async throws {
    let threads = StatementThreads()
    try await withTemporaryDatabase(configuration: threads.configuration) { database in
      try await database.migrate(DatabaseSchema(Item.self))
      try await items.insert(Item.Draft(name: "a"), in: database)
      for isWarm in [false, true] {
        _ = threads.take()
        try? await call.run(in: database)
        let ran = threads.take()
        // The main actor runs on the main thread only.
        #expect(!ran.contains(miniorm_thread()), "warm: \(isWarm)")
        #expect(!ran.isEmpty || isWarm || call == .check)
      }
    }
  }

  @MainActor
  @Test("an observation reads on the connection's thread")
  func observed() async throws {
    let threads = StatementThreads()
    try await withTemporaryDatabase(configuration: threads.configuration) { database in
      try await database.migrate(DatabaseSchema(Item.self))
      _ = threads.take()
      for try await count in items.select({ $0.name }).values(in: database) {
        if !count.isEmpty { break }
        try await items.insert(Item.Draft(name: "a"), in: database)
      }
      let ran = threads.take()
      #expect(!ran.isEmpty && !ran.contains(miniorm_thread()))
    }
  }

  @MainActor
  @Test("a synchronous call runs all its statements on the caller's thread")
  func synchronous() async throws {
    let threads = StatementThreads()
    try await withTemporaryDatabase(configuration: threads.configuration) { database in
      try await database.migrate(DatabaseSchema(Item.self))
      _ = threads.take()
      try Self.write(database)
      let ran = threads.take()
      #expect(ran.count == 6 && ran.allSatisfy { $0 == miniorm_thread() }, "\(ran)")
    }
  }

  @MainActor
  private static func write(_ database: Database) throws {
    _ = try database.writeSynchronously { db in
      try items.insert(contentsOf: [Item.Draft(name: "a"), Item.Draft(name: "b")], in: db)
    }
  }
}
