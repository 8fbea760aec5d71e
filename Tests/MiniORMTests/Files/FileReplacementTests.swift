import CSQLCipher
import Foundation
import Synchronization
import Testing

@testable import MiniORM

/// A connection of another program, outside MiniORM.
private final class OtherProgram {
  let database: OpaquePointer

  init(_ path: String, _ script: String) throws {
    var pointer: OpaquePointer?
    #expect(sqlite3_open(path, &pointer) == SQLITE_OK)
    database = try #require(pointer)
    try run(script)
  }

  func run(_ sql: String) throws {
    try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
  }

  deinit { sqlite3_close_v2(database) }
}

@Suite("Files replaced or used by two programs")
struct FileReplacementTests {
  private static let key = Key.raw(testKeyBytes)
  private static let keyText = "x'\(testKeyBytes.hexadecimal)'"
  private static let script = "CREATE TABLE t(a); INSERT INTO t VALUES (1);"

  /// The operations that replace a file by another file.
  enum Replacement: String, CaseIterable, Sendable {
    case encrypt, decrypt, upgrade, backup

    func prepare(_ folder: String, _ script: String) throws {
      switch self {
      case .encrypt: try runSQL(script, on: folder + "/a.db")
      case .decrypt: try runSQL(script, on: folder + "/a.db", key: keyText)
      case .upgrade:
        try runSQL("PRAGMA cipher_compatibility = 3;" + script, on: folder + "/a.db", key: keyText)
      case .backup:
        try runSQL(script, on: folder + "/source.db", key: keyText)
        try runSQL(script, on: folder + "/a.db", key: keyText)
      }
    }

    func run(
      _ folder: String, wait: Duration = .seconds(5),
      _ progress: (@Sendable (Double) -> Void)? = nil
    ) async throws {
      let path = folder + "/a.db"
      var configuration = Configuration()
      configuration.busyTimeout = wait
      switch self {
      case .encrypt:
        try await Database.encrypt(
          path: path, key: key, configuration: configuration, progress: progress)
      case .decrypt:
        try await Database.decrypt(
          path: path, key: key, configuration: configuration, progress: progress)
      case .upgrade:
        try await Database.upgrade(
          path: path, key: key, configuration: configuration, progress: progress)
      case .backup:
        let database = try await Database(
          path: folder + "/source.db", key: key, configuration: configuration)
        do {
          try await database.backup(to: path, replacing: true, progress: progress)
        } catch {
          try? await database.close()
          throw error
        }
        try await database.close()
      }
    }

    var newKey: Key? { self == .decrypt ? nil : key }
  }

  #if os(Linux) || os(macOS)
    @Test(
      "of several processes that encrypt, decrypt or upgrade a file, one succeeds, and its later writes stay",
      arguments: [Replacement.encrypt, .decrypt, .upgrade], [2_000, 20_000])
    func race(replacement: Replacement, rows: Int) async throws {
      try await withTemporaryDirectory { folder in
        try replacement.prepare(folder, tables(rows: rows))
        await withTaskGroup(of: Void.self) { group in
          for number in 0..<4 {
            group.addTask {
              await #expect(processExitsWith: .success) {
                [
                  folder = folder as String, number = number as Int,
                  replacement = replacement.rawValue as String
                ] in
                let replacement = try #require(Replacement(rawValue: replacement))
                var said = "done"
                do {
                  try await replacement.run(folder)
                  let database = try await Database(
                    path: folder + "/a.db", key: replacement.newKey)
                  try await database.write { db in
                    try db.execute("INSERT INTO note VALUES (1, 'written by \(raw: "\(number)")')")
                  }
                  try await database.close()
                } catch {
                  said = "\(error)"
                }
                try said.write(
                  toFile: "\(folder)/said-\(number)", atomically: true, encoding: .utf8)
              }
            }
          }
        }
        let said = try (0..<4).map {
          try String(contentsOfFile: "\(folder)/said-\($0)", encoding: .utf8)
        }
        let winners = said.indices.filter { said[$0] == "done" }
        // Upgrading an upgraded file succeeds without a change.
        #expect(winners.count == 1 || replacement == .upgrade && winners.count > 1, "\(said)")
        for loser in said where loser != "done" {
          let isKnown =
            ["replaced, renamed or deleted", "no key was given", "a key was given", "busy"]
            .contains { loser.contains($0) } || loser.contains("has the file open")
          #expect(isKnown, "\(loser)")
        }
        let database = try await Database(path: folder + "/a.db", key: replacement.newKey)
        let rows = try await database.values(
          "SELECT text FROM note WHERE text LIKE 'written%' ORDER BY 1")
        #expect(rows == winners.map { .text("written by \($0)") }, "\(said)")
        #expect(try await database.integrityReport().isEmpty)
        try await database.close()
        #expect(try names(in: folder).filter { $0.contains("miniorm") } == [])
      }
    }
  #endif

  @Test(
    "a file that took the place of the replaced file stays, and the operation reports it",
    arguments: Replacement.allCases, [Configuration.JournalMode.wal, .delete, .persist])
  func renamed(replacement: Replacement, mode: Configuration.JournalMode) async throws {
    try await withTemporaryDirectory { folder throws in
      try replacement.prepare(
        folder, "PRAGMA journal_mode = \(mode.rawValue);" + tables(rows: 2000))
      let (path, other) = (folder + "/a.db", folder + "/other.db")
      // The other file has a log.
      let program = try OtherProgram(other, "PRAGMA journal_mode = WAL;" + Self.script)
      let hasRenamed = Atomic(false)
      let error = try await failure {
        try await replacement.run(folder) { _ in
          guard !hasRenamed.exchange(true, ordering: .relaxed) else { return }
          for ending in ["-wal", "-shm", ""] { _ = rename(other + ending, path + ending) }
        }
      }
      #expect(error.operation == .copy && error.code == .readOnlyMoved, "\(error)")
      #expect(error.message.hasPrefix("Another program replaced, renamed or deleted the file"))
      try program.run("INSERT INTO t VALUES (2)")
      let database = try await Database(path: path, key: nil)
      #expect(try await database.values("SELECT a FROM t") == [.integer(1), .integer(2)])
      try await database.close()
      #expect(try names(in: folder).filter { $0.contains("miniorm") } == [])
    }
  }

  #if os(Linux)
    @Test("an upgrade that waited while another program upgraded the file reports the replacement")
    func upgradedMeanwhile() async throws {
      try await withTemporaryDirectory { folder throws in
        try Replacement.upgrade.prepare(folder, Self.script)
        let (path, other) = (folder + "/a.db", folder + "/other.db")
        // The upgraded file has a leftover log. Its pages are larger than the old file's pages.
        let upgrade = "PRAGMA key = \"\(Self.keyText)\"; PRAGMA journal_mode = WAL;" + Self.script
        let writer = try OtherProgram(folder + "/new.db", upgrade)
        for ending in ["", "-wal"] {
          try FileManager.default.copyItem(
            atPath: folder + "/new.db" + ending, toPath: other + ending)
        }
        _ = consume writer
        let key = "PRAGMA key = \"\(Self.keyText)\"; PRAGMA cipher_compatibility = 3;"
        let program = try OtherProgram(path, key + "BEGIN EXCLUSIVE")
        async let ended = failure { try await Replacement.upgrade.run(folder) }
        // Whether a descriptor of the file has O_RDWR, the last digit of its flags.
        func isForWriting(_ descriptor: String) -> Bool {
          let (link, flags) = ("/proc/self/fd/" + descriptor, "/proc/self/fdinfo/" + descriptor)
          return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == path
            && (try? String(contentsOfFile: flags, encoding: .utf8))?
              .contains(/flags:\s+[0-7]*2\n/) == true
        }
        // SQLite has opened the file beside the program, and waits for the lock. Earlier checks
        // only read the file.
        while try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
          .count(where: isForWriting) < 2
        { try await Task.sleep(for: .milliseconds(2)) }
        for ending in ["-wal", ""] { _ = rename(other + ending, path + ending) }
        try program.run("COMMIT")
        let error = try await ended
        #expect(error.operation == .copy && error.code == .readOnlyMoved, "\(error)")
        let database = try await Database(path: path, key: Self.key)
        #expect(try await database.values("SELECT a FROM t") == [.integer(1)])
        try await database.close()
      }
    }
  #endif

  @Test(
    "a file in use by another program is neither replaced nor deleted",
    arguments: Replacement.allCases,
    [
      "PRAGMA journal_mode = WAL; SELECT a FROM u", "BEGIN; SELECT a FROM u",
      "BEGIN IMMEDIATE; INSERT INTO u VALUES (2)", "BEGIN EXCLUSIVE; INSERT INTO u VALUES (2)",
    ])
  func used(replacement: Replacement, use: String) async throws {
    try await withTemporaryDirectory { folder throws in
      try replacement.prepare(folder, tables(rows: 20) + "CREATE TABLE u(a)")
      let path = folder + "/a.db"
      let key =
        switch replacement {
        case .encrypt: ""
        case .upgrade: "PRAGMA key = \"\(Self.keyText)\"; PRAGMA cipher_compatibility = 3;"
        default: "PRAGMA key = \"\(Self.keyText)\";"
        }
      let program = try OtherProgram(path, key + use)
      let before = try names(in: folder)
      let error = try await failure {
        try await replacement.run(folder, wait: .milliseconds(20))
      }
      #expect(error.operation == .copy && error.code.primary == .busy, "\(error)")
      let refusal = try await failure { try Database.delete(path: path) }
      #expect(refusal.operation == .delete && refusal.code == .busy, "\(refusal)")
      #expect(
        refusal.message == "Another connection has \(path) open: close it first"
          && refusal.path == path)
      #expect(try names(in: folder) == before)
      // The other program continues. The operation succeeds after it has ended.
      sqlite3_exec(program.database, "COMMIT", nil, nil, nil)
      try program.run("INSERT INTO u VALUES (3)")
      _ = consume program
      try await replacement.run(folder)
      let database = try await Database(path: path, key: replacement.newKey)
      let isCopied = replacement != .backup
      #expect(
        try await database.values("SELECT count(*) FROM u WHERE a = 3")
          == [.integer(isCopied ? 1 : 0)])
      try await database.close()
      try Database.delete(path: path)
      #expect(!DatabaseFile.exists(path))
    }
  }

  @Test("opening during a replacement opens the new file")
  func opening() async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, other) = (folder + "/a.db", folder + "/b.db")
      for (path, number) in [(path, 1), (other, 2)] {
        try runSQL("CREATE TABLE t AS SELECT \(number) AS a", on: path, key: Self.keyText)
      }
      var exclusive: ExclusiveFile? = try ExclusiveFile(path, waiting: 0, .copy)
      let opening = Task { try await Database(path: path, key: Self.key) }
      // The opening waits for the lock on the former file.
      try await Task.sleep(for: .milliseconds(100))
      #expect(exclusive != nil && rename(other, path) == 0)
      exclusive = nil
      let database = try await opening.value
      try await database.write { try $0.execute("INSERT INTO t VALUES (3)") }
      try await database.close()
      let again = try await Database(path: path, key: Self.key)
      #expect(try await again.values("SELECT a FROM t") == [.integer(2), .integer(3)])
      try await again.close()
    }
  }

  /// Operations that reopen the file of an open database by its path.
  enum Reopening: String, CaseIterable, Sendable {
    case changeKey, backup, export, integrityReport, read, readAttached

    func run(_ database: Database, _ folder: String) async throws {
      switch self {
      case .changeKey: try await database.changeKey(to: .raw(testKeyBytes.reversed()))
      case .backup: try await database.backup(to: folder + "/backup.db")
      case .export: try await database.export(to: folder + "/export.db", key: key)
      case .integrityReport: _ = try await database.integrityReport()
      case .read, .readAttached:
        // The second of two concurrent reads opens another connection.
        let door = Door()
        let first = Task { try await database.read { _ in door.pass() } }
        await door.wait(for: 1)
        let second = await Task { _ = try await database.values("SELECT 1") }.result
        door.open()
        try await first.value
        try second.get()
      }
    }
  }

  @Test(
    "a database whose file was replaced neither uses nor changes the new file",
    arguments: Reopening.allCases, [Configuration.JournalMode.wal, .persist])
  func replaced(reopening: Reopening, mode: Configuration.JournalMode) async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, attached, other) = (folder + "/a.db", folder + "/b.db", folder + "/other.db")
      for path in [path, attached, other] { try runSQL(Self.script, on: path, key: Self.keyText) }
      var configuration = Configuration()
      configuration.journalMode = mode
      let database = try await Database(path: path, key: Self.key, configuration: configuration)
      try await database.attach(attached, as: "b", key: Self.key)
      try await database.write { try $0.execute("INSERT INTO t VALUES (2)") }
      let bytes = try Data(contentsOf: URL(fileURLWithPath: other))
      let place = reopening == .readAttached ? attached : path
      #expect(rename(other, place) == 0)
      let error = try await failure { try await reopening.run(database, folder) }
      #expect(error.code == .readOnlyMoved && error.path == place, "\(error)")
      // In WAL mode, SQLite does not check for a moved file.
      let write = await Task { try await database.write { try $0.execute("DELETE FROM t") } }.result
      if mode != .wal, place == path { #expect(throws: DatabaseError.self) { try write.get() } }
      try await database.close()
      #expect(try Data(contentsOf: URL(fileURLWithPath: place)) == bytes)
      #expect(try names(in: folder).filter { $0.contains("miniorm") } == [])
    }
  }

  @Test("moving a file to a free name never replaces a file", arguments: [false, true])
  func freeName(isTaken: Bool) async throws {
    try await withTemporaryDirectory { folder throws in
      let (from, to) = (folder + "/from", folder + "/to")
      try Data([1]).write(to: URL(fileURLWithPath: from))
      if isTaken { try Data([2]).write(to: URL(fileURLWithPath: to)) }
      #expect((DatabaseFile.move(from, toFree: to) != nil) == isTaken)
      #expect(try Data(contentsOf: URL(fileURLWithPath: to)) == Data([isTaken ? 2 : 1]))
      #expect(try names(in: folder) == (isTaken ? ["from", "to"] : ["to"]))
    }
  }
}
