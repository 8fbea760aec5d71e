import Foundation
import Synchronization
import Testing

@testable import MiniORM

#if os(Linux) || os(macOS)
  /// 200 tasks make all kinds of calls on three databases, two of which share a file.
  ///
  /// A separate process, whose pool of Swift has a thread per processor: `taskset -c 0,1` limits
  /// it to two. Synchronous calls block these threads.
  @Suite("All calls together")
  struct StressTests {
    private static let taskCount = 200
    private static let environment = ProcessInfo.processInfo.environment

    /// The time after its limit within which a call must end. A task needs a thread of Swift's pool
    /// to continue, so the delay of the pool is added.
    private static let tolerance = Duration.seconds(1)

    @Test("every call ends within its limit, and the sums are exact")
    func stress() async throws {
      let report = try await withTemporaryPath { path in
        await #expect(processExitsWith: .success) { [path = path as String] in
          var report: String
          do { report = try await Self.run(path) } catch { report = "\(error)" }
          try report.write(toFile: path, atomically: true, encoding: .utf8)
        }
        return try String(contentsOfFile: path, encoding: .utf8)
      }
      #expect(report.hasPrefix("figure: "), "\(report)")
      print(report)
    }

    /// - Parameter path: The file that names the calls that do not end.
    /// - Returns: The figures, or the problems.
    private static func run(_ path: String) async throws -> String {
      let seconds = environment["MINIORM_STRESS"].flatMap { Int($0) } ?? 3
      let seed = environment["MINIORM_SEED"].flatMap { UInt64($0) } ?? 1
      let stress = Stress()
      stress.startWatchdog(report: path)
      let canary = Task { await stress.measurePool() }
      defer { canary.cancel() }
      return try await withTemporaryDirectory { folder in
        let stage = try await StressStage(folder)
        let end = ContinuousClock.now + .seconds(seconds)
        await withTaskGroup(of: Void.self) { group in
          for number in 0..<taskCount {
            group.addTask {
              var random = SeededRandom(seed << 16 | UInt64(number))
              while ContinuousClock.now < end {
                await call(&random, stage, stress)
                try? await Task.sleep(for: .milliseconds(Int.random(in: 0...800, using: &random)))
              }
            }
          }
        }
        try await stage.finish()
        let problems = stage.problems
        return problems.isEmpty
          ? "figure: \(stress.figures), \(stage.confirmedCount) deposits"
          : "seed \(seed): " + problems.joined(separator: "\n")
      }
    }

    /// Makes a call with a time limit, and perhaps cancels it.
    private static func call(
      _ random: inout SeededRandom, _ stage: StressStage, _ stress: Stress
    ) async {
      guard let call = StressCall.weighted.randomElement(using: &random),
        let place = StressStage.Place.allCases.randomElement(using: &random)
      else { return }
      // From 4 ms to 2 s.
      let limit = Duration.milliseconds(2 << Int.random(in: 1...10, using: &random))
      let cancels = Int.random(in: 0..<4, using: &random) == 0
      let delay = Duration.microseconds(Int.random(in: 0...20_000, using: &random))
      var own = SeededRandom(random.next())
      let began = ContinuousClock.now
      let id = stress.begin("\(call) in \(place)", at: began)
      let task = Task { [own] in
        var own = own
        try await withTimeLimit(limit) { try await call.run(place, stage, &own) }
      }
      _ = own.next()
      if cancels {
        try? await Task.sleep(for: delay)
        task.cancel()
      }
      let result = await task.result
      let took = ContinuousClock.now - began
      let outcome = outcome(result, cancels: cancels)
      if outcome == "failed", case .failure(let error) = result {
        stage.note("\(call) in \(place): \(error)")
      }
      // These calls wait for other calls, each of which ends within 2 s.
      let bound =
        [.suspend, .reopen, .attach].contains(call) ? .seconds(2) : cancels ? delay : limit
      let overshoot = took - min(bound, .seconds(2)) - stress.poolDelay(since: began)
      stress.end(id, outcome, overshoot)
      if overshoot > tolerance {
        stage.note("\(call) in \(place) took \(took) with a limit of \(limit): \(outcome)")
      }
    }

    /// Names the outcome of a call; `failed` for an error that the calls cannot cause.
    private static func outcome(_ result: Result<Void, any Error>, cancels: Bool) -> String {
      switch result {
      case .success: return "done"
      case .failure(is CancellationError): return cancels ? "cancelled" : "failed"
      case .failure(is StressRefusal): return "refused"
      case .failure(let error as DatabaseError):
        switch error.code.primary {
        case .interrupt: return "limited"
        case .busy: return "busy"
        case .abort: return "suspended"
        case .misuse where error.message.contains("closed"),
          .misuse where error.message.contains("suspended"):
          return "closed"
        case .misuse where error.message.contains("inside a read or a write"):
          return "inside"
        default: break
        }
        // A function's error reaches its caller as the error of a statement.
        return ["inside a read or a write", "busy", "locked", "closed", "suspended", "limit"]
          .contains { error.message.contains($0) } ? "inside" : "failed"
      case .failure: return "failed"
      }
    }
  }

  /// The running calls, and the counts of the outcomes.
  private final class Stress: Sendable {
    private struct State {
      var running: [Int: (name: String, began: ContinuousClock.Instant)] = [:]
      var last = 0
      var outcomes: [String: Int] = [:]
      var longest = Duration.zero
      /// The delays of the canary, in order.
      var delays: [(end: ContinuousClock.Instant, delay: Duration)] = []
    }
    private let state = Mutex(State())

    /// Measures how late Swift's pool continues a task, until the task is cancelled.
    func measurePool() async {
      while !Task.isCancelled {
        let due = ContinuousClock.now + .milliseconds(20)
        try? await Task.sleep(until: due, clock: .continuous)
        let now = ContinuousClock.now
        state.withLock { state in
          state.delays.append((now, now - due))
          state.delays.removeAll { now - $0.end > .seconds(20) }
        }
      }
    }

    /// The total delay of the pool since a moment.
    func poolDelay(since began: ContinuousClock.Instant) -> Duration {
      state.withLock { state in
        state.delays.reversed().prefix { $0.end > began }.map(\.delay).reduce(.zero, +)
      }
    }

    func begin(_ name: String, at began: ContinuousClock.Instant) -> Int {
      state.withLock { state in
        state.last += 1
        state.running[state.last] = (name, began)
        return state.last
      }
    }

    func end(_ id: Int, _ outcome: String, _ overshoot: Duration) {
      state.withLock { state in
        state.running[id] = nil
        state.outcomes[outcome, default: 0] += 1
        state.longest = max(state.longest, overshoot)
      }
    }

    var figures: String {
      state.withLock { state in
        let outcomes = state.outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return "\(state.last) calls: \(outcomes.joined(separator: ", ")); at most "
          + "\(state.longest.inSeconds) after the limit"
      }
    }

    /// Ends the process if a call takes more than 10 s.
    func startWatchdog(report: String) {
      Thread.detachNewThread {
        while true {
          Thread.sleep(forTimeInterval: 0.5)
          let stuck = self.state.withLock { state in
            state.running.values.filter { ContinuousClock.now - $0.began > .seconds(10) }.map(
              \.name)
          }
          guard stuck.isEmpty else {
            try? "stuck after 10 s: \(stuck)".write(
              toFile: report, atomically: true, encoding: .utf8)
            exit(1)
          }
        }
      }
    }
  }
#endif
