import Foundation
import TestSupport
import Testing

@testable import MiniORM

/// Exhausted and shared resources. The durability article lists these limits.
@Suite("Scarce resources")
struct ResourceTests {
  // Runs in a separate process, because the faults belong to the process. A process that has no
  // descriptor at all is terminated by libdispatch, if a task waits for a thread at that time.
  @Test(
    "without a free file descriptor, calls return rows or a correct error, and recover",
    .enabled(if: SystemFaults.exist, "System calls cannot fail here"),
    arguments: [Configuration.JournalMode.wal, .delete])
  func descriptors(_ mode: Configuration.JournalMode) async throws {
    let report = try await withTemporaryPath { path in
      await #expect(processExitsWith: .success) {
        [mode = mode.rawValue as String, path = path as String] in
        var report = "passed"
        do {
          let mode = try #require(Configuration.JournalMode(rawValue: mode))
          for isWarm in [true, false] { try await Self.work(mode, isWarm) }
        } catch { report = "\(error)" }
        try report.write(toFile: path, atomically: true, encoding: .utf8)
      }
      return try String(contentsOfFile: path, encoding: .utf8)
    }
    #expect(report == "passed")
  }

  /// - Parameter isWarm: True if the connections were used before.
  private static func work(_ mode: Configuration.JournalMode, _ isWarm: Bool) async throws {
    try await withTemporaryDirectory { folder throws in
      var configuration = Configuration()
      configuration.journalMode = mode
      let path = folder + "/a.db"
      let database = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: configuration)
      try await database.write { try $0.execute("CREATE TABLE t(a)") }
      if isWarm { try #require(try await database.values("SELECT a FROM t").isEmpty) }
      let calls: [(Database) async throws -> Void] = [
        { _ = try await $0.values("SELECT count(*) FROM t") },
        { _ = try await $0.integrityReport() },
        { try await $0.backup(to: folder + "/b.db") },
        { try await $0.changeKey(to: .raw(testKeyBytes)) },
        { try await $0.attach(folder + "/c.db", as: "c", key: .raw(testKeyBytes)) },
        { try await $0.vacuum() },
        { _ in
          let other = try await Database(
            path: path, key: .raw(testKeyBytes), configuration: configuration)
          try await other.close()
        },
      ]
      var (count, refused) = (0, 0)
      // First without a descriptor, then with a few, so that calls fail midway.
      for free in [0, 2, 4, 6] {
        for call in calls {
          SystemFaults.arm(folder, .openat, free + 1, lasting: true, error: EMFILE)
          do {
            try await database.write { try $0.execute("INSERT INTO t VALUES (1)") }
            count += 1
          } catch let error as DatabaseError {
            refused += 1
            try #require(error.code.primary == .cannotOpen || error.code.primary == .inputOutput)
          }
          do {
            try await call(database)
          } catch let error as DatabaseError {
            refused += 1
            let codes: [ResultCode] = [.cannotOpen, .inputOutput, .misuse]
            try #require(codes.contains(error.code.primary), "\(error)")
            try #require(error.openingFailure != .wrongKey)
          }
        }
      }
      SystemFaults.disarm()
      try #require(refused > 0)
      try await database.write { try $0.execute("INSERT INTO t VALUES (1)") }
      try #require(
        try await database.values("SELECT count(*) FROM t") == [.integer(Int64(count + 1))])
      try #require(try await database.integrityReport().isEmpty)
      try? FileManager.default.removeItem(atPath: folder + "/b.db")
      try await database.backup(to: folder + "/b.db")
      try await database.close()
    }
  }

  @Test("10 processes write to a file at the same time, and every row is stored")
  func processes() async throws {
    try await withTemporaryDatabase(script: "CREATE TABLE t(process, number)") { database throws in
      let path = database.path
      await withTaskGroup(of: Void.self) { group in
        for process in 0..<10 {
          group.addTask {
            await #expect(processExitsWith: .success) {
              [path = path as String, process = process as Int] in
              var configuration = Configuration()
              configuration.busyTimeout = .seconds(120)
              let database = try await Database(
                path: path, key: .raw(testKeyBytes), configuration: configuration)
              for number in 0..<20 {
                try await database.write { db in
                  try db.execute("INSERT INTO t VALUES (\(process), \(number))")
                }
                _ = try await database.values("SELECT count(*) FROM t")
              }
              try await database.close()
            }
          }
        }
      }
      let rows = "SELECT count(*) FROM t GROUP BY process HAVING max(number) = 19" as SQL
      #expect(try await database.values(rows) == Array(repeating: .integer(20), count: 10))
      #expect(try await database.integrityReport().isEmpty)
    }
  }

  #if os(Linux)
    @Test(
      "a file on a read-only disk is read, with a write-ahead log as an immutable file",
      .enabled("This process may not mount a disk in memory") {
        try await MemoryDisk.mounted(size: 1 << 20) { _ in }
      },
      arguments: [Configuration.JournalMode.wal, .delete])
    func readOnly(_ mode: Configuration.JournalMode) async throws {
      var configuration = Configuration()
      configuration.journalMode = mode
      try await MemoryDisk.mounted(size: 8 << 20) { disk in
        let path = disk.folder + "/a.db"
        let filled = try await Database(
          path: path, key: .raw(testKeyBytes), configuration: configuration)
        try await filled.write {
          try $0.execute(script: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
        try await filled.close()
        try await disk.remount("ro")
        func rows(_ change: (inout Configuration) -> Void) async throws -> [DatabaseValue] {
          var changed = configuration
          change(&changed)
          let database = try await Database(
            path: path, key: .raw(testKeyBytes), configuration: changed)
          let write = try await failure {
            try await database.write { try $0.execute("INSERT INTO t VALUES (2)") }
          }
          #expect(write.code.primary == .readOnly, "\(write)")
          let rows = try await database.values("SELECT a FROM t")
          try await database.close()
          return rows
        }
        #expect(try await rows { $0.isImmutable = true } == [.integer(1)])
        if mode == .delete {
          #expect(try await rows { $0.isReadOnly = true } == [.integer(1)])
          #expect(try await rows { _ in } == [.integer(1)])
        } else {
          for isReadOnly in [true, false] {
            let error = try await failure { _ = try await rows { $0.isReadOnly = isReadOnly } }
            #expect([.cannotOpen, .readOnly].contains(error.code.primary), "\(error)")
          }
        }
      }
    }
  #endif

  /// MINIORM_GIGABYTES=10 sets the size of the file; the default is 20 MB.
  @Test("a large file is written, opened, queried, checked and copied")
  func large() async throws {
    let gigabytes = ProcessInfo.processInfo.environment["MINIORM_GIGABYTES"].flatMap { Int($0) }
    let size = gigabytes.map { $0 * 1_000_000_000 } ?? 20_000_000
    let rows = 20
    let clock = ContinuousClock()
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      let key = Key.raw(testKeyBytes)
      var times: [String] = []
      func timed<Result>(_ name: String, _ body: () async throws -> Result) async throws -> Result {
        let began = clock.now
        let result = try await body()
        times.append("\(name) \(Int((clock.now - began) / .milliseconds(1))) ms")
        return result
      }
      try await timed("written in") { () async throws -> Void in
        let database = try await Database(path: path, key: key)
        try await database.write {
          try $0.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b, c UNIQUE)")
        }
        // Keeps each value below SQLite's limit and each transaction small for the log.
        let parts = max(1, size / rows / 100_000_000)
        for row in 0..<rows * parts {
          try await database.write { db in
            try db.execute(
              "INSERT INTO t VALUES (\(row), zeroblob(\(size / rows / parts)), \("name \(row)"))")
          }
        }
        try await database.close()
      }
      #expect(DatabaseFile.size(path) > Int64(size))
      let database = try await timed("opened in") { try await Database(path: path, key: key) }
      try await timed("queried in") { () async throws -> Void in
        #expect(
          try await database.values("SELECT a FROM t WHERE c = 'name 19'") == [.integer(19)])
        let last = try await database.values("SELECT substr(b, -3) FROM t ORDER BY a DESC LIMIT 1")
        #expect(last == [.blob([0, 0, 0])])
      }
      try await timed("checked in") { () async throws -> Void in
        let problems = try await database.integrityReport().problems
        #expect(problems.isEmpty, "\(problems.count), \(problems.prefix(3))")
      }
      try await timed("exported in") { () async throws -> Void in
        try await database.export(to: folder + "/c.db", key: .raw([UInt8](1...32)))
      }
      try DatabaseFile.remove(folder + "/c.db")
      try await timed("copied in") { try await database.backup(to: folder + "/b.db") }
      try await database.close()
      let copy = try await Database(path: folder + "/b.db", key: key)
      let sum = try await copy.values("SELECT sum(length(b)) FROM t")
      #expect(sum == [.integer(Int64(size / rows * rows))])
      // Beyond 4 GiB, SQLCipher's own check reads the wrong pages.
      let page = (size - 1_000_000) / 4_096
      try damage(folder + "/b.db", pages: [page])
      #expect(try await copy.integrityReport().problems.map(\.page) == [page])
      try await copy.close()
      if let gigabytes {
        print("figure: a file of \(gigabytes) GB: \(times.joined(separator: ", "))")
      }
    }
  }
}
