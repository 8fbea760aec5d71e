import CSQLCipher
import Foundation
import Testing

@testable import MiniORM

@Suite("Remains of unencrypted files")
struct PlaintextTests {
  private static let key = Key.raw(testKeyBytes)

  /// How the file was used and closed.
  enum Past: String, CaseIterable, Sendable {
    case wal = "WAL"
    case delete = "DELETE"
    case truncate = "TRUNCATE"
    case persist = "PERSIST"
    /// The program was killed with a log, or with a journal to roll back.
    case killedWithLog, killedWithJournal, killedWithKeptJournal

    var mode: String {
      switch self {
      case .killedWithLog: "WAL"
      case .killedWithJournal: "DELETE"
      case .killedWithKeptJournal: "PERSIST"
      default: rawValue
      }
    }

    var isKilled: Bool { rawValue.hasPrefix("killed") }

    /// Creates a file of many pages, each containing the marker.
    func make(_ path: String, _ marker: String) throws {
      var database: OpaquePointer?
      #expect(sqlite3_open(path, &database) == SQLITE_OK)
      defer { sqlite3_close(database) }
      // The journal and the log of a later change contain pages with the marker.
      let script = """
        PRAGMA journal_mode = \(mode); PRAGMA cache_size = 5; PRAGMA wal_autocheckpoint = 0;
        CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT, number INTEGER);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
          INSERT INTO t SELECT i, replace(hex(zeroblob(4)), '00', '\(marker)-' || i), 0 FROM n;
        UPDATE t SET number = 1;
        """
      #expect(sqlite3_exec(database, script, nil, nil, nil) == SQLITE_OK)
      guard isKilled else { return }
      let update = self == .killedWithLog ? "" : "BEGIN; UPDATE t SET number = 2, text = 'lost'"
      #expect(sqlite3_exec(database, update, nil, nil, nil) == SQLITE_OK)
      // While the transaction is open, the files are as a killed process would leave them.
      for ending in ["", "-wal", "-journal"] where DatabaseFile.exists(path + ending) {
        try FileManager.default.copyItem(atPath: path + ending, toPath: path + "-copy" + ending)
      }
      #expect(sqlite3_close(database) == SQLITE_OK)
      database = nil
      for ending in ["", "-wal", "-journal"] {
        try? DatabaseFile.remove(path + ending)
        guard DatabaseFile.exists(path + "-copy" + ending) else { continue }
        #expect(rename(path + "-copy" + ending, path + ending) == 0)
      }
    }
  }

  /// The files in a folder that contain a marker.
  private static func files(holding marker: String, in folder: String) throws -> [String] {
    try names(in: folder).filter { name in
      FileManager.default.contents(atPath: "\(folder)/\(name)")?.range(of: Data(marker.utf8)) != nil
    }
  }

  private static func marker() -> String {
    "marker" + String(UInt64.random(in: .min ... .max), radix: 36)
  }

  private static func expectRows(_ path: String, _ marker: String) async throws {
    let database = try await Database(path: path, key: key)
    let count = try await database.values(
      "SELECT count(*) FROM t WHERE text LIKE \(marker + "-%") AND number = 1")
    #expect(count == [.integer(1000)])
    try await database.close()
  }

  @Test(
    "after encryption, no file of the folder contains plain text",
    arguments: Past.allCases)
  func encrypted(past: Past) async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, marker) = (folder + "/a.db", Self.marker())
      try past.make(path, marker)
      #expect(try !Self.files(holding: marker, in: folder).isEmpty)
      try await Database.encrypt(path: path, key: Self.key)
      #expect(try names(in: folder) == ["a.db"])
      #expect(try Self.files(holding: marker, in: folder) == [])
      try await Self.expectRows(path, marker)
    }
  }

  @Test("a backup that replaces an unencrypted file leaves no plain text")
  func replaced() async throws {
    try await withTemporaryDirectory { folder throws in
      let marker = Self.marker()
      try Past.persist.make(folder + "/a.db", marker)
      #expect(try Self.files(holding: marker, in: folder) == ["a.db", "a.db-journal"])
      let database = try await Database(path: folder + "/b.db", key: Self.key)
      try await database.backup(to: folder + "/a.db", replacing: true)
      try await database.close()
      #expect(try names(in: folder) == ["a.db", "b.db"])
      #expect(try Self.files(holding: marker, in: folder) == [])
    }
  }

  #if os(Linux)
    /// Expects the renames and syncs in order.
    private static func encrypt(_ folder: String, _ past: Past, _ marker: String) async throws {
      try past.make(folder + "/nested/a.db", marker)
      SystemFaults.arm(folder)
      try await Database.encrypt(path: folder + "/nested/a.db", key: key)
      SystemFaults.disarm()
    }

    @Test(
      "an encrypted file is synced before its rename, and the journal is gone by then",
      .enabled(if: SystemFaults.exist, "System calls cannot be followed here"))
    func order() async throws {
      await #expect(processExitsWith: .success) {
        try await withTemporaryDirectory { folder throws in
          let work = folder + "/nested"
          try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: false)
          try await Self.encrypt(folder, .persist, Self.marker())
          let record = SystemFaults.record.map { call, name in
            // A copy's name ends in a number.
            let isCopy = name.hasPrefix("nested/a.db.miniorm-")
            return "\(call) \(isCopy ? "copy" : name)"
          }
          let last = try #require(record.lastIndex(of: "pwrite64 copy"))
          let kinds = ["fsync", "unlink", "renameat", "linkat"]
          let end = record[last...].filter { line in kinds.contains { line.hasPrefix($0) } }
          #expect(
            Array(end) == [
              "fsync copy", "unlink nested/a.db-journal", "fsync nested", "renameat nested/a.db",
              "fsync nested",
            ], "\(record)")
        }
      }
    }

    @Test(
      "a process killed during encryption leaves the complete plain file, or no plain text",
      .enabled(if: SystemFaults.exist, "System calls cannot be followed here"),
      arguments: [Past.persist, .wal, .killedWithJournal])
    func killed(past: Past) async throws {
      try await withTemporaryDirectory { folder throws in
        let work = folder + "/nested"
        func clear() throws {
          try? FileManager.default.removeItem(atPath: work)
          try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: false)
        }
        try clear()
        // Counts the calls of each kind.
        let report = folder + "/report"
        await #expect(processExitsWith: .success) {
          [folder = folder as String, past = past.rawValue as String, report = report as String] in
          let past = try #require(Past(rawValue: past))
          try await Self.encrypt(folder, past, "marker")
          let counts = SystemFaults.Call.allCases.map { "\(SystemFaults.count(of: $0))" }
          try counts.joined(separator: " ").write(toFile: report, atomically: true, encoding: .utf8)
        }
        let counts = try String(contentsOfFile: report, encoding: .utf8).split(separator: " ")
        var killed = 0
        for (call, text) in zip(SystemFaults.Call.allCases, counts) where call != .pwrite64 {
          for number in 1..<(try #require(Int(text)) + 1) {
            try clear()
            let marker = Self.marker()
            await #expect(processExitsWith: .signal(SIGKILL)) {
              [
                work = work as String, past = past.rawValue as String, marker = marker as String,
                call = call.rawValue as Int32, number = number as Int
              ] in
              try Past(rawValue: past)?.make(work + "/a.db", marker)
              SystemFaults.arm(
                DatabaseFile.parent(work), SystemFaults.Call(rawValue: call), number, error: 0)
              try await Database.encrypt(path: work + "/a.db", key: Self.key)
            }
            killed += 1
            let path = work + "/a.db"
            // Names the failing call in messages.
            let place = Comment(rawValue: "\(call) \(number)")
            if try DatabaseFile.isPlain(path) {
              try await Database.encrypt(path: path, key: Self.key)
            }
            #expect(try Self.files(holding: marker, in: work) == [], place)
            try await Self.expectRows(path, marker)
          }
        }
        #expect(killed > 5)
      }
    }
  #endif
}
