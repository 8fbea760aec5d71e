import CSQLCipher
import Foundation
import Testing

@testable import MiniORM
@testable import MiniORMRepair

@Suite("Inspecting files")
struct InspectionTests {
  private static let key = LeftFiles.key

  /// Calls a closure with the files and expects an unchanged folder.
  private func withFiles(
    _ files: LeftFiles, isEncrypted: Bool,
    _ body: (_ path: String, _ key: Key?) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder throws in
      let (inner, victim) = (folder + "/files", folder + "/files.victim")
      try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
      try Data("precious".utf8).write(to: URL(fileURLWithPath: victim))
      let path = try files.make(in: inner, isEncrypted: isEncrypted)
      let before = try FolderState(inner)
      try await body(path, isEncrypted ? Self.key : nil)
      #expect(try FolderState(inner) == before)
      #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
      #expect(try names(in: folder) == ["files", "files.victim"])
    }
  }

  @Test(
    "verify changes no byte, and reports unfinished changes and files of another database",
    arguments: LeftFiles.allCases, [true, false])
  func verify(files: LeftFiles, isEncrypted: Bool) async throws {
    try await withFiles(files, isEncrypted: isEncrypted) { path, key throws in
      let report = try await Database.verify(path: path, key: key)
      let isForeign = files.isForeign(isEncrypted: isEncrypted)
      #expect(report.problems.contains { $0.kind == .foreignChanges } == isForeign, "\(report)")
      if !isForeign {
        #expect(report.unfinishedChanges == files.unfinished)
        if files != .copyBesideJournal, files != .copyBesideLog {
          #expect(report.isEmpty, "\(report)")
        }
      }
    }
  }

  @Test(
    "inspect reads the contents that opening would show, and changes no byte",
    arguments: LeftFiles.allCases, [true, false])
  func inspect(files: LeftFiles, isEncrypted: Bool) async throws {
    try await withFiles(files, isEncrypted: isEncrypted) { path, key throws in
      func names() async throws -> [String] {
        try await Database.inspect(path: path, key: key) { database in
          let error = try await failure {
            try await database.write { try $0.execute("CREATE TABLE t(a)") }
          }
          #expect(error.code.primary == .readOnly)
          return try await database.read { db in
            try db.query(
              String.self, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")
          }
        }
      }
      guard !files.isForeign(isEncrypted: isEncrypted) else {
        let error = try await failure { try await names() }
        #expect(error.openingFailure == .foreignChanges && error.path == path)
        let other = try await failure { try await Database.unfinishedChanges(path: path, key: key) }
        #expect(other.message == error.message)
        return
      }
      #expect(try await Database.unfinishedChanges(path: path, key: key) == files.unfinished)
      let later: [String] =
        switch files {
        case .log, .logWithoutIndex: ["later"]
        case .copyBesideLog: ["last", "later", "middle"]
        default: []
        }
      guard files != .copyBesideJournal else { return }
      #expect(try await names() == later + ["note", "person"])
      let changed = try await Database.inspect(path: path, key: key) { database in
        try await database.values("SELECT count(*) FROM person WHERE name = 'changed'")
      }
      #expect(changed == [.integer(0)])
    }
  }

  @Test(
    "restore and salvage change no byte of their source, and refuse files of another database",
    arguments: LeftFiles.allCases, [true, false])
  func sources(files: LeftFiles, isEncrypted: Bool) async throws {
    try await withFiles(files, isEncrypted: isEncrypted) { path, key throws in
      let isForeign = files.isForeign(isEncrypted: isEncrypted)
      try await withTemporaryDirectory { folder throws in
        let database = try await Database(path: folder + "/target.db", key: Self.key)
        let count = { try await database.values("SELECT count(*) FROM person") }
        if isForeign {
          let error = try await failure { try await database.restore(from: path, key: key) }
          #expect(error.openingFailure == .foreignChanges && error.path == path)
          let other = try await failure {
            try await Database.salvage(path: path, key: key, to: folder + "/salvaged.db")
          }
          #expect(other.openingFailure == .foreignChanges && other.operation == .copy)
        } else if files != .copyBesideJournal, files != .copyBesideLog {
          try await database.restore(from: path, key: key)
          #expect(try await count() == [.integer(Int64(LeftFiles.rowCount))])
          let report = try await Database.salvage(path: path, key: key, to: folder + "/salvaged.db")
          #expect(report.isComplete, "\(report)")
        }
        try await database.close()
      }
    }
  }

  @Test(
    "encrypt, decrypt and upgrade refuse files of another database, and change nothing",
    arguments: LeftFiles.allCases, [true, false])
  func replacing(files: LeftFiles, isEncrypted: Bool) async throws {
    guard files.isForeign(isEncrypted: isEncrypted) else { return }
    try await withFiles(files, isEncrypted: isEncrypted) { path, _ throws in
      if isEncrypted {
        for call in [
          { try await Database.decrypt(path: path, key: Self.key) },
          { _ = try await Database.upgrade(path: path, key: Self.key) },
        ] as [@Sendable () async throws -> Void] {
          let error = try await failure(call)
          #expect(error.openingFailure == .foreignChanges && error.path == path, "\(error)")
        }
      } else {
        let error = try await failure { try await Database.encrypt(path: path, key: Self.key) }
        #expect(error.openingFailure == .foreignChanges && error.operation == .copy, "\(error)")
      }
    }
  }

  @Test(
    "encrypt and decrypt apply a left log or journal",
    arguments: [LeftFiles.log, .logWithoutIndex, .journal], [true, false])
  func completing(files: LeftFiles, isEncrypted: Bool) async throws {
    try await withTemporaryDirectory { folder throws in
      let inner = folder + "/files"
      try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
      let path = try files.make(in: inner, isEncrypted: isEncrypted)
      if isEncrypted {
        try await Database.decrypt(path: path, key: Self.key)
      } else {
        try await Database.encrypt(path: path, key: Self.key)
      }
      let report = try await Database.verify(path: path, key: isEncrypted ? nil : Self.key)
      #expect(report.isEmpty && report.unfinishedChanges == nil, "\(report)")
      #expect(try names(in: inner) == ["a.db"])
    }
  }

  @Test(
    "a file open with a log is inspected beside the other program",
    arguments: [true, false])
  func inUse(isEncrypted: Bool) async throws {
    try await withTemporaryPath { path throws in
      let raw = try RawFile(path, isEncrypted ? testKeyBytes : nil, isLogged: true)
      try raw.run(tables(rows: 500))
      let key = isEncrypted ? Self.key : nil
      let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
      for number in 0..<3 {
        let report = try await Database.verify(path: path, key: key)
        #expect(report == IntegrityReport(problems: [], isComplete: true))
        #expect(try await Database.unfinishedChanges(path: path, key: key) == nil)
        let count = try await Database.inspect(path: path, key: key) { database in
          try await database.values("SELECT count(*) FROM person")
        }
        #expect(count == [.integer(Int64(500 + number))])
        if number == 0 {
          #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == log)
        }
        try raw.run("INSERT INTO person(name) VALUES ('new')")
      }
      if isEncrypted {
        // SQLite trusts the frame, because the log's index lists it.
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path + "-wal"))
        let end = try handle.seekToEnd()
        try handle.seek(toOffset: end - 1_000)
        try handle.write(contentsOf: Data(repeating: 7, count: 100))
        try handle.close()
        let report = try await Database.verify(path: path, key: key)
        #expect(report.problems.map(\.kind) == [.page], "\(report)")
      }
      raw.close()
    }
  }

  @Test(
    "while a program writes with a journal, inspect waits, and then reads the committed state")
  func writing() async throws {
    try await withTemporaryPath { path throws in
      let raw = try RawFile(path, nil, isLogged: false)
      try raw.run(tables(rows: 500) + ";BEGIN IMMEDIATE; DELETE FROM note WHERE rowid = 1")
      #expect(DatabaseFile.size(path + "-journal") > 0)
      #expect(try await Database.verify(path: path, key: nil).isEmpty)
      #expect(try await Database.unfinishedChanges(path: path, key: nil) == nil)
      try raw.run("COMMIT; BEGIN EXCLUSIVE")
      var configuration = Configuration()
      configuration.busyTimeout = .milliseconds(20)
      let busy = try await failure {
        try await Database.verify(path: path, key: nil, configuration: configuration)
      }
      #expect(busy.code == .busy && busy.path == path)
      try raw.run("COMMIT")
      // No commit comes between the reads.
      let inspected = try await Database.inspect(path: path, key: nil) { database in
        let code = Result { try raw.run("PRAGMA busy_timeout = 0") }
        #expect(throws: Never.self) { try code.get() }
        return try await database.values("SELECT count(*) FROM note")
      }
      #expect(inspected == [.integer(499)])
    }
  }

  @Test(
    "a wrong key is reported, also with a log or a journal",
    arguments: [LeftFiles.closed, .log, .journal])
  func wrongKey(files: LeftFiles) async throws {
    try await withFiles(files, isEncrypted: true) { path, _ throws in
      let wrong = Key.raw([UInt8](repeating: 7, count: 32))
      for call in [
        { _ = try await Database.verify(path: path, key: wrong) },
        { try await Database.inspect(path: path, key: wrong) { _ in } },
        { try await Database.decrypt(path: path, key: wrong) },
      ] as [@Sendable () async throws -> Void] {
        let error = try await failure(call)
        #expect(error.openingFailure == .wrongKey && error.path == path, "\(error)")
      }
    }
  }

  #if os(Linux)
    @Test(
      "a special file beside the database is refused, without waiting for it or writing to it",
      arguments: ["-journal", "-wal", "-shm"], ["pipe", "link", "folder"])
    func irregular(end: String, kind: String) async throws {
      try await withTemporaryDirectory { folder throws in
        let path = folder + "/a.db"
        let victim = folder + "/victim"
        try RawFile(path, nil, isLogged: false).run(tables(rows: 10))
        try Data("precious".utf8).write(to: URL(fileURLWithPath: victim))
        switch kind {
        case "pipe": #expect(mkfifo(path + end, 0o600) == 0)
        case "link":
          try FileManager.default.createSymbolicLink(
            atPath: path + end, withDestinationPath: victim)
        default:
          try FileManager.default.createDirectory(
            atPath: path + end, withIntermediateDirectories: false)
        }
        for call in [
          { _ = try await Database(path: path, key: nil) },
          { _ = try await Database.verify(path: path, key: nil) },
          { try await Database.inspect(path: path, key: nil) { _ in } },
          { try await Database.encrypt(path: path, key: Self.key) },
          { _ = try await Database.salvage(path: path, key: nil, to: path + ".new") },
        ] as [@Sendable () async throws -> Void] {
          let error = try await failure(call)
          #expect(error.code == .cannotOpen && error.openingFailure == .notAFile, "\(error)")
          #expect(error.message.hasPrefix("\(path)\(end) is not a regular file"))
        }
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        // The path itself is a pipe.
        #expect(mkfifo(folder + "/pipe", 0o600) == 0)
        for key in [nil, Self.key] {
          let error = try await failure { _ = try await Database(path: folder + "/pipe", key: key) }
          #expect(error.openingFailure == .notAFile)
        }
      }
    }
  #endif

  @Test("an untrusted file is read with limits, and refused with a log or a journal beside it")
  func untrusted() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      let raw = try RawFile(path, nil, isLogged: false)
      try raw.run(
        """
        CREATE TABLE t(a); INSERT INTO t VALUES (1);
        CREATE VIEW huge AS SELECT length(zeroblob(500000000) || 'x') AS n FROM t;
        CREATE VIEW deep AS SELECT \(String(repeating: "(1+", count: 300))1\(String(repeating: ")", count: 300)) AS n;
        """)
      raw.close()
      var configuration = Configuration()
      configuration.isUntrusted = true
      #expect(configuration.isImmutable && configuration.isReadOnly)
      let before = try FolderState(folder)
      let database = try await Database(path: path, key: nil, configuration: configuration)
      #expect(try await database.values("SELECT a FROM t") == [.integer(1)])
      let huge = try await failure { try await database.values("SELECT n FROM huge") }
      #expect(huge.code == .tooBig)
      await #expect(throws: DatabaseError.self) { try await database.values("SELECT n FROM deep") }
      try await database.close()
      #expect(try FolderState(folder) == before)
      try Data("precious".utf8).write(to: URL(fileURLWithPath: path + ".victim"))
      let hostile = try LeftFiles.superJournal.make(in: folder + "/x", isEncrypted: false)
      let error = try await failure {
        _ = try await Database(path: hostile, key: nil, configuration: configuration)
      }
      #expect(error.code == .cannotOpen)
    }
  }
}
