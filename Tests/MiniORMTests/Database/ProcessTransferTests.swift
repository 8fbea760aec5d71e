import Foundation
import Testing

@testable import MiniORM

#if os(Linux) || os(macOS)
  @Table("account") private struct Account {
    let id: Int64
    var balance: Int
  }

  private let accounts = Table<Account>()

  /// Several processes move money between accounts in a single file, and some are killed.
  @Suite("Transfers by several processes")
  struct ProcessTransferTests {
    private static let total = 10 * 100

    private static func open(_ path: String) async throws -> Database {
      var configuration = Configuration()
      configuration.busyTimeout = .seconds(60)
      return try await Database(path: path, key: .raw(testKeyBytes), configuration: configuration)
    }

    /// Several tasks transfer money and sum the balances for a duration.
    private static func transfer(_ path: String, _ seed: Int, for duration: Duration) async throws {
      let database = try await open(path)
      let end = ContinuousClock.now + duration
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<4 {
          group.addTask {
            var random = SeededRandom(UInt64(seed * 10 + task))
            while ContinuousClock.now < end {
              let (from, to) = (
                Int64.random(in: 1...10, using: &random), Int64.random(in: 1...10, using: &random)
              )
              let amount = Int.random(in: 1...30, using: &random)
              try await database.write { db in
                try accounts.where { $0.id == from }.update { $0.balance -= amount }.run(in: db)
                try accounts.where { $0.id == to }.update { $0.balance += amount }.run(in: db)
              }
              let sum = try await accounts.sum(of: { $0.balance }, in: database)
              guard sum == total else { throw DatabaseError(.read, "The sum is \(sum ?? 0)") }
            }
          }
        }
        try await group.waitForAll()
      }
      try await database.close()
    }

    @Test("the sum stays constant while four processes transfer and two are killed")
    func transfers() async throws {
      let rounds =
        ProcessInfo.processInfo.environment["MINIORM_ROUNDS"].flatMap { Int($0) } ?? 1
      try await withTemporaryPath { path in
        let database = try await Self.open(path)
        try await database.migrate(DatabaseSchema(Account.self))
        try await accounts.insert(
          contentsOf: (1...10).map { _ in Account.Draft(balance: 100) }, in: database)
        var random = SeededRandom(7)
        for round in 0..<rounds {
          let delays = (0..<2).map { _ in Int.random(in: 50_000..<500_000, using: &random) }
          await withTaskGroup(of: Void.self) { group in
            for number in 0..<2 {
              group.addTask {
                await #expect(processExitsWith: .success) {
                  [path = path as String, seed = round * 4 + number as Int] in
                  try await Self.transfer(path, seed, for: .milliseconds(500))
                }
              }
              group.addTask {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                  [
                    path = path as String, seed = round * 4 + 2 + number as Int,
                    delay = delays[number] as Int
                  ] in
                  Thread.detachNewThread {
                    usleep(UInt32(delay))
                    kill(getpid(), SIGKILL)
                  }
                  try await Self.transfer(path, seed, for: .seconds(60))
                }
              }
            }
          }
          #expect(try await accounts.sum(of: { $0.balance }, in: database) == Self.total)
          #expect(try await database.integrityReport().isEmpty)
        }
        try await database.close()
      }
    }
  }
#endif
