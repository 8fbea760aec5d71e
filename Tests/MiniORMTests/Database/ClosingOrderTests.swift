import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("entry") private struct Entry {
  let id: Int64
  var number: Int
}

private let entries = Table<Entry>()

/// Closing concurrently with other calls, in seeded orders: see `SeededScheduler`.
@Suite("Closing in random orders")
struct ClosingOrderTests {
  private final class Outcome: Sendable {
    let mistakes = Mutex<[String]>([])
    let finished = Atomic(0)
    func note(_ mistake: String) { mistakes.withLock { $0.append(mistake) } }
  }

  enum Beside: CaseIterable { case close, interrupting, releaseMemory, suspend }

  @Test("closing closes all files, whatever runs at the same time", arguments: Beside.allCases)
  func closing(beside: Beside) async throws {
    for seed: UInt64 in 1...60 {
      try await withTemporaryPath { path in
        let scheduler = SeededScheduler(seed: seed)
        var configuration = Configuration()
        configuration.synchronous = .off
        configuration.maximumReaderCount = 3
        let plain = try await Database(
          path: path, key: .raw(testKeyBytes), configuration: configuration)
        try await plain.migrate(DatabaseSchema(Entry.self))
        try await plain.close()
        configuration.workers = Workers(scheduler)
        let workers = configuration.workers
        let database = try Database.scheduled(path, configuration)
        let outcome = Outcome()
        @Sendable func run(_ call: @escaping @Sendable () async throws -> Void) {
          Task(executorPreference: workers) {
            do {
              try await call()
            } catch let error as DatabaseError
              where [.misuse, .interrupt, .abort].contains(error.code) && error.operation != .close
            {
            } catch {
              outcome.note("\(error)")
            }
            outcome.finished.add(1, ordering: .relaxed)
          }
        }
        for number in 0..<6 {
          run {
            for _ in 0..<2 {
              try await entries.insert(Entry.Draft(number: number), in: database)
              _ = try await database.read { db in try entries.fetchAll(in: db).count }
            }
          }
        }
        run {
          switch beside {
          case .close: try await database.close()
          case .interrupting: try await database.close(interrupting: true)
          case .releaseMemory: for _ in 0..<12 { database.releaseMemory() }
          case .suspend: try await database.suspend()
          }
        }
        // After closing, every call fails.
        run {
          try await database.close()
          let error = try await failure { _ = try await entries.count(in: database) }
          if error.message != "The database is closed: open a new Database" {
            outcome.note(error.message)
          }
          do throws(DatabaseError) { try Database.delete(path: path) } catch {
            outcome.note("\(error)")
          }
        }
        scheduler.start()
        var (steps, since) = (0, ContinuousClock.now)
        while outcome.finished.load(ordering: .relaxed) < 8, since > .now - .seconds(20) {
          try await Task.sleep(for: .milliseconds(1))
          let now = scheduler.history.steps
          if now != steps { (steps, since) = (now, .now) }
        }
        #expect(outcome.finished.load(ordering: .relaxed) == 8, "\(beside), seed \(seed)")
        #expect(outcome.mistakes.withLock { $0 } == [], "\(beside), seed \(seed)")
        #expect(database.pool.refusal == .closed, "\(beside), seed \(seed)")
        scheduler.end()
      }
    }
  }
}
