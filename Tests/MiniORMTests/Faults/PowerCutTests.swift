#if os(Linux)
  import Foundation
  import Synchronization
  import Testing

  @testable import MiniORM

  /// Opens the files left by power cuts at many moments, with different unsynced writes lost.
  ///
  /// MINIORM_POWERCUTS=20 runs 20 times for each journal mode and level.
  @Suite("Power cuts")
  struct PowerCutTests {
    private static let runs =
      ProcessInfo.processInfo.environment["MINIORM_POWERCUTS"].flatMap { Int($0) } ?? 1

    @Test(
      "a power cut loses only the changes that the synchronous level permits",
      arguments: [Configuration.JournalMode.wal, .delete, .truncate, .persist],
      [Configuration.Synchronous.normal, .full, .extra])
    func cuts(mode: Configuration.JournalMode, level: Configuration.Synchronous) async throws {
      try await withTemporaryPath { report in
        await #expect(processExitsWith: .success) {
          [
            report = report as String, mode = mode.rawValue as String,
            level = level.rawValue as String, runs = Self.runs as Int
          ] in
          await Self.report(to: report, mode, level, runs)
        }
        let text = try String(contentsOfFile: report, encoding: .utf8)
        #expect(text.hasPrefix("figure: "), "\(text)")
        if Self.runs > 1 { print(text) }
      }
    }

    private static func report(
      to path: String, _ mode: String, _ level: String, _ runs: Int
    ) async {
      var text: String
      do { text = try await cutAll(mode, level, runs) } catch { text = "\(error)" }
      try? text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// The number of recent commits that a power cut may lose.
    private static func allowance(
      _ mode: Configuration.JournalMode, _ level: Configuration.Synchronous
    ) -> Int {
      switch (mode, level) {
      case (.wal, .normal): .max
      // The journal's deletion or truncation may not be durable yet.
      case (.delete, .full), (_, .normal): 1
      default: 0
      }
    }

    private enum Work: Sendable { case write(Int), changeKey, migrate, vacuum, checkpoint, backup }

    /// Returns random work, and the file's state before the work and after each step.
    private static func work(_ random: inout SeededRandom) -> ([Work], [Ledger.State]) {
      var state = Ledger.State()
      var work: [Work] = []
      var states = [state]
      for number in 0..<26 {
        let next: Work =
          switch number {
          case 0, 15: .migrate
          case 9, 21: .changeKey
          case 12: .vacuum
          case 18: .checkpoint
          case 20: .backup
          default: .write(Int.random(in: 1...1_500, using: &random))
          }
        switch next {
        case .write: state.count += 1
        case .changeKey: state.key = 1 - state.key
        case .migrate: state.version += 1
        case .vacuum, .checkpoint, .backup: break
        }
        work.append(next)
        states.append(state)
      }
      return (work, states)
    }

    private static func run(_ work: Work, _ database: Database, _ after: Ledger.State) async throws
    {
      switch work {
      case .write(let size): try await Ledger.write(after.count, to: database, size: size)
      case .changeKey: try await database.changeKey(to: Ledger.keys[after.key])
      case .vacuum: try await database.vacuum()
      case .checkpoint: _ = try await database.checkpoint(.truncate)
      case .migrate: try await database.migrate(Ledger.schema(after.version))
      // The copy's own writes bypass SQLite, so only the source is inspected.
      case .backup: try await database.backup(to: database.path + "-copy")
      }
    }

    private static func cutAll(_ mode: String, _ level: String, _ runs: Int) async throws -> String
    {
      try #require(FaultyDisk.install())
      var configuration = Configuration()
      let journal = try #require(Configuration.JournalMode(rawValue: mode))
      configuration.journalMode = journal
      configuration.synchronous = try #require(Configuration.Synchronous(rawValue: level))
      let allowance = allowance(journal, configuration.synchronous)
      // Documented by SQLite: with a rollback journal and `synchronous=NORMAL`, a power cut can
      // damage the file. This disk preserves no write order.
      let mayDamage = configuration.journalMode != .wal && configuration.synchronous == .normal
      var (cuts, undone, damaged) = (0, 0, 0)
      var failures: [String] = []
      for seed in 1...max(1, runs) {
        let (images, states) = try await images(UInt64(seed), configuration)
        for image in images {
          cuts += 1
          do {
            let state = try await state(of: image, configuration)
            let done = image.acknowledged
            // A step without changes is not a commit that can be lost.
            var first = allowance == .max ? 0 : done
            if allowance == 1 {
              while first > 0, states[first] == states[done] { first -= 1 }
            }
            guard states[first...min(done + 1, states.count - 1)].contains(state) else {
              throw MixedScript.Wrong("\(state), and acknowledged was \(states[done])")
            }
            if !states[done...].contains(state) { undone += 1 }
          } catch {
            if mayDamage {
              damaged += 1
            } else {
              failures.append("\(mode) \(level), seed \(seed), \(image.circumstances): \(error)")
            }
          }
        }
      }
      guard failures.isEmpty else {
        return "\(failures.count) failures of \(cuts):\n" + failures.joined(separator: "\n")
      }
      return "figure: \(mode) \(level): \(cuts) power cuts, \(undone) of which undid a commit, "
        + "\(damaged) damaged the file"
    }

    /// Does the work once, and returns the images left by power cuts at random moments.
    private static func images(
      _ seed: UInt64, _ configuration: Configuration
    ) async throws -> ([DiskRecord.Image], [Ledger.State]) {
      try await withTemporaryDirectory { folder in
        var random = SeededRandom(seed)
        let (work, states) = work(&random)
        let progress = Progress()
        let record = DiskRecord(seed: seed, period: 20) { progress.count }
        FaultyDisk.record = record
        defer { FaultyDisk.record = nil }
        let database = try await Database(
          path: folder + "/a.db", key: Ledger.keys[0], configuration: configuration)
        for (index, work) in work.enumerated() {
          try await run(work, database, states[index + 1])
          progress.add()
        }
        try await database.close()
        return (record.images, states)
      }
    }

    private static func state(
      of image: DiskRecord.Image, _ configuration: Configuration
    ) async throws -> Ledger.State {
      try await withTemporaryDirectory { folder in
        for (path, bytes) in image.files {
          let name = path.dropFirst(DatabaseFile.parent(path).utf8.count)
          try Data(bytes).write(to: URL(fileURLWithPath: folder + name))
        }
        return try await Ledger.state(
          of: folder + "/a.db", configuration, toleratesFreePages: configuration.journalMode != .wal
        )
      }
    }

    private final class Progress: Sendable {
      private let done = Atomic(0)
      var count: Int { done.load(ordering: .sequentiallyConsistent) }
      func add() { done.add(1, ordering: .sequentiallyConsistent) }
    }
  }
#endif
