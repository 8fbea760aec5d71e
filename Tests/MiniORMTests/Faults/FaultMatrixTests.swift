#if os(Linux)
  import Foundation
  import Testing

  @testable import MiniORM

  /// Runs each whole-file operation in each journal mode while system calls fail, once or
  /// persistently.
  ///
  /// The files are several times larger than SQLite's page cache, so pages spill before the commit.
  /// MINIORM_MATRIX=24 fails up to 24 calls of each kind. By default, a seed draws three failures
  /// for each operation and mode.
  @Suite(
    "File operations while system calls fail",
    .enabled(if: SystemFaults.exist, "System calls cannot fail here"))
  struct FaultMatrixTests {
    private static let rows = 1_500
    private static let modes: [Configuration.JournalMode] = [.wal, .delete, .truncate, .persist]
    /// The maximum number of failing calls of each kind; nil to draw a few at random.
    private static let count =
      ProcessInfo.processInfo.environment["MINIORM_MATRIX"].flatMap { Int($0) }

    private struct Fault: CustomStringConvertible {
      var call: SystemFaults.Call
      var number: Int
      var count: Int
      var isLasting: Bool

      var description: String { "\(call) \(number) of \(count)\(isLasting ? ", lasting" : "")" }
    }

    private struct Tally {
      var runs = 0
      var errors = 0
      var lost: [String] = []
      var unreadable: [String] = []
      var untrue: [String] = []

      func figure(_ operation: FileOperation) -> String {
        "figure: \(operation): \(runs) runs, \(errors) errors, \(lost.count) lost, "
          + "\(unreadable.count) unreadable, \(untrue.count) errors that were not true"
      }

      var wrong: [String] { lost + unreadable + untrue }
    }

    @Test(
      "whichever call fails, the file has its complete old or new contents, as the error says",
      arguments: FileOperation.allCases)
    func matrix(operation: FileOperation) async throws {
      let report = try await withTemporaryPath { report in
        // Runs in a separate process, because faults are process-wide.
        await #expect(processExitsWith: .success) {
          [report = report as String, operation = operation.rawValue as String] in
          FaultRun.watch(report: report + ".hang")
          let operation = try #require(FileOperation(rawValue: operation))
          var text: String
          do { text = try await Self.run(operation) } catch { text = "\(error)" }
          try text.write(toFile: report, atomically: true, encoding: .utf8)
        }
        return try String(
          contentsOfFile: DatabaseFile.exists(report) ? report : report + ".hang", encoding: .utf8)
      }
      let lines = report.split(separator: "\n")
      #expect(lines.count == 1 && report.hasPrefix("figure: "), "\(report)")
      if Self.count != nil { print(lines.first ?? "") }
    }

    private static func run(_ operation: FileOperation) async throws -> String {
      var tally = Tally()
      for mode in modes {
        try await withTemporaryDirectory { folder in
          let original = folder + "/original"
          try operation.prepare(original, rows: rows, mode: mode, spills: true)
          try await checkSpills(operation, original)
          for fault in try await faults(operation, mode, folder) {
            try await run(operation, mode, folder, fault, &tally)
          }
        }
      }
      return ([tally.figure(operation)] + tally.wrong).joined(separator: "\n")
    }

    /// Requires at least four times as many pages as the page cache holds.
    private static func checkSpills(_ operation: FileOperation, _ folder: String) async throws {
      let isUpgrade = operation == .upgrade
      let size = DatabaseFile.size(folder + "/a.db") / (isUpgrade ? 1024 : 4096)
      try #require(size >= 4 * Int64(FileOperation.spillingCacheSize))
      guard !isUpgrade else { return }
      let key = operation == .encrypt ? nil : FileOperation.key
      var configuration = Configuration()
      configuration.cacheSize = FileOperation.spillingCacheSize * 4096
      let database = try await Database(
        path: folder + "/a.db", key: key, configuration: configuration)
      let cached = try await database.values("PRAGMA cache_size")  // −1 × KiB
      try #require(cached == [.integer(-4 * Int64(FileOperation.spillingCacheSize))])
      try await database.close()
    }

    private static func refresh(_ folder: String) throws -> String {
      let work = folder + "/work"
      try? FileManager.default.removeItem(atPath: work)
      try FileManager.default.copyItem(atPath: folder + "/original", toPath: work)
      return work
    }

    /// Counts the calls of an operation and chooses the calls that fail.
    private static func faults(
      _ operation: FileOperation, _ mode: Configuration.JournalMode, _ folder: String
    ) async throws -> [Fault] {
      let work = try refresh(folder)
      try await operation.run(work, mode: mode) { SystemFaults.arm(folder) }
      SystemFaults.disarm()
      let counts = SystemFaults.Call.allCases.map { ($0, SystemFaults.count(of: $0)) }
      try #require(try await operation.state(work, rows: rows) == .new)
      let all = counts.filter { $0.1 > 0 }.flatMap { call, count in
        [true, false].flatMap { isLasting in
          let parts = min(count, Self.count ?? 8)
          // Evenly spread; includes the last call.
          return (1...parts).map { part in
            Fault(call: call, number: count * part / parts, count: count, isLasting: isLasting)
          }
        }
      }
      guard Self.count == nil else { return all }
      var random = SeededRandom(
        UInt64(operation.rawValue.utf8.count * 7 + mode.rawValue.utf8.count))
      // Persistent write failure from the middle on, then random faults.
      let middle = all.first { $0.call == .pwrite64 && $0.number >= $0.count / 2 }
      return (middle.map { [$0] } ?? []) + all.shuffled(using: &random).prefix(2)
    }

    private static func run(
      _ operation: FileOperation, _ mode: Configuration.JournalMode, _ folder: String,
      _ fault: Fault,
      _ tally: inout Tally
    ) async throws {
      let place = "\(operation), \(mode.rawValue), \(fault)"
      FaultRun.note(place)
      let work = try refresh(folder)
      var thrown: DatabaseError?
      do {
        try await operation.run(work, mode: mode) {
          SystemFaults.arm(folder, fault.call, fault.number, lasting: fault.isLasting)
        }
      } catch let error as DatabaseError {
        // A failed close happens after the operation succeeded.
        if error.operation != .close { thrown = error }
      }
      SystemFaults.disarm()
      tally.runs += 1
      if thrown != nil { tally.errors += 1 }
      let said = "\(place): \(thrown.map { "\($0)" } ?? "no error")"
      do {
        let state = try await operation.state(work, rows: rows)
        let isTrue = (state == .old) == (thrown != nil) || thrown?.operation.isUncertain == true
        if !isTrue { tally.untrue.append("\(said), and the file is \(state.rawValue)") }
      } catch let wrong as FileOperation.Wrong {
        let line = "\(said): \(wrong)"
        if wrong.description.hasPrefix("0 keys") {
          tally.unreadable.append(line)
        } else {
          tally.lost.append(line)
        }
      } catch let error as DatabaseError {
        tally.unreadable.append("\(said): \(error)")
      }
    }
  }
#endif
