import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("account") private struct Account {
  let id: Int64
  var balance: Int
}

private let accounts = Table<Account>()

/// 16 tasks move money between accounts and 16 tasks sum the balances, with random cancellations.
@Suite("Transfers")
struct TransferTests {
  private static let count: Int64 = 20
  private static let total = 20 * 100

  private static func transfer(_ random: inout SeededRandom, in database: Database) async throws {
    let (from, to) = (
      Int64.random(in: 1...count, using: &random), Int64.random(in: 1...count, using: &random)
    )
    let amount = Int.random(in: 1...30, using: &random)
    let fails = Int.random(in: 0..<8, using: &random) == 0
    let isNested = Bool.random(using: &random)
    do {
      try await database.write { db in
        func move(_ db: isolated Connection) throws {
          try accounts.where { $0.id == from }.update { $0.balance -= amount }.run(in: db)
          if fails { throw CocoaError(.userCancelled) }
          try accounts.where { $0.id == to }.update { $0.balance += amount }.run(in: db)
        }
        if isNested {
          // Rolling back a savepoint keeps the rest of the transaction.
          do { try db.transaction { db in try move(db) } } catch is CocoaError {}
        } else {
          try move(db)
        }
      }
    } catch is CocoaError {}
  }

  private static func sum(_ random: inout SeededRandom, in database: Database) async throws -> Int {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return try await accounts.sum(of: { $0.balance }, in: database) ?? 0
    case 1: return try await accounts.fetchAll(in: database).map(\.balance).reduce(0, +)
    default:
      return try await database.read { db in
        try (1...count).map { try accounts.find($0, in: db)?.balance ?? 0 }.reduce(0, +)
      }
    }
  }

  @Test(
    "the sum stays constant with 16 transferring tasks, 16 summing tasks and cancellations",
    arguments: [Configuration.JournalMode.wal, .delete])
  func transfers(mode: Configuration.JournalMode) async throws {
    var configuration = Configuration()
    configuration.journalMode = mode
    configuration.busyTimeout = .seconds(60)
    configuration.synchronous = .off
    try await withTemporaryDatabase(configuration: configuration) { database in
      try await database.migrate(DatabaseSchema(Account.self))
      try await accounts.insert(
        contentsOf: (1...Self.count).map { _ in Account.Draft(balance: 100) }, in: database)
      let rounds = mode == .wal ? 12 : 3
      for round in 0..<UInt64(rounds) {
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<UInt64(32) {
          tasks.append(
            Task {
              var random = SeededRandom(round << 8 | number)
              for _ in 0..<10 {
                if number < 16 {
                  try await Self.transfer(&random, in: database)
                } else {
                  #expect(try await Self.sum(&random, in: database) == Self.total)
                }
              }
            })
        }
        var random = SeededRandom(round)
        for task in tasks where Int.random(in: 0..<3, using: &random) == 0 {
          try await Task.sleep(for: .microseconds(Int.random(in: 0..<1_500, using: &random)))
          task.cancel()
        }
        for task in tasks {
          do { try await task.value } catch { #expect(error is CancellationError, "\(error)") }
        }
        #expect(try await accounts.sum(of: { $0.balance }, in: database) == Self.total)
      }
      for connection in database.pool.connections {
        let state = try await connection.isolated { db in [db.depth, db.cache?.checkedOut ?? 0] }
        #expect(state == [0, 0])
      }
    }
  }
}
