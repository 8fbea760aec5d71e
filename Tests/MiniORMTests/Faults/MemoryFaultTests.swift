#if os(Linux)
  import CSQLCipher
  import Foundation
  import Testing

  @testable import MiniORM

  /// Each allocation of SQLite's fails in turn, in a process of its own.
  ///
  /// MINIORM_FAULTS=all has each of them fail, and a number 20 times as many, evenly spread.
  @Suite("All kinds of work while there is no memory")
  struct MemoryFaultTests {
    /// Whether all that follow fail too. SQLCipher 4.6.1 frees a key's text twice where it cannot copy the derived
    /// key (`sqlcipher_cipher_ctx_copy`), which ends the process: those are tried where a number is asked for.
    private static let lastings = FaultRun.samples == 1 ? [false] : [false, true]

    @Test(
      "whichever allocation fails, an error says what is true, and everything goes on",
      arguments: [Configuration.JournalMode.wal, .delete], lastings)
    func allocations(mode: Configuration.JournalMode, lasting: Bool) async throws {
      let samples = FaultRun.samples
      try await withTemporaryPath { report in
        await #expect(processExitsWith: .success) {
          [
            report = report as String, mode = mode.rawValue as String, lasting = lasting as Bool,
            samples = samples as Int?
          ] in
          await Self.report(to: report, mode, lasting, samples)
        }
        let text = try String(
          contentsOfFile: DatabaseFile.exists(report) ? report : report + ".hang", encoding: .utf8)
        #expect(text.hasPrefix("figure: "), "\(text)")
        if samples != 1 { print(text) }
      }
    }

    private static func report(
      to path: String, _ mode: String, _ lasting: Bool, _ samples: Int?
    ) async {
      FaultRun.watch(report: path + ".hang")
      var text: String
      do { text = try await tryAll(mode, lasting, samples) } catch { text = "\(error)" }
      try? text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func tryAll(
      _ mode: String, _ lasting: Bool, _ samples: Int?
    ) async throws -> String {
      try #require(FaultyMemory.install())
      var configuration = Configuration()
      configuration.journalMode = try #require(Configuration.JournalMode(rawValue: mode))
      configuration.busyTimeout = .milliseconds(50)
      let fault = FaultRun.Fault(
        name: "\(mode) allocation\(lasting ? " lasting" : "")",
        arm: { number in
          guard let number else { return FaultyMemory.disarm() }
          FaultyMemory.arm(number, lasting: lasting)
        },
        struck: { FaultyMemory.struck }, count: { FaultyMemory.count },
        failsInspection: true, codes: [ResultCode(rawValue: SQLITE_NOMEM)])
      var run = FaultRun(configuration)
      try await run.learn()
      let isThere = try await run.run(.max, fault)
      try #require(!isThere)
      let count = run.calls
      try #require(count > 1_000)
      var failures: [String] = []
      let step = samples.map { max(1, count / ($0 * 20)) } ?? 1
      var numbers = 0
      for number in stride(from: 1 + (lasting ? step / 2 : 0), through: count, by: step) {
        numbers += 1
        do {
          _ = try await run.run(number, fault)
        } catch {
          failures.append("\(error)")
        }
      }
      guard failures.isEmpty else {
        return "\(failures.count) failures of \(numbers):\n" + failures.joined(separator: "\n")
      }
      return "figure: \(fault.name): \(run.tally.faults) of \(count) failed, "
        + "\(run.tally.errors) errors"
    }
  }
#endif
