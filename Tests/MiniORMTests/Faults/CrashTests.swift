#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import MiniORM

  /// Processes write, migrate, rekey and back up, and log each finished step, until they are
  /// killed.
  ///
  /// MINIORM_CRASHES=1000 kills that many processes, spread over all journal modes and levels.
  @Suite("Killed processes")
  struct CrashTests {
    /// The number of kills for each journal mode and synchronous level.
    private static let kills: Int = {
      let all = ProcessInfo.processInfo.environment["MINIORM_CRASHES"].flatMap { Int($0) } ?? 16
      return max(1, (all + 15) / 16)
    }()

    @Test(
      "after a kill, every acknowledged change is stored, and none is stored in part",
      arguments: [Configuration.JournalMode.wal, .delete, .truncate, .persist],
      [Configuration.Synchronous.off, .normal, .full, .extra])
    func killed(mode: Configuration.JournalMode, level: Configuration.Synchronous) async throws {
      var configuration = Configuration()
      configuration.journalMode = mode
      configuration.synchronous = level
      var random = SeededRandom(
        "\(mode)\(level)".utf8.reduce(0 as UInt64) { $0 &* 31 &+ UInt64($1) })
      var (commits, finished) = (0, 0)
      // Starts a new file every 20 kills.
      for first in stride(from: 0, to: Self.kills, by: 20) {
        try await withTemporaryDirectory { folder in
          for kill in first..<min(Self.kills, first + 20) {
            let delay = Int.random(in: 1_000...120_000, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
              [
                folder = folder as String, mode = mode.rawValue as String,
                level = level.rawValue as String, delay = delay as Int, seed = kill as Int
              ] in
              try await Self.workUntilKilled(folder, mode, level, delay, seed)
            }
            let place = Comment(rawValue: "\(mode) \(level), kill \(kill), after \(delay) µs")
            do {
              let (said, isFinished) = try await Self.check(folder, configuration)
              commits += said
              finished += isFinished ? 1 : 0
            } catch {
              Issue.record(error, place)
              return
            }
          }
        }
      }
      if Self.kills > 1 {
        print(
          "figure: \(mode) \(level): \(Self.kills) killed, \(commits) pieces of work said to be done, "
            + "\(finished) done and not said")
      }
    }

    // MARK: The process

    private static func workUntilKilled(
      _ folder: String, _ mode: String, _ level: String, _ delay: Int, _ seed: Int
    ) async throws {
      var configuration = Configuration()
      configuration.journalMode =
        try #require(Configuration.JournalMode(rawValue: mode)) as Configuration.JournalMode
      configuration.synchronous = try #require(Configuration.Synchronous(rawValue: level))
      var random = SeededRandom(UInt64(seed))
      Thread.detachNewThread {
        usleep(UInt32(delay))
        kill(getpid(), SIGKILL)
      }
      let path = folder + "/a.db"
      let (database, key) = try await Ledger.open(path, configuration)
      var state = Ledger.State(key: key)
      if case .integer(let version) = try await database.values("PRAGMA user_version").first {
        state.version = Int32(version)
      }
      if state.version > 0,
        case .integer(let count) = try await database.values(
          "SELECT coalesce(max(number), 0) FROM entry"
        ).first
      {
        state.count = Int(count)
      }
      let log = open(folder + "/log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
      func say(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = write(log, line, line.count)
      }
      while true {
        switch state.version == 0 ? 0 : Int.random(in: 0..<24, using: &random) {
        case 0:
          state.version += 1
          say("begin \(state.count) \(state.key) \(state.version)")
          try await database.migrate(Ledger.schema(state.version))
        case 1:
          state.key = 1 - state.key
          say("begin \(state.count) \(state.key) \(state.version)")
          try await database.changeKey(to: Ledger.keys[state.key])
        case 2:
          try await database.backup(to: folder + "/b.db", replacing: true)
          say("copied \(state.count) \(state.key) \(state.version)")
        default:
          state.count += 1
          say("begin \(state.count) \(state.key) \(state.version)")
          let size = Int.random(in: 1...900, using: &random)
          try await Ledger.write(state.count, to: database, size: size)
        }
        say("done \(state.count) \(state.key) \(state.version)")
      }
    }

    // MARK: The remains

    /// - Returns: The number of steps logged as finished, and true if the step begun last was
    ///   finished too.
    private static func check(
      _ folder: String, _ configuration: Configuration
    ) async throws -> (said: Int, isFinished: Bool) {
      let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
      let lines = log.split(separator: "\n").map { $0.split(separator: " ") }
      func state(_ words: [Substring]?) -> Ledger.State {
        guard let words, words.count == 4, let count = Int(words[1]), let key = Int(words[2]),
          let version = Int32(words[3])
        else { return Ledger.State() }
        return Ledger.State(count: count, key: key, version: version)
      }
      let said = state(lines.last { $0.first == "done" })
      let begun = lines.last.map { $0.first == "begin" ? state($0) : said } ?? said
      let found = try await Ledger.state(of: folder + "/a.db", configuration)
      guard found == said || found == begun else {
        throw MixedScript.Wrong("\(found): it had said \(said), and begun \(begun)")
      }
      let copied = lines.last { $0.first == "copied" }
      let (least, copy) = (
        state(copied), try await Ledger.state(of: folder + "/b.db", configuration)
      )
      guard (least.count...found.count).contains(copy.count),
        (least.version...found.version).contains(copy.version)
      else {
        throw MixedScript.Wrong(
          "the backup has \(copy), one of \(least) had been said, and the file has \(found)")
      }
      // The next process continues from the state found here.
      try? FileManager.default.removeItem(atPath: folder + "/log")
      for name in try names(in: folder) where name.contains(".miniorm-") {
        try FileManager.default.removeItem(atPath: folder + "/" + name)
      }
      try
        ("done \(found.count) \(found.key) \(found.version)\n"
        + "copied \(copy.count) \(copy.key) \(copy.version)\n").write(
          toFile: folder + "/log", atomically: true, encoding: .utf8)
      // The first line may come from the previous check.
      let new = lines.first?.first == "done" ? lines.dropFirst() : lines[...]
      return (new.count { $0.first == "done" }, found == begun && found != said)
    }
  }
#endif
