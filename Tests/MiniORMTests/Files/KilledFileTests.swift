import Foundation
import Testing

@testable import MiniORM

#if os(Linux) || os(macOS)
  /// Limits the size of written files (RLIMIT_FSIZE), as a full disk does.
  private func limitFiles(to count: Int?) {
    #if os(Linux)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
      let resource = RLIMIT_FSIZE
    #endif
    var value = rlimit()
    getrlimit(resource, &value)
    value.rlim_cur = count.map { rlim_t($0) } ?? value.rlim_max
    setrlimit(resource, &value)
  }

  /// Operations on files in separate processes: exit tests restart the test program.
  ///
  /// MINIORM_KILLS=50 kills each operation at that many moments.
  @Suite("File operations in killed processes and on full disks")
  struct KilledFileTests {
    private static let moments =
      ProcessInfo.processInfo.environment["MINIORM_KILLS"].flatMap { Int($0) } ?? 5
    private static let rows = 900

    @Test(
      "an operation killed at any moment leaves the old file or the new file",
      arguments: FileOperation.allCases)
    func killed(operation: FileOperation) async throws {
      try await withTemporaryDirectory { folder in
        let (original, work) = (folder + "/original", folder + "/work")
        try operation.prepare(original, rows: Self.rows)
        func refresh() throws {
          try? FileManager.default.removeItem(atPath: work)
          try FileManager.default.copyItem(atPath: original, toPath: work)
        }
        // Measures the duration without an interruption.
        try refresh()
        let report = folder + "/duration"
        await #expect(processExitsWith: .success) {
          [
            operation = operation.rawValue as String, work = work as String,
            report = report as String
          ]
          in
          let operation = try #require(FileOperation(rawValue: operation))
          var start = ContinuousClock.now
          try await operation.run(work) { start = .now }
          let duration = ContinuousClock.now - start
          try "\(Int(duration / .microseconds(1)))".write(
            toFile: report, atomically: true, encoding: .utf8)
        }
        let duration = try #require(Int(try String(contentsOfFile: report, encoding: .utf8)))
        #expect(try await operation.state(work, rows: Self.rows) == .new)

        var random = SeededRandom(UInt64(operation.rawValue.utf8.count) + 11)
        var counts: [FileOperation.State: Int] = [:]
        for moment in 0..<Self.moments {
          try refresh()
          // Longer than measured, because other tests may slow the operation down.
          let part = duration * 5 / 4
          let delay = (part * moment + Int.random(in: 0...part, using: &random)) / Self.moments
          await #expect(processExitsWith: .signal(SIGKILL)) {
            [operation = operation.rawValue as String, work = work as String, delay = delay as Int]
            in
            let operation = try #require(FileOperation(rawValue: operation))
            try await operation.run(work) {
              Thread.detachNewThread {
                usleep(UInt32(delay))
                kill(getpid(), SIGKILL)
              }
            }
            while true { pause() }
          }
          let place = Comment(rawValue: "killed after \(delay) of \(duration) µs")
          do {
            let state = try await operation.state(work, rows: Self.rows)
            counts[state, default: 0] += 1
            // The remains of a killed operation do not block the next attempt.
            if state == .old || operation == .vacuum || operation == .restore {
              try await operation.run(work)
            }
            #expect(try await operation.state(work, rows: Self.rows) == .new, place)
          } catch {
            Issue.record(error, place)
          }
        }
        if Self.moments > 10 { print("killed", operation.rawValue, duration, "µs", counts) }
      }
    }

    @Test(
      "an operation without disk space keeps the old file, and reports the error",
      arguments: FileOperation.allCases)
    func full(operation: FileOperation) async throws {
      try await withTemporaryDirectory { folder in
        let (original, report) = (folder + "/original", folder + "/report")
        try operation.prepare(original, rows: Self.rows)
        let size = Int(DatabaseFile.size(original + "/a.db"))
        let limits = (1...Self.moments).map { size * $0 * 4 / (3 * Self.moments) + 9 }
        // A folder for each limit.
        for limit in limits {
          try FileManager.default.copyItem(atPath: original, toPath: "\(folder)/\(limit)")
        }
        await #expect(processExitsWith: .success) {
          [
            operation = operation.rawValue as String, folder = folder as String,
            report = report as String, limits = limits as [Int]
          ] in
          let operation = try #require(FileOperation(rawValue: operation))
          signal(SIGXFSZ, SIG_IGN)
          var lines: [String] = []
          for limit in limits {
            var text = "new"
            do {
              try await operation.run("\(folder)/\(limit)") { limitFiles(to: limit) }
            } catch {
              text = "old \(error)"
            }
            limitFiles(to: nil)
            lines.append(text.split(separator: "\n").joined(separator: " "))
          }
          try lines.joined(separator: "\n").write(
            toFile: report, atomically: true, encoding: .utf8)
        }
        let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n")
        try #require(lines.count == limits.count)
        var counts: [FileOperation.State: Int] = [:]
        for (limit, said) in zip(limits, lines) {
          let work = "\(folder)/\(limit)"
          let place = Comment(rawValue: "\(limit) of \(size) bytes: \(said)")
          do {
            let state = try await operation.state(work, rows: Self.rows)
            counts[state, default: 0] += 1
            #expect(said.hasPrefix(state.rawValue), place)
            // A failed operation removes its temporary files.
            #expect(try names(in: work).filter { $0.contains("miniorm") } == [], place)
            if state == .old { try await operation.run(work) }
            #expect(try await operation.state(work, rows: Self.rows) == .new, place)
          } catch {
            Issue.record(error, place)
          }
        }
        if Self.moments > 10 { print("full", operation.rawValue, size, "bytes", counts) }
      }
    }
  }
#else
  @Suite("File operations in killed processes and on full disks")
  struct KilledFileTests {
    @Test("killed operations", .disabled("A program cannot start another one here"))
    func killed() {}
  }
#endif
