import Foundation
import Synchronization

@testable import MiniORM

@Table("account") struct StressAccount: Identifiable {
  let id: Int64
  var balance: Int
}

@Table("deposit") struct StressDeposit: Identifiable {
  let id: Int64
  var amount: Int
}

@Table("total") struct StressTotal: Identifiable {
  let id: Int64
  var amount: Int
}

@Table("note") struct StressNote: Identifiable {
  let id: Int64
  var text: String
}

let stressAccounts = Table<StressAccount>()
let stressDeposits = Table<StressDeposit>()
let stressNotes = Table<StressNote>()

struct StressProblem: Error, CustomStringConvertible {
  let description: String
}

/// The error of the commit check.
struct StressRefusal: Error {}

/// The databases of a stress run, and the deposits that the calls reported as committed.
final class StressStage: Sendable {
  /// `first` and `second` share a file with a write-ahead log; `third` has a rollback journal.
  enum Place: Int, CaseIterable { case first, second, third }

  /// The amount that the commit check refuses.
  static let refusedAmount = 13
  static let accountCount: Int64 = 10
  static let initialBalance = 100
  static let keys = [Key.raw(testKeyBytes), .raw(testKeyBytes.reversed())]
  static let schema = DatabaseSchema(
    StressAccount.self, StressDeposit.self, StressTotal.self, StressNote.self)

  let folder: String
  private let databases = Mutex<[Database]>([])
  private let record = Mutex(Record())
  /// Operations of which only one runs at a time.
  private let exclusive = Mutex<Set<String>>([])

  private struct Record {
    /// The turns of committed deposits in each file.
    var turns: [[Int64: Int]] = [[:], [:]]
    var lastTurn = 0
    var lastNumber: Int64 = 0
    /// The turn of the last restore of the third database.
    var restored = 0
    var problems: [String] = []
  }

  init(_ folder: String) async throws {
    self.folder = folder
    for place in Place.allCases {
      let database = try await open(place)
      databases.withLock { $0.append(database) }
      guard place != .second else { continue }
      try await database.migrate(Self.schema)
      // Together, so that the commit check finds a sum.
      try await database.write { db in
        try stressAccounts.insert(
          contentsOf: (1...Self.accountCount).map { _ in
            StressAccount.Draft(balance: Self.initialBalance)
          }, in: db)
        try Table<StressTotal>().insert(StressTotal.Draft(amount: 0), in: db)
      }
    }
    try await self[.third].backup(to: backup, key: Self.keys[0])
    let attached = try await Database(path: attachment, key: Self.keys[0])
    try await attached.migrate(DatabaseSchema(StressNote.self))
    try await attached.close()
  }

  var backup: String { folder + "/backup.db" }
  var attachment: String { folder + "/attached.db" }

  subscript(place: Place) -> Database { databases.withLock { $0[place.rawValue] } }

  func path(of place: Place) -> String { folder + (place == .third ? "/third.db" : "/shared.db") }

  private func open(_ place: Place) async throws -> Database {
    var configuration = Configuration()
    configuration.synchronous = .off
    configuration.busyTimeout = .milliseconds(500)
    configuration.readerTimeout = .seconds(2)
    configuration.maximumReaderCount = 4
    configuration.otherChangesInterval = place == .third ? nil : .milliseconds(20)
    configuration.journalMode = place == .third ? .delete : .wal
    configuration.trace = StatementTrace { _ in }
    // A callback that reads a database synchronously: another database, or the same one.
    configuration.functions = [
      SQLFunction("difference_of") { [weak self] (place: Int) throws -> Int in
        guard let self, let place = Place(rawValue: place) else { return 0 }
        return try self[place].readSynchronously { db in try Self.difference(db) }
      }
    ]
    configuration.beforeCommit = { db in
      try Self.check(db)
      let isRefused =
        try stressDeposits.where { $0.amount == Self.refusedAmount }.exists(in: db)
      if isRefused { throw StressRefusal() }
    }
    return try await Database(
      path: path(of: place), key: Self.keys[0], configuration: configuration)
  }

  /// Closes a database and opens the file again.
  func reopen(_ place: Place, interrupting: Bool) async throws {
    try await self[place].close(interrupting: interrupting)
    let database = try await Task.detached {
      while true {
        do {
          return try await self.open(place)
        } catch let error as DatabaseError where error.code.primary == .busy {}
      }
    }.value
    databases.withLock { $0[place.rawValue] = database }
  }

  /// Runs a closure unless a closure of the same name is running.
  func exclusively(_ name: String, _ body: () async throws -> Void) async throws {
    guard exclusive.withLock({ $0.insert(name).inserted }) else { return }
    defer { exclusive.withLock { _ = $0.remove(name) } }
    try await body()
  }

  // MARK: Sums

  /// The difference between the balances and the deposits; 0 in every committed state.
  static func difference(_ db: isolated Connection) throws -> Int {
    let initial = Int(accountCount) * initialBalance
    let sums = try db.query(
      Int.self,
      "SELECT (SELECT sum(balance) FROM account) - (SELECT amount FROM total) - \(initial)")
    guard let difference = sums.first else { throw StressProblem(description: "no sum") }
    return difference
  }

  static func check(_ db: isolated Connection) throws {
    let difference = try difference(db)
    guard difference == 0 else {
      throw StressProblem(description: "the sum is off by \(difference)")
    }
  }

  static func transfer(_ amount: Int, _ from: Int64, _ to: Int64, _ db: isolated Connection) throws
  {
    try stressAccounts.where { $0.id == from }.update { $0.balance -= amount }.run(in: db)
    try stressAccounts.where { $0.id == to }.update { $0.balance += amount }.run(in: db)
  }

  struct Deposit: Sendable {
    let file: Int
    let number: Int64
    var turn = 0
  }

  func newNumber() -> Int64 {
    record.withLock { record in
      record.lastNumber += 1
      return record.lastNumber
    }
  }

  /// A position in the order of the writers' transactions.
  func nextTurn() -> Int {
    record.withLock { record in
      record.lastTurn += 1
      return record.lastTurn
    }
  }

  /// Makes a deposit in a transaction.
  func deposit(_ amount: Int, in place: Place, _ db: isolated Connection) throws -> Deposit {
    let number = newNumber()
    let deposit = Deposit(file: place == .third ? 1 : 0, number: number, turn: nextTurn())
    try stressDeposits.insert(StressDeposit(id: number, amount: amount), in: db)
    let account = number % Self.accountCount + 1
    try stressAccounts.where { $0.id == account }.update { $0.balance += amount }.run(in: db)
    try db.execute("UPDATE total SET amount = amount + \(amount)")
    return deposit
  }

  /// Records a deposit whose call has returned.
  func confirm(_ deposit: Deposit) {
    record.withLock { $0.turns[deposit.file][deposit.number] = deposit.turn }
  }

  func noteRestored(at turn: Int) {
    record.withLock { $0.restored = max($0.restored, turn) }
  }

  func note(_ problem: String) {
    record.withLock { if $0.problems.count < 20 { $0.problems.append(problem) } }
  }

  var problems: [String] { record.withLock { $0.problems } }

  /// Compares the files with the deposits, and closes the databases.
  func finish() async throws {
    for place in Place.allCases { self[place].resume() }
    for place in Place.allCases {
      let database = self[place]
      var usage = database.statistics()
      // A look for other changes may still run.
      for _ in 0..<100 where usage.busyReaderCount != 0 {
        try await Task.sleep(for: .milliseconds(20))
        usage = database.statistics()
      }
      if usage.busyReaderCount != 0 || usage.isWriting || usage.waitingCount != 0 {
        note("\(place): a connection is in use: \(usage)")
      }
      try await database.read { db in try Self.check(db) }
      let found = Set(try await stressDeposits.fetchAll(in: database).map(\.id))
      let expected = record.withLock { record in
        let isThird = place == .third
        return Set(
          record.turns[isThird ? 1 : 0].filter { !isThird || $0.value > record.restored }.keys)
      }
      if found != expected {
        note(
          "\(place): lost \(expected.subtracting(found).count), unreported \(found.subtracting(expected).count)"
        )
      }
      let report = try await database.integrityReport()
      if !report.isEmpty { note("\(place): \(report)") }
      try await database.close()
    }
    for place in [Place.first, .third] {
      let (database, _) = try await Database.open(path: path(of: place), keys: Self.keys)
      try await database.read { db in try Self.check(db) }
      try await database.close()
    }
  }

  /// The number of deposits that are expected in the two files.
  var confirmedCount: Int { record.withLock { $0.turns[0].count + $0.turns[1].count } }
}
