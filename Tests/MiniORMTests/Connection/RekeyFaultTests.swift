#if os(Linux)
  import Foundation
  import Testing

  @testable import MiniORM

  @Suite("Key changes during system faults")
  struct RekeyFaultTests {
    private static let old = Key.raw(testKeyBytes)
    private static let new = Key.raw(testKeyBytes.reversed())
    private static let archiveKey = Key.raw([UInt8](repeating: 9, count: 32))
    /// The possible outcomes of a rekey.
    private enum Outcome: String { case changed, unchanged, unknown }

    // Runs in separate processes, because faults are process-wide.

    @Test(
      "whichever system call fails, an error means the old key, and success means the new key",
      arguments: [Configuration.JournalMode.wal, .persist], [false, true])
    func calls(mode: Configuration.JournalMode, lasting: Bool) async throws {
      try await withTemporaryPath { report in
        await #expect(processExitsWith: .success) {
          [report = report as String, mode = mode.rawValue as String, lasting = lasting as Bool] in
          FileFaults.install()
          try await Self.report(to: report) {
            let mode = try #require(Configuration.JournalMode(rawValue: mode))
            return try await Self.tryAll(mode, lasting: lasting)
          }
        }
        let seen = try String(contentsOfFile: report, encoding: .utf8)
        // If the journal keeps failing, the file cannot be read until the fault ends.
        #expect(seen == (lasting ? "changed unchanged unknown" : "changed unchanged"))
      }
    }

    @Test(
      "whichever disk write fails first, all rows stay readable with one of the keys",
      .enabled(if: SystemFaults.exist, "System calls cannot fail here"),
      arguments: [
        Configuration.JournalMode.wal, .delete, .truncate, .persist,
      ], [EIO, ENOSPC])
    func spilled(mode: Configuration.JournalMode, error: Int32) async throws {
      try await withTemporaryPath { report in
        await #expect(processExitsWith: .success) {
          [report = report as String, mode = mode.rawValue as String, error = error as Int32] in
          try await Self.report(to: report) {
            let mode = try #require(Configuration.JournalMode(rawValue: mode))
            return try await Self.failFromSomeWrite(mode, error)
          }
        }
        let lost = try String(contentsOfFile: report, encoding: .utf8)
        #expect(lost == "")
      }
    }

    /// Rekeys a file larger than the page cache, while all writes fail from a certain call on.
    /// - Returns: The lost data.
    private static func failFromSomeWrite(
      _ mode: Configuration.JournalMode, _ error: Int32
    ) async throws -> String {
      try await withTemporaryDirectory { folder in
        let original = folder + "/original.db"
        try runSQL(
          "PRAGMA default_cache_size = 50;" + tables(rows: 1500), on: original,
          key: "x'\(testKeyBytes.hexadecimal)'")
        var (lost, count) = ([String](), 0)
        var configuration = Configuration()
        configuration.journalMode = mode
        for part in 0...8 {
          let work = folder + "/work"
          try FileManager.default.createDirectory(
            atPath: work, withIntermediateDirectories: false)
          defer { try? FileManager.default.removeItem(atPath: work) }
          let path = work + "/a.db"
          try FileManager.default.copyItem(atPath: original, toPath: path)
          let database = try await Database(path: path, key: old, configuration: configuration)
          // The first run counts the calls.
          let number = part == 0 ? .max : max(1, count * part / 8)
          SystemFaults.arm(work, .pwrite64, number, lasting: true, error: error)
          var thrown: (any Error)?
          do { try await database.changeKey(to: new) } catch { thrown = error }
          try? await database.close()
          SystemFaults.disarm()
          if part == 0 { count = SystemFaults.count(of: .pwrite64) }
          guard count > 300, part > 0 || thrown == nil else {
            throw Failure(description: "\(count) writes, \(thrown.map { "\($0)" } ?? "-")")
          }
          do {
            let (again, _) = try await Database.open(
              path: path, keys: thrown == nil ? [new] : [old, new], configuration: configuration)
            let report = try await again.integrityReport()
            let rows = try await again.values(
              "SELECT count(*) FROM person JOIN note ON person = id")
            try await again.close()
            guard report.isEmpty, rows == [.integer(1500)] else {
              throw Failure(description: "\(rows), \(report.description.prefix(200))")
            }
          } catch {
            lost.append("\(number) of \(count): \(error), after \(thrown.map { "\($0)" } ?? "-")")
          }
        }
        return lost.joined(separator: "\n")
      }
    }

    /// Writes a result to a file for the parent process.
    private static func report(to path: String, _ body: () async throws -> String) async throws {
      let text: String
      do { text = try await body() } catch { text = "\(error)" }
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private struct Failure: Error, CustomStringConvertible {
      let description: String
    }

    /// Fails each call in turn, with a fresh database each.
    /// - Returns: The set of outcomes.
    private static func tryAll(_ mode: Configuration.JournalMode, lasting: Bool) async throws
      -> String
    {
      var seen: Set<Outcome> = []
      var number = 1
      do {
        while let outcome = try await tryOne(number, lasting: lasting, mode) {
          seen.insert(outcome)
          number += 1
        }
      } catch {
        throw Failure(description: "call \(number), after \(seen): \(error)")
      }
      try #require(number > 20)
      return seen.map(\.rawValue).sorted().joined(separator: " ")
    }

    /// - Returns: The outcome; nil if the rekey made fewer calls.
    private static func tryOne(
      _ number: Int, lasting: Bool, _ mode: Configuration.JournalMode
    ) async throws -> Outcome? {
      var configuration = Configuration()
      configuration.journalMode = mode
      configuration.busyTimeout = .milliseconds(50)
      return try await withTemporaryPath { path in
        let database = try await Database(path: path, key: old, configuration: configuration)
        try await database.write { db in
          try db.execute(
            script: """
              CREATE TABLE t(id INTEGER PRIMARY KEY NOT NULL, text TEXT NOT NULL);
              WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
              INSERT INTO t SELECT i, hex(zeroblob(i * 3)) FROM n;
              CREATE VIEW firsts AS SELECT id FROM t WHERE id < 10;
              CREATE TRIGGER copying AFTER INSERT ON t BEGIN
                UPDATE t SET text = 'triggered' WHERE id = 1;
              END;
              """)
        }
        try await database.attach(path + "-archive", as: "archive", key: archiveKey)
        try await database.write { try $0.execute("CREATE TABLE archive.a AS SELECT 1 AS a") }

        FileFaults.arm(number, lasting: lasting)
        let outcome: Outcome
        do {
          try await database.changeKey(to: new)
          outcome = .changed
        } catch let error as DatabaseError {
          try #require(error.operation == .rekey || error.operation == .rekeyCheck)
          try #require(error.path == path)
          outcome = error.operation == .rekey ? .unchanged : .unknown
        }
        let struck = FileFaults.disarm()

        // With either key, the database keeps working and has all its rows.
        try #require(try await database.values("SELECT count(*) FROM t") == [.integer(60)])
        try #require(try await database.values("SELECT count(*) FROM firsts") == [.integer(9)])
        try #require(try await database.values("SELECT a FROM archive.a") == [.integer(1)])
        try await database.write { try $0.execute("INSERT INTO t(text) VALUES ('after')") }
        try await database.write { try $0.execute("UPDATE archive.a SET a = 2") }
        try #require(
          try await database.values("SELECT text FROM t WHERE id = 1") == [.text("triggered")])
        try #require(try await database.values("SELECT count(*) FROM t") == [.integer(61)])
        try await database.close()

        let fitting = try await fitting(path, configuration)
        switch outcome {
        case .changed: try #require(fitting == [false, true])
        case .unchanged: try #require(fitting == [true, false])
        case .unknown: try #require([[true, false], [false, true]].contains(fitting))
        }
        return struck == 0 ? nil : outcome
      }
    }

    /// Tests whether the file opens undamaged, with the old and with the new key.
    private static func fitting(_ path: String, _ configuration: Configuration) async throws
      -> [Bool]
    {
      var fitting: [Bool] = []
      for key in [old, new] {
        do {
          let database = try await Database(path: path, key: key, configuration: configuration)
          try #require(try await database.values("SELECT count(*) FROM t") == [.integer(61)])
          try #require(try await database.values("PRAGMA integrity_check") == [.text("ok")])
          try #require(try await database.values("PRAGMA cipher_integrity_check") == [])
          try await database.close()
          fitting.append(true)
        } catch let error as DatabaseError {
          try #require(error.operation == .key && error.code == .notADatabase)
          fitting.append(false)
        }
      }
      return fitting
    }

    @Test("with no free file descriptor the key changes, and the next call throws an error")
    func fileLimit() async throws {
      try await withTemporaryPath { report in
        await #expect(processExitsWith: .success) { [report = report as String] in
          FileFaults.install()
          try await Self.report(to: report) { try await Self.openNoFiles() }
        }
        let message =
          "open: The file cannot be opened at present: Too many open files: reopening the file failed; every call retries it [code 14] in test.db"
        let thrown = try String(contentsOfFile: report, encoding: .utf8)
        #expect(thrown == "\(message)\n\(message)")
      }
    }

    /// - Returns: The errors of the next calls.
    private static func openNoFiles() async throws -> String {
      try await withTemporaryDatabase(script: "CREATE TABLE t AS SELECT 1 AS a") { database in
        let path = database.path
        FileFaults.arm(1, lasting: true, opening: true)
        try await database.changeKey(to: new)
        let read = try await failure { try await database.values("SELECT a FROM t") }
        let write = try await failure {
          try await database.write { try $0.execute("INSERT INTO t VALUES (2)") }
        }
        _ = FileFaults.disarm()
        try #require(try await database.values("SELECT a FROM t") == [.integer(1)])
        try await database.write { try $0.execute("INSERT INTO t VALUES (2)") }
        try await database.close()
        let again = try await Database(path: path, key: new)
        try #require(try await again.values("SELECT a FROM t") == [.integer(1), .integer(2)])
        try await again.close()
        return "\(read)\n\(write)".replacing(DatabaseFile.parent(path) + "/", with: "")
      }
    }
  }
#endif
