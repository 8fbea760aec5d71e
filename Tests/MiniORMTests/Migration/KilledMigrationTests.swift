import Foundation
import Testing

@testable import MiniORM

#if os(Linux) || os(macOS)
  /// Runs migrations in separate processes: exit tests restart the test program.
  @Suite("Migrations in other processes")
  struct KilledMigrationTests {
    @Test(
      "a migration killed at any moment leaves a complete version",
      arguments: ["WAL", "DELETE"], [1, 2] as [UInt64])
    func killed(journalMode: String, seed: UInt64) async throws {
      try await withTemporaryDirectory { folder in
        let (original, path) = (folder + "/original.db", folder + "/killed.db")
        try await Shop.create(original, journalMode)
        var whole: [[String]] = []
        for stage in Shop.stages {
          try Shop.copy(original, to: path)
          let database = try await Shop.open(path, journalMode)
          if let stage { try await database.migrate(stage) }
          whole.append(try await database.contents())
          try await database.close()
        }
        let new = try #require(whole.last)

        // Measures the duration without an interruption.
        try Shop.copy(original, to: path)
        await #expect(processExitsWith: .success) {
          [path = path as String, journalMode = journalMode as String] in
          let database = try await Shop.open(path, journalMode)
          let duration = try await ContinuousClock().measure {
            try await database.migrate(Shop.schema)
          }
          try "\(Int(duration / .microseconds(1)))".write(
            toFile: path + ".duration", atomically: true, encoding: .utf8)
        }
        let text = try String(contentsOfFile: path + ".duration", encoding: .utf8)
        let duration = try #require(Int(text))

        var random = SeededRandom(seed)
        let moments = 13
        for moment in 0..<moments {
          try Shop.copy(original, to: path)
          // 1.5 times the duration, because other tests may slow this test down.
          let part = duration * 3 / 2
          let delay = (part * moment + Int.random(in: 0..<part, using: &random)) / moments
          await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, journalMode = journalMode as String, delay = delay as Int] in
            let database = try await Shop.open(path, journalMode)
            Thread.detachNewThread {
              usleep(UInt32(delay))
              kill(getpid(), SIGKILL)
            }
            try await database.migrate(Shop.schema)
            while true { pause() }
          }
          let database = try await Shop.open(path, journalMode)
          let contents = try await database.contents()
          #expect(
            whole.map(Self.withoutObjects).contains(Self.withoutObjects(contents)),
            "after \(delay) of \(duration) µs: \(contents.prefix(1))")
          #expect(try await database.damage() == [])
          try await database.migrate(Shop.schema)
          #expect(try await database.contents() == new)
          #expect(try await database.damage() == [])
          try await database.close()
        }
      }
    }

    /// The contents without the record of declared objects: the schemas of the stages declare no models.
    private static func withoutObjects(_ contents: [String]) -> [String] {
      contents.filter { !$0.hasPrefix("miniorm_objects [") }
    }

    @Test(
      "of two processes that migrate a file, one migrates it and the other finds it migrated",
      arguments: ["WAL", "DELETE"], [true, false])
    func together(journalMode: String, exists: Bool) async throws {
      try await withTemporaryDirectory { folder in
        let (original, path) = (folder + "/original.db", folder + "/shared.db")
        try await Shop.create(original, journalMode)
        for round in 1...4 {
          try Database.delete(path: path)
          if exists { try Shop.copy(original, to: path) }
          let marks = (1...2).map { "\(path).\(round).\($0)" }
          await withTaskGroup(of: Void.self) { group in
            for (mine, other) in [(marks[0], marks[1]), (marks[1], marks[0])] {
              group.addTask {
                await #expect(processExitsWith: .success) {
                  [
                    path = path as String, journalMode = journalMode as String,
                    mine = mine as String, other = other as String
                  ] in
                  let database = try await Shop.open(path, journalMode)
                  // Both processes begin at once.
                  try Data().write(to: URL(fileURLWithPath: mine))
                  // Waits with a timeout, because the other process may have failed.
                  let end = Date(timeIntervalSinceNow: 10)
                  while !FileManager.default.fileExists(atPath: other), Date() < end {
                    usleep(100)
                  }
                  try await database.migrate(Shop.schema)
                  try await database.close()
                }
              }
            }
          }
          let database = try await Shop.open(path, journalMode)
          let history = try await database.migrationHistory().map { "\($0.version) \($0.name)" }
          #expect(history == (exists ? Shop.history : ["4 created"]))
          let log = try await database.values("SELECT text FROM log")
          #expect(log == (exists ? [.text("once, with \(Shop.people)")] : []))
          #expect(try await database.schemaReport(for: Shop.schema).isEmpty)
          #expect(try await database.damage() == [])
          try await database.close()
        }
      }
    }
  }
#else
  @Suite("Migrations in other processes")
  struct KilledMigrationTests {
    @Test("killed migrations", .disabled("A program cannot start another one here"))
    func killed() {}
  }
#endif
