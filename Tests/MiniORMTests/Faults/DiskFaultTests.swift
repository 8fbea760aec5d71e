#if os(Linux)
  import Foundation
  import Testing

  @testable import MiniORM

  /// Each VFS call of SQLite fails in turn, in separate processes.
  ///
  /// MINIORM_FAULTS=all fails every call of each kind; a number fails that many.
  /// MINIORM_FAULT_CALL=delete fails only calls of that kind.
  @Suite("All operations while the disk fails")
  struct DiskFaultTests {
    // Regression cases: the errors at these steps were once wrong.
    private static let places: [(MixedScript.Step, [FaultyDisk.Call])] = [
      (.create, [.lock, .access, .size, .sharedLock]), (.migrate, [.lock, .access, .sync]),
      (.query, [.access, .lock, .read]), (.reopen, [.open, .delete]), (.attach, [.delete]),
      (.encrypt, [.open, .read]), (.decrypt, [.read, .full]), (.check, [.read]),
      (.salvage, [.lock, .read, .full]), (.changeKey, [.read, .sync]), (.update, [.read, .sync]),
      (.restore, [.read, .sync]), (.export, [.read]), (.insert, [.sync]), (.delete, [.sync]),
      (.writeAttached, [.sync]),
    ]

    @Test("calls that failed in earlier versions")
    func steps() async throws {
      let text = try await Self.inProcess(
        isOfPlaces: true, samples: FaultRun.samples, modes: ["WAL", "DELETE"],
        lasting: [false, true])
      #expect(text.hasPrefix("figure: "), "\(text)")
    }

    @Test(
      "whichever call fails, the error is correct, and later calls work",
      arguments: [Configuration.JournalMode.wal, .delete], [false, true])
    func calls(mode: Configuration.JournalMode, lasting: Bool) async throws {
      let text = try await Self.inProcess(
        isOfPlaces: false, samples: FaultRun.samples, modes: [mode.rawValue], lasting: [lasting])
      #expect(text.hasPrefix("figure: "), "\(text)")
      if FaultRun.samples != 1 { print(text) }
    }

    /// Runs in a separate process, because faults are process-wide.
    private static func inProcess(
      isOfPlaces: Bool, samples: Int?, modes: [String], lasting: [Bool]
    ) async throws -> String {
      try await withTemporaryPath { report in
        await #expect(processExitsWith: .success) {
          [
            report = report as String, isOfPlaces = isOfPlaces as Bool, samples = samples as Int?,
            modes = modes as [String], lasting = lasting as [Bool]
          ] in
          await Self.report(to: report, isOfPlaces, samples, modes, lasting)
        }
        return try String(
          contentsOfFile: DatabaseFile.exists(report) ? report : report + ".hang", encoding: .utf8)
      }
    }

    private static func report(
      to path: String, _ isOfPlaces: Bool, _ samples: Int?, _ modes: [String], _ lasting: [Bool]
    ) async {
      FaultRun.watch(report: path + ".hang")
      var text: String
      do {
        text = try await tryAll(isOfPlaces ? places : nil, samples, modes, lasting)
      } catch {
        text = "\(error)"
      }
      try? text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func tryAll(
      _ places: [(MixedScript.Step, [FaultyDisk.Call])]?, _ samples: Int?, _ modes: [String],
      _ lasting: [Bool]
    ) async throws -> String {
      try #require(FaultyDisk.install())
      let all = places?.map { (step: MixedScript.Step?.some($0.0), calls: $0.1) }
      let only = ProcessInfo.processInfo.environment["MINIORM_FAULT_CALL"]
      let work =
        all ?? [(nil, FaultyDisk.Call.allCases.filter { only == nil || $0.rawValue == only })]
      var lines: [String] = []
      var failures: [String] = []
      for mode in modes {
        var configuration = Configuration()
        configuration.journalMode =
          try #require(Configuration.JournalMode(rawValue: mode)) as Configuration.JournalMode
        configuration.busyTimeout = .milliseconds(50)
        var run = FaultRun(configuration)
        try await run.learn()
        for isLasting in lasting {
          let before = run.tally
          var counts: [String] = []
          for (step, calls) in work {
            for call in calls {
              let fault = fault(call, isLasting, mode)
              // A step makes few syncs, and each decides the outcome: try all of them.
              let samples = step != nil && call == .sync ? nil : samples
              let count = try await tryEach(fault, step, samples, &run, &failures)
              counts.append("\(call) \(min(samples ?? count, count)) of \(count)")
            }
          }
          lines.append(
            "figure: \(mode)\(isLasting ? " lasting" : ""): \(run.tally.faults - before.faults) faults, "
              + "\(run.tally.errors - before.errors) errors: \(counts.joined(separator: ", "))")
        }
      }
      guard failures.isEmpty else {
        return "\(failures.count) failures:\n" + failures.joined(separator: "\n")
      }
      return lines.joined(separator: "\n")
    }

    /// - Returns: The number of calls that could fail.
    private static func tryEach(
      _ fault: FaultRun.Fault, _ step: MixedScript.Step?, _ samples: Int?, _ run: inout FaultRun,
      _ failures: inout [String]
    ) async throws -> Int {
      let isThere = try await run.run(.max, fault, in: step)
      try #require(!isThere)
      let count = run.calls
      var numbers = Array(1...max(1, count))
      var random = SeededRandom(UInt64(count))
      if let samples { numbers = Array(numbers.shuffled(using: &random).prefix(samples)) }
      for number in numbers {
        do {
          _ = try await run.run(number, fault, in: step)
        } catch {
          failures.append("\(error)")
        }
      }
      return count
    }

    private static func fault(
      _ call: FaultyDisk.Call, _ isLasting: Bool, _ mode: String
    ) -> FaultRun.Fault {
      FaultRun.Fault(
        name: "\(mode) \(call)\(isLasting ? " lasting" : "")",
        arm: { number in
          guard let number else { return FaultyDisk.disarm() }
          FaultyDisk.arm(call, number, lasting: isLasting)
        },
        struck: { FaultyDisk.struck }, count: { FaultyDisk.count },
        // PRAGMA cipher_integrity_check ignores a failed xFileSize, and then reads endlessly.
        spared: call == .size ? FaultRun.checkedSteps : [],
        codes: [.inputOutput, .full, .cannotOpen])
    }
  }
#endif
