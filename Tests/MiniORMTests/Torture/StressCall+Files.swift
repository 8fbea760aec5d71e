import Foundation
import Synchronization

@testable import MiniORM
@testable import MiniORMRepair

extension StressCall {
  /// Runs a call on a whole file.
  func runOnFile(
    _ place: StressStage.Place, _ stage: StressStage, _ random: inout SeededRandom
  ) async throws {
    let database = stage[place]
    let key = StressStage.keys[0]
    let path = stage.folder + "/\(stage.newNumber()).db"
    switch self {
    case .backup:
      defer { try? Database.delete(path: path) }
      try await database.backup(to: path, key: key)
      try await database.backup(to: path, key: key, replacing: true)
      try await Database.inspect(path: path, key: key) { copy in
        try await copy.read { db in try StressStage.check(db) }
      }
    case .copies:
      defer { for file in [path, path + ".salvaged"] { try? Database.delete(path: file) } }
      try await database.export(to: path, key: nil)
      try await Database.encrypt(path: path, key: key)
      let report = try await Database.salvage(path: path, key: key, to: path + ".salvaged")
      guard report.isComplete else { throw StressProblem(description: "\(report)") }
      try await Database.decrypt(path: path, key: key)
      let damage = try await Database.verify(path: path, key: nil)
      guard damage.isEmpty else { throw StressProblem(description: "\(damage)") }
    case .restore:
      let turn = FirstTurn()
      try await stage[.third].restore(from: stage.backup, key: key) { _ in turn.take(from: stage) }
      stage.noteRestored(at: turn.value)
    case .changeKey:
      // The other database of the shared file would not know its new key.
      let key = StressStage.keys[Int.random(in: 0...1, using: &random)]
      try await stage[.third].changeKey(to: key)
    case .attach:
      let name = "attached\(place)"
      try await stage.exclusively(name) {
        try await database.attach(stage.attachment, as: name, key: key)
        let result: Result<Void, any Error>
        do {
          result = .success(
            try await database.read { db in
              _ = try db.query("SELECT count(*) FROM \(identifier: name).note")
            })
        } catch {
          result = .failure(error)
        }
        try await Self.detach(name, from: database)
        try result.get()
      }
    case .checkpoint:
      _ = try await database.checkpoint(.truncate)
      try await database.optimize()
    case .vacuum: try await database.vacuum()
    case .integrity:
      let report = try await database.integrityReport()
      guard report.isEmpty else { throw StressProblem(description: "\(report)") }
    case .migrate:
      try await database.migrate(StressStage.schema)
      _ = try await database.migrationHistory()
    default:
      let plan = try await database.migrationPlan(for: StressStage.schema)
      _ = try await database.schemaReport(for: StressStage.schema)
      _ = try await database.cipherSettings()
      _ = try await database.journalMode()
      guard plan.isEmpty, database.statistics().readerCount <= 4 else {
        throw StressProblem(description: "\(plan), \(database.statistics())")
      }
    }
  }

  /// Detaches a file, also in a cancelled task and from a suspended database.
  private static func detach(_ name: String, from database: Database) async throws {
    try await Task.detached {
      while true {
        do {
          return try await database.detach(name)
        } catch let error as DatabaseError where [.abort, .busy].contains(error.code.primary) {
          try await Task.sleep(for: .milliseconds(5))
        } catch let error as DatabaseError where error.message.contains("closed") {
          return
        }
      }
    }.value
  }
}

/// The turn at the first report of progress, while the writer is in use.
private final class FirstTurn: Sendable {
  private let first = Mutex(0)

  var value: Int { first.withLock { $0 } }

  func take(from stage: StressStage) {
    first.withLock { if $0 == 0 { $0 = stage.nextTurn() } }
  }
}
