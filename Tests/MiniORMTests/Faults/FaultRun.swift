#if os(Linux)
  import CSQLCipher
  import Foundation
  import Synchronization

  @testable import MiniORM

  /// Runs the steps of ``MixedScript`` while a single step meets a failure, and checks the outcome.
  struct FaultRun {
    typealias Wrong = MixedScript.Wrong
    typealias Step = MixedScript.Step

    /// The number of failures to try of each kind; nil for all.
    static let samples: Int? = {
      let text = ProcessInfo.processInfo.environment["MINIORM_FAULTS"]
      return text == "all" ? nil : text.flatMap { Int($0) } ?? 1
    }()

    /// The steps in which SQLCipher verifies pages.
    static let checkedSteps: Set<Step> = [
      .backup, .replaceBackup, .restore, .export, .check, .decrypt, .encrypt, .salvage, .verify,
    ]

    /// A kind of failure to inject.
    struct Fault: Sendable {
      var name: String
      /// Arms the fault for the call with this number; `nil` disarms.
      var arm: @Sendable (_ number: Int?) -> Void
      /// The number of failures since arming.
      var struck: @Sendable () -> Int
      /// The number of calls counted since arming with `Int.max`.
      var count: @Sendable () -> Int
      /// The steps during which the fault is paused.
      var spared: Set<Step> = []
      /// True if the fault would also affect the inspection of the files.
      var failsInspection = false
      /// The number of bytes that SQLCipher may leak since arming.
      var leaked: @Sendable () -> Int64 = { 0 }
      /// The result codes that the failure may cause.
      var codes: [ResultCode]
    }

    /// The contents and the answer of each step without faults.
    private struct Expected {
      var contents: [Step: [String: String]] = [:]
      var answers: [Step: String] = [:]
    }

    /// Counts for the report.
    struct Tally {
      var faults = 0
      var errors = 0
    }

    let configuration: Configuration
    private var expected = Expected()
    private var memory: Int64 = 0
    private(set) var tally = Tally()
    /// The number of calls counted in the last run.
    private(set) var calls = 0

    /// The current run and step, read by the watchdog thread.
    private static let progress = Mutex("")

    /// Records progress for ``watch(report:)``.
    static func note(_ place: String) { progress.withLock { $0 = place } }

    init(_ configuration: Configuration) { self.configuration = configuration }

    /// Runs the script without faults and records the results.
    mutating func learn() async throws {
      // The first run absorbs allocations that happen once per process.
      for isLearning in [false, true] {
        expected = try await withTemporaryDirectory { folder throws -> Expected in
          var expected = Expected()
          let script = MixedScript(folder: folder, configuration)
          for step in Step.allCases {
            expected.answers[step] = try await script.run(step)
            guard isLearning else { continue }
            let contents = try FileInspection.contents(of: folder, layer: "unix")
            guard contents.now == contents.afterwards else {
              throw Wrong("\(step): \(contents)")
            }
            expected.contents[step] = contents.now
          }
          return expected
        }
      }
      memory = SQLiteMemory.used
      guard SQLiteMemory.isCounted else { throw Wrong("SQLite does not count its memory") }
    }

    /// Runs the script with a single failure.
    /// - Parameter last: The step in which the call fails and after which the script ends; nil for
    ///   any step.
    /// - Returns: True if a call failed.
    mutating func run(
      _ number: Int, _ fault: Fault, in last: Step? = nil
    ) async throws -> Bool {
      var place = "\(fault.name) \(number)"
      do {
        return try await withTemporaryDirectory { folder throws -> Bool in
          let script = MixedScript(folder: folder, configuration)
          if last == nil { fault.arm(number) }
          defer { fault.arm(nil) }
          var struck = 0
          do {
            for step in Step.allCases {
              place = "\(fault.name) \(number), \(step)"
              Self.progress.withLock { $0 = place }
              if step == last { fault.arm(number) }
              if fault.spared.contains(step) { FaultyDisk.pause(true) }
              defer { FaultyDisk.pause(false) }
              try await self.step(step, script, fault, &struck)
              guard step != last else { break }
            }
          } catch {
            fault.arm(nil)
            await script.abandon()
            throw error
          }
          calls = fault.count()
          let leaked = fault.leaked()
          fault.arm(nil)
          if last != nil { await script.abandon() }
          try checkEnd(folder, besides: leaked)
          if struck > 0 { tally.faults += 1 }
          return struck > 0
        }
      } catch {
        throw Wrong("\(place): \(error)")
      }
    }

    private mutating func step(
      _ step: Step, _ script: MixedScript, _ fault: Fault, _ struck: inout Int
    ) async throws {
      let before = struck
      do {
        let answer = try await script.run(step)
        struck = max(struck, fault.struck())
        if struck > before, fault.failsInspection { fault.arm(nil) }
        guard answer == expected.answers[step] else {
          throw Wrong("it read \(answer) and not \(expected.answers[step] ?? "")")
        }
        if struck > before { try check(script, step, "without an error") }
      } catch let error as DatabaseError {
        struck = max(struck, fault.struck())
        guard struck > 0 else { throw error }
        fault.arm(nil)
        tally.errors += 1
        let isJournal = error.code.rawValue == SQLITE_READONLY | (3 << 8)
        // Out of memory, SQLite can roll back without returning the original error to the caller.
        let isEnd =
          fault.failsInspection && error.code == .misuse
          && error.message.contains("rolled back the transaction")
        guard fault.codes.contains(error.code.primary) || isJournal || isEnd,
          !error.message.isEmpty,
          error.openingFailure == nil
        else {
          throw Wrong("an untrue error: \(error), \(String(describing: error.openingFailure))")
        }
        let contents = try FileInspection.contents(of: script.folder, layer: "unix")
        let all = Step.allCases
        let last = all.firstIndex(of: step).flatMap { $0 > 0 ? all[$0 - 1] : nil }
        let former = last.flatMap { expected.contents[$0] } ?? [:]
        // The error says that the change may be durable, now or after all processes have ended.
        let isEither = error.operation.isUncertain
        for (found, when) in [
          (contents.now, ""), (contents.afterwards, " where the log is read anew"),
        ]
        where found != former {
          let isDone = found == expected.contents[step]
          guard !isDone || !isEither else { continue }
          throw Wrong(
            "\(error): " + (isDone ? "it was done" : "\(found), and before \(former)") + when)
        }
        do {
          let answer = try await script.run(step)
          guard answer == expected.answers[step] else {
            throw Wrong("it read \(answer) and not \(expected.answers[step] ?? "")")
          }
          try check(script, step, "at the second attempt")
        } catch let second {
          throw Wrong("\(second), at the second attempt, after \(error)")
        }
      }
    }

    private func check(_ script: MixedScript, _ step: Step, _ how: String) throws {
      let contents = try FileInspection.contents(of: script.folder, layer: "unix")
      let expected = FileInspection.Contents(both: expected.contents[step] ?? [:])
      guard contents == expected else { throw Wrong("\(how), \(contents), and not \(expected)") }
    }

    /// Checks that the run left no open file, thread or memory.
    /// - Parameter leaked: The number of bytes that SQLCipher may leak. Later runs start from this
    ///   level.
    private mutating func checkEnd(_ folder: String, besides leaked: Int64) throws {
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        .compactMap {
          try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        .filter { $0.hasPrefix(folder) }
      guard open == [] else { throw Wrong("files are left open: \(open)") }
      let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
      guard threads < 40 else { throw Wrong("there are \(threads) threads") }
      let used = SQLiteMemory.used
      let left = used - memory
      memory = used
      guard left == 0 || (0...leaked).contains(left) else {
        throw Wrong("\(left) bytes are left allocated")
      }
    }

    /// Ends the process after a long time without progress, and reports the place.
    static func watch(report: String) {
      Thread.detachNewThread {
        var last = ""
        var since = Date()
        while true {
          sleep(1)
          let now = progress.withLock { $0 }
          if now != last { (last, since) = (now, Date()) }
          if Date().timeIntervalSince(since) > 60 {
            try? "\(now): nothing goes on".write(toFile: report, atomically: true, encoding: .utf8)
            _exit(1)
          }
        }
      }
    }
  }
#endif
