import Foundation
import MiniORM
import MiniORMBackup

/// The time from a commit to its state in a follower's copy, and the time to catch up.
struct Following {
  private let path: String
  private let store: FolderStore
  private let copy: String

  init(_ path: String, _ store: FolderStore, copy: String) {
    (self.path, self.store, self.copy) = (path, store, copy)
  }

  func run(_ commits: Int) async throws {
    let database = try await Database(path: path, key: key)
    try await database.write { db in
      try db.execute("CREATE TABLE last (number INTEGER)")
      try db.execute("INSERT INTO last VALUES (-1)")
    }
    let backup = ContinuousBackup(of: database, to: store, retention: nil)
    try await backup.start()
    try await backup.flush()
    var start = ContinuousClock.now
    var follower = try await Database.follow(store, to: copy, keys: [key])
    let first = ContinuousClock.now - start
    var configuration = Configuration()
    configuration.isReadOnly = true
    let reader = try await Database(path: copy, key: key, configuration: configuration)
    var random = SplitMix(state: 1)
    var (lags, flushes): ([Duration], [Duration]) = ([], [])
    for number in 0..<commits {
      try await Task.sleep(for: .milliseconds(.random(in: 300...1_500, using: &random)))
      start = .now
      try await database.write { db in try db.execute("UPDATE last SET number = \(number)") }
      while try await state(reader) < number {
        guard ContinuousClock.now - start < .seconds(30) else {
          throw BenchFailure("the copy has no new state within 30 s")
        }
        usleep(1_000)
      }
      lags.append(.now - start)
    }
    for number in 0..<commits {
      try await backup.flush()
      try await change(database, rows: 1, seed: number)
      start = .now
      try await backup.flush()
      try await follower.catchUp()
      flushes.append(.now - start)
    }
    await follower.stop()
    try await reader.close()
    // As in the measurement of the backup's lag.
    for number in 0..<2_000 { try await change(database, rows: 5, seed: 1_000 + number) }
    try await backup.flush()
    start = .now
    follower = try await Database.follow(store, to: copy, keys: [key])
    try await follower.catchUp()
    let catchUp = ContinuousClock.now - start
    await follower.stop()
    await backup.stop()
    try await database.close()
    report([
      "first": first / .seconds(1), "median": lags.median, "worst": lags.worst,
      "flush": flushes.median, "worstFlush": flushes.worst, "catchUp": catchUp / .seconds(1),
    ])
  }

  private func state(_ reader: Database) async throws -> Int {
    try await reader.read { db in try db.value(Int.self, "SELECT number FROM last") ?? -1 }
  }
}
