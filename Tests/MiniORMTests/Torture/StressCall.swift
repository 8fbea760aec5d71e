import CSQLCipher
import Foundation

@testable import MiniORM

/// A call of the stress test.
enum StressCall: CaseIterable {
  // Calls on a table.
  case count, find, fetch, forEach, aggregates, prepared, plan, insert, insertAll, upsert, update,
    delete, deleteAll, returning
  // Calls with a closure.
  case read, transfer, deposit, savepoints, withoutTransaction, snapshot, function
  // Calls that block a thread of Swift's pool.
  case readSynchronously, depositSynchronously, depositInside, readInside
  // Observations.
  case values, valuesOfCopies, changes, observed
  // Whole files.
  case backup, copies, restore, changeKey, attach, checkpoint, vacuum, integrity, migrate, reports
  // The lifetime of a database.
  case suspend, reopen, open, releaseMemory

  /// How often a call is chosen.
  var weight: Int {
    switch self {
    case .transfer, .deposit, .read: 12
    case .backup, .copies, .restore, .changeKey, .vacuum, .suspend, .reopen, .open: 1
    default: 4
    }
  }

  static let weighted = allCases.flatMap { Array(repeating: $0, count: $0.weight) }

  func run(_ place: StressStage.Place, _ stage: StressStage, _ random: inout SeededRandom)
    async throws
  {
    switch self {
    case .count, .find, .fetch, .forEach, .aggregates, .prepared, .plan, .insert, .insertAll,
      .upsert, .update, .delete, .deleteAll, .returning:
      try await runOnTable(stage[place], &random)
    case .read, .transfer, .deposit, .savepoints, .withoutTransaction, .snapshot, .function,
      .readSynchronously, .depositSynchronously, .depositInside, .readInside:
      try await runClosure(place, stage, &random)
    case .values, .valuesOfCopies, .changes, .observed:
      try await observe(stage[place])
    case .suspend, .reopen, .open, .releaseMemory:
      try await changeLifetime(place, stage, &random)
    default: try await runOnFile(place, stage, &random)
    }
  }

  // MARK: Tables

  private func runOnTable(_ database: Database, _ random: inout SeededRandom) async throws {
    let text = "text \(Int.random(in: 0..<20, using: &random))"
    switch self {
    case .count:
      let isEmpty = try await !stressAccounts.exists(in: database)
      let count = try await stressAccounts.count(in: database)
      guard !isEmpty, count == StressStage.accountCount else {
        throw StressProblem(description: "\(count) accounts")
      }
    case .find:
      guard try await stressAccounts.find(3, in: database) != nil else {
        throw StressProblem(description: "an account is missing")
      }
    case .fetch:
      _ = try await stressNotes.where { $0.text == text }.order { $0.id }.limit(10)
        .fetchAll(in: database)
      _ = try await stressNotes.order { $0.id.descending }.fetchOne(in: database)
    case .forEach: try await stressNotes.limit(100).forEach(in: database) { _ in }
    case .aggregates:
      _ = try await stressAccounts.max(of: { $0.balance }, in: database)
      _ = try await stressAccounts.average(of: { $0.balance }, in: database)
    case .prepared:
      let query = PreparedQuery(String.self) { text in stressNotes.where { $0.text == text } }
      _ = try await query.fetchAll(text, in: database)
    case .plan: _ = try await stressNotes.where { $0.text == text }.queryPlan(in: database)
    case .insert: try await stressNotes.insert(StressNote.Draft(text: text), in: database)
    case .insertAll:
      try await stressNotes.insert(
        contentsOf: (0..<20).map { StressNote.Draft(text: "\(text) \($0)") }, in: database)
    case .upsert:
      try await stressNotes.upsert(
        StressNote(id: 5, text: text), onConflict: { $0.id }, in: database)
    case .update: _ = try await stressNotes.update(StressNote(id: 6, text: text), in: database)
    case .delete: _ = try await stressNotes.delete(7, in: database)
    case .deleteAll: _ = try await stressNotes.deleteAll(in: database)
    default:
      _ = try await stressNotes.where { $0.id < 4 }.update { $0.text = text }.returning { $0.id }
        .fetchAll(in: database)
    }
  }

  // MARK: Closures

  private func runClosure(
    _ place: StressStage.Place, _ stage: StressStage, _ random: inout SeededRandom
  ) async throws {
    let database = stage[place]
    let accounts = 1...StressStage.accountCount
    let (from, to) = (
      Int64.random(in: accounts, using: &random), Int64.random(in: accounts, using: &random)
    )
    // Sometimes the amount that the commit check refuses.
    let amount = Int.random(in: 1...20, using: &random)
    let other: StressStage.Place = place == .third ? .first : .third
    switch self {
    case .read: try await database.read { db in try StressStage.check(db) }
    case .transfer:
      try await database.write { db in try StressStage.transfer(amount, from, to, db) }
    case .deposit:
      stage.confirm(
        try await database.write { db in try stage.deposit(amount, in: place, db) })
    case .savepoints:
      let deposit = try await database.write { db in
        do {
          try db.transaction { db in
            _ = try stage.deposit(1, in: place, db)
            throw StressRefusal()
          }
        } catch is StressRefusal {}
        return try db.transaction { db in try stage.deposit(amount, in: place, db) }
      }
      stage.confirm(deposit)
    case .withoutTransaction:
      let deposit = try await database.withoutTransaction { db in
        try db.execute("PRAGMA optimize")
        return try db.transaction(.immediate) { db in try stage.deposit(amount, in: place, db) }
      }
      stage.confirm(deposit)
    case .snapshot:
      guard place != .third, miniorm_has_snapshots() != 0 else { return }
      let snapshot = try await database.snapshot()
      defer { snapshot.close() }
      async let second = snapshot.read { db in
        try StressStage.check(db)
        return try stressDeposits.count(in: db)
      }
      let first = try await snapshot.read { db in try stressDeposits.count(in: db) }
      guard try await second == first else {
        throw StressProblem(description: "a snapshot has two states")
      }
    case .function:
      let asked = Bool.random(using: &random) ? place : other
      let differences = try await database.read { db in
        try db.query(Int.self, "SELECT difference_of(\(asked.rawValue))")
      }
      guard asked != place, differences == [0] else {
        throw StressProblem(description: "difference_of(\(asked)) returned \(differences)")
      }
    case .readSynchronously: try Self.readSynchronously(database)
    case .depositSynchronously: try Self.depositSynchronously(amount, in: place, stage)
    case .depositInside:
      let deposit = try await database.write { db in
        let deposit = try stage.deposit(amount, in: place, db)
        try Self.depositSynchronously(1, in: other, stage)
        return deposit
      }
      stage.confirm(deposit)
    default: try await database.read { _ in try Self.readSynchronously(stage[other]) }
    }
  }

  private static func readSynchronously(_ database: Database) throws {
    try database.readSynchronously { db in try StressStage.check(db) }
  }

  private static func depositSynchronously(
    _ amount: Int, in place: StressStage.Place, _ stage: StressStage
  ) throws {
    stage.confirm(
      try stage[place].writeSynchronously { db in try stage.deposit(amount, in: place, db) })
  }

  // MARK: Observations

  private func observe(_ database: Database) async throws {
    switch self {
    case .values:
      var count = 0
      for try await _ in database.values({ db in try StressStage.check(db) }) {
        count += 1
        if count == 3 { break }
      }
    case .valuesOfCopies:
      try await observeTwice(database)
    case .changes:
      var changes = stressAccounts.changes(in: database).makeAsyncIterator()
      _ = await changes.next()
      var all = database.changes().makeAsyncIterator()
      _ = await all.next()
    default:
      let observed = await ObservedValues(stressDeposits.values(in: database))
      try await Task.sleep(for: .milliseconds(5))
      _ = await observed.value
    }
  }

  /// Waits for a value with two copies of an iterator.
  @MainActor private func observeTwice(_ database: Database) async throws {
    var first = stressAccounts.values(in: database).makeAsyncIterator()
    _ = try await first.next()
    let copy = first
    let other = Task { @MainActor in
      var copy = copy
      _ = try await copy.next()
    }
    let result: Result<Void, any Error>
    do { result = .success(_ = try await first.next()) } catch { result = .failure(error) }
    try await withTaskCancellationHandler {
      try await other.value
    } onCancel: {
      other.cancel()
    }
    try result.get()
  }

  // MARK: Lifetime

  private func changeLifetime(
    _ place: StressStage.Place, _ stage: StressStage, _ random: inout SeededRandom
  ) async throws {
    switch self {
    case .suspend:
      try await stage.exclusively("suspend \(place)") {
        let database = stage[place]
        defer { database.resume() }
        try await database.suspend()
        try? await Task.sleep(for: .milliseconds(10))
      }
    case .reopen:
      // The first database stays, so that the file always has a user. The key of the third varies.
      let interrupting = Bool.random(using: &random)
      try await stage.exclusively("reopen") {
        try await stage.reopen(.second, interrupting: interrupting)
      }
    case .open:
      let memory = try await Database.inMemory()
      try await memory.migrate(StressStage.schema)
      try await memory.close()
      let path = stage.folder + "/\(stage.newNumber()).db"
      let file = try await Database(path: path, key: StressStage.keys[0])
      try await file.close()
      try Database.delete(path: path)
    default: stage[place].releaseMemory()
    }
  }
}
