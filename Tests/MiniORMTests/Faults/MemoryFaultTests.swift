#if os(Linux)
  import CSQLCipher
  import Foundation
  import Testing

  @testable import MiniORM

  /// Each allocation of SQLite fails in turn, in a separate process.
  ///
  /// MINIORM_FAULTS=all fails every allocation. A number N fails 20 × N allocations, evenly spread.
  @Suite("All operations without memory")
  struct MemoryFaultTests {
    @Test(
      "whichever allocation fails, the error is correct, and later calls work",
      arguments: [Configuration.JournalMode.wal, .delete], [false, true])
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

    @Test("a file that was opened despite a failed allocation supports every operation")
    func opening() async {
      await #expect(processExitsWith: .success) {
        try #require(FaultyMemory.install())
        try await withTemporaryDirectory { folder throws in
          let (path, other) = (folder + "/a.db", folder + "/b.db")
          let key = Key.raw(testKeyBytes)
          for file in [path, other] {
            try await Database(path: file, key: key).close()
          }
          // See below.
          let first = try await Database(path: folder + "/first.db", key: key)
          for isLasting in [false, true] {
            var (number, opened) = (0, 0)
            repeat {
              number += 1
              FaultyMemory.arm(number, lasting: isLasting)
              let database: Database
              do {
                defer { FaultyMemory.disarm() }
                database = try await Database(path: path, key: key)
              } catch let error as DatabaseError {
                #expect(error.code.primary.rawValue == SQLITE_NOMEM, "\(number): \(error)")
                continue
              }
              opened += 1
              // Covers MiniORM's internal SQL, which the authorizer denies to callers, and a
              // qualified table name.
              try await database.attach(other, as: "other", key: key)
              try await database.write { db in
                try db.execute("CREATE TABLE IF NOT EXISTS other.t(a)")
                #expect(try db.query("SELECT count(*) FROM other.t").count == 1)
                #expect(throws: DatabaseError.self) { try db.query("SELECT count(*) FROM t") }
              }
              try await database.close()
            } while FaultyMemory.struck > 0
            #expect(number > 100 && opened > (isLasting ? 0 : 1), "\(number), \(opened)")
          }
          try await first.close()
        }
      }
    }

    @Test(
      "an attached file has the requested path and key, whichever allocation fails")
    func attaching() async {
      await #expect(processExitsWith: .success) {
        try #require(FaultyMemory.install())
        try await withTemporaryDirectory { folder throws in
          let key = Key.raw(testKeyBytes)
          let database = try await Database(path: folder + "/a.db", key: key)
          for (name, other) in [("plain", nil), ("encrypted", Key.raw(testKeyBytes.reversed()))] {
            let path = "\(folder)/\(name).db"
            for isNew in [false, true] {
              var (number, attached) = (0, 0)
              repeat {
                number += 1
                if isNew { for file in DatabaseFile.all(path) { unlink(file) } }
                if !DatabaseFile.exists(path), !isNew {
                  let new = try await Database(path: path, key: other)
                  try await new.write { try $0.execute("CREATE TABLE t(a)") }
                  try await new.close()
                }
                FaultyMemory.arm(number, lasting: false)
                do {
                  defer { FaultyMemory.disarm() }
                  try await database.attach(path, as: "other", key: other)
                } catch let error as DatabaseError {
                  #expect(
                    error.code.primary.rawValue == SQLITE_NOMEM, "\(name) \(number): \(error)")
                  continue
                }
                attached += 1
                let place = "\(name), \(isNew), \(number)"
                let listed = try await database.read {
                  try $0.value(
                    String.self, "SELECT file FROM pragma_database_list WHERE name = 'other'")
                }
                #expect(listed == path, "\(place)")
                if isNew {
                  try await database.write { try $0.execute("CREATE TABLE other.t(a)") }
                }
                #expect(
                  try await database.values("SELECT count(*) FROM other.t") == [.integer(0)],
                  "\(place)")
                try await database.detach("other")
                #expect(try DatabaseFile.isPlain(path) == (other == nil), "\(place)")
              } while FaultyMemory.struck > 0
              #expect(number > 50 && attached > 0, "\(name), \(isNew): \(number), \(attached)")
            }
          }
          try await database.close()
        }
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
      // SQLCipher initializes itself with the first keyed file, and shuts down with the last. 4.6.1
      // crashes if an allocation fails during its initialization.
      var first: OpaquePointer?
      defer { sqlite3_close(first) }
      if !CodecState.lasts {
        try #require(SQLiteLibrary.openInMemory(&first) == SQLITE_OK)
        try #require(miniorm_key(first, "key", 3) == SQLITE_OK)
      }
      var configuration = Configuration()
      configuration.journalMode =
        try #require(Configuration.JournalMode(rawValue: mode)) as Configuration.JournalMode
      configuration.busyTimeout = .milliseconds(50)
      let fault = FaultRun.Fault(
        name: "\(mode) allocation\(lasting ? " lasting" : "")",
        arm: { number in
          guard let number else { return FaultyMemory.disarm() }
          FaultyMemory.arm(number, lasting: lasting)
        },
        struck: { FaultyMemory.struck }, count: { FaultyMemory.count },
        failsInspection: true,
        leaked: { FaultyMemory.hasStruckKeying ? FaultyMemory.largestKeying : 0 },
        codes: [ResultCode(rawValue: SQLITE_NOMEM)])
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
