import Foundation
import Testing

@testable import MiniORM

@Suite("The journal mode of a file")
struct JournalModeTests {
  private static let key = Key.raw(testKeyBytes)
  private static let text = "x'\(testKeyBytes.hexadecimal)'"

  /// What is at the path before the opening.
  enum Start: CaseIterable { case nothing, empty, journal, log }

  private static func make(_ start: Start, _ path: String) throws {
    switch start {
    case .nothing: break
    case .empty: try Data().write(to: URL(fileURLWithPath: path))
    case .journal: try runSQL("CREATE TABLE old(a)", on: path, key: text)
    case .log: try runSQL("PRAGMA journal_mode = WAL; CREATE TABLE old(a)", on: path, key: text)
    }
  }

  private static func expected(
    _ start: Start, _ mode: Configuration.JournalMode?
  ) -> Configuration.JournalMode {
    mode ?? (start == .journal ? .delete : .wal)
  }

  /// The mode in the file, which a later opening without a mode keeps.
  private static func mode(_ path: String) async throws -> Configuration.JournalMode? {
    let database = try await Database(path: path, key: key)
    let mode = try await database.journalMode()
    try await database.close()
    return mode
  }

  @Test(
    "an existing file keeps its mode, a new or empty file gets a log, and a given mode is set",
    arguments: Start.allCases, [nil, Configuration.JournalMode.wal, .delete])
  func opened(start: Start, mode: Configuration.JournalMode?) async throws {
    try await withTemporaryPath { path in
      try Self.make(start, path)
      var configuration = Configuration()
      configuration.journalMode = mode
      let database = try await Database(path: path, key: Self.key, configuration: configuration)
      #expect(try await database.read { db in try db.value(Int.self, "SELECT 1") } == 1)
      #expect(try await database.journalMode() == Self.expected(start, mode))
      try await database.write { db in try db.execute("CREATE TABLE new(a)") }
      try await database.changeKey(to: .raw(testKeyBytes.reversed()))
      #expect(try await database.journalMode() == Self.expected(start, mode))
      try await database.changeKey(to: Self.key)
      try await database.close()
      #expect(try await Self.mode(path) == Self.expected(start, mode))
    }
  }

  @Test(
    "the same for an attached file", arguments: Start.allCases,
    [nil, Configuration.JournalMode.wal, .delete])
  func attached(start: Start, mode: Configuration.JournalMode?) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder + "/a.db"
      try Self.make(start, path)
      var configuration = Configuration()
      configuration.journalMode = mode
      let database = try await Database(
        path: folder + "/main.db", key: Self.key, configuration: configuration)
      try await database.attach(path, as: "other", key: Self.key)
      try await database.write { db in try db.execute("CREATE TABLE other.new(a)") }
      #expect(
        try await database.values("PRAGMA other.journal_mode")
          == [.text(Self.expected(start, mode).rawValue.lowercased())])
      try await database.close()
      #expect(try await Self.mode(path) == Self.expected(start, mode))
    }
  }

  @Test(
    "restoring keeps the mode of the target", arguments: [Start.journal, .log],
    [Start.journal, .log])
  func restored(target: Start, source: Start) async throws {
    try await withTemporaryDirectory { folder in
      let (path, backup) = (folder + "/a.db", folder + "/b.db")
      try Self.make(target, path)
      try Self.make(source, backup)
      try runSQL("CREATE TABLE restored(a)", on: backup, key: Self.text)
      let database = try await Database(path: path, key: Self.key)
      try await database.restore(from: backup, key: Self.key)
      #expect(try await database.values("SELECT count(*) FROM restored") == [.integer(0)])
      #expect(try await database.journalMode() == Self.expected(target, nil))
      try await database.close()
      #expect(try await Self.mode(path) == Self.expected(target, nil))
    }
  }

  @Test("snapshots of a file with a rollback journal name the setting")
  func snapshot() async throws {
    try await withTemporaryPath { path in
      try Self.make(.journal, path)
      let database = try await Database(path: path, key: Self.key)
      let error = try await failure { try await database.snapshot() }
      #expect(error.message.contains("Configuration.journalMode"), "\(error)")
      try await database.close()
    }
  }
}
