import CSQLCipher
import Foundation

@testable import MiniORM
@testable import MiniORMRepair

/// Whole-file operations, for tests that interrupt them.
enum FileOperation: String, CaseIterable, Sendable {
  case encrypt, decrypt, changeKey, upgrade, restore, backup, export, vacuum, migrate, salvage

  static let key = Key.raw(testKeyBytes)
  static let newKey = Key.raw(testKeyBytes.reversed())
  private static let keyText = "x'\(testKeyBytes.hexadecimal)'"

  /// The size of the page cache, in pages, for files prepared to spill.
  static let spillingCacheSize = 50

  /// The state of a file after an interruption.
  enum State: String, Hashable, Sendable { case old, new }

  /// Creates the operation's files in a folder that does not exist yet.
  /// - Parameters:
  ///   - mode: The journal mode of the file; `nil` for SQLite's default.
  ///   - spills: True to use a small page cache, so that SQLite writes pages before the commit.
  func prepare(
    _ folder: String, rows: Int, mode: Configuration.JournalMode? = nil, spills: Bool = false
  ) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // Deletes a part of the rows.
    let script =
      (mode.map { "PRAGMA journal_mode = \($0.rawValue);" } ?? "")
      + (spills ? "PRAGMA default_cache_size = \(Self.spillingCacheSize);" : "")
      + tables(rows: rows) + "DELETE FROM note WHERE person % 3 = 0;"
      // Leaves free pages.
      + "CREATE TABLE gone AS SELECT photo FROM person; DROP TABLE gone;"
    switch self {
    case .encrypt: try runSQL(script, on: folder + "/a.db")
    case .upgrade:
      try runSQL(
        "PRAGMA cipher_compatibility = 3;" + script, on: folder + "/a.db", key: Self.keyText)
    case .backup, .restore:
      try runSQL(script, on: folder + "/a.db", key: Self.keyText)
      try runSQL(tables(rows: rows / 2), on: folder + "/b.db", key: Self.keyText)
    default: try runSQL(script, on: folder + "/a.db", key: Self.keyText)
    }
  }

  /// Runs the operation and closes the file, even after an error.
  /// - Parameters:
  ///   - mode: The journal mode of the configuration; `nil` for the default.
  ///   - ready: Called before the operation starts.
  func run(
    _ folder: String, mode: Configuration.JournalMode? = nil, _ ready: () -> Void = {}
  ) async throws {
    let path = folder + "/a.db"
    var configuration = Configuration()
    if let mode { configuration.journalMode = mode }
    configuration.cacheSize = Self.spillingCacheSize * 4096
    switch self {
    case .encrypt:
      ready()
      try await Database.encrypt(path: path, key: Self.key, configuration: configuration)
    case .decrypt:
      ready()
      try await Database.decrypt(path: path, key: Self.key, configuration: configuration)
    case .upgrade:
      ready()
      try await Database.upgrade(path: path, key: Self.key, configuration: configuration)
    case .salvage:
      ready()
      _ = try await Database.salvage(
        path: path, key: Self.key, to: folder + "/c.db", configuration: configuration)
    case .changeKey, .restore, .backup, .export, .vacuum, .migrate:
      let database = try await Database(path: path, key: Self.key, configuration: configuration)
      // The tables of the other program match version 1.
      if self == .migrate, try await database.values("PRAGMA user_version") == [.integer(0)] {
        try await database.adopt(version: 1)
      }
      ready()
      do {
        try await run(on: database, folder)
      } catch {
        try? await database.close()
        throw error
      }
      try await database.close()
    }
  }

  private func run(on database: Database, _ folder: String) async throws {
    switch self {
    case .changeKey: try await database.changeKey(to: Self.newKey)
    case .restore: try await database.restore(from: folder + "/b.db", key: Self.key)
    case .backup: try await database.backup(to: folder + "/b.db", replacing: true)
    case .export: try await database.export(to: folder + "/c.db", key: Self.newKey)
    case .migrate:
      let rebuilt = DatabaseSchema.Step(
        to: 2, "rebuilt",
        .rebuildTable(
          "person", .column("id", Int64.self, .primaryKey),
          .column("name", String.self, .check("name <> ''")), .column("photo", [UInt8]?.self)))
      try await database.migrate(DatabaseSchema(version: 2, steps: [rebuilt]))
    default: try await database.vacuum()
    }
  }

  /// The file that the operation changes or creates.
  private var target: String {
    switch self {
    case .backup: "b.db"
    case .export, .salvage: "c.db"
    default: "a.db"
    }
  }

  /// A violated expectation.
  struct Wrong: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Returns the state of a folder: before or after the operation. Files that the operation only
  /// reads must be unchanged.
  /// - Throws: ``Wrong`` if a file is in neither state, is damaged, or opens with more than a
  ///   single key.
  func state(_ folder: String, rows: Int) async throws -> State {
    switch self {
    case .backup, .export, .salvage:
      guard try await Self.vacuum.state(folder, rows: rows) == .old else {
        throw Wrong("the original has changed")
      }
    case .restore:
      guard try await Self.backup.contents(folder, rows: rows) == .old else {
        throw Wrong("the backup has changed")
      }
    default: break
    }
    return try await contents(folder, rows: rows)
  }

  private func contents(_ folder: String, rows: Int) async throws -> State {
    let known = ["a.db", "b.db", "c.db"].flatMap { DatabaseFile.all($0) }
    for name in try names(in: folder)
    where !known.contains(name) && !name.contains(".db.miniorm-") {
      throw Wrong("a stray file \(name)")
    }
    let path = "\(folder)/\(target)"
    if self == .export || self == .salvage, !DatabaseFile.exists(path) { return .old }
    var isOldVersion = false
    if self == .upgrade {
      let version = try await Database.upgrade(path: path, key: Self.key)
      isOldVersion = version == 3
      guard version == 3 || version == 4 else { throw Wrong("version \(version)") }
    }
    var opened: [(Int, Database)] = []
    for (index, key) in [nil, Self.key, Self.newKey].enumerated() {
      do {
        opened.append((index, try await Database(path: path, key: key)))
      } catch {
        guard error.code == .notADatabase else { throw error }
      }
    }
    guard opened.count == 1 else { throw Wrong("\(opened.count) keys open the file") }
    let (index, database) = opened[0]
    let report = try await database.integrityReport()
    // SQLite does not journal free pages, so a failed write can leave a torn free page.
    guard report.problems.allSatisfy({ $0.kind == .freePage }) else { throw Wrong("\(report)") }
    let found = try await database.read { db in
      try db.query(
        """
        SELECT (SELECT count(*) FROM person), (SELECT count(*) FROM note),
          (SELECT total(length(photo)) FROM person), (SELECT total(length(text)) FROM note)
        """
      ).first?.values
    }
    let free = try await database.values("PRAGMA freelist_count")
    let version = try await database.values("PRAGMA user_version")
    try await database.close()
    func contents(_ rows: Int, isCut: Bool) -> [DatabaseValue] {
      let all = Array(1...rows)
      let notes = isCut ? all.filter { $0 % 3 != 0 } : all
      let size = { (row: Int) in Double(row % 400 == 0 ? 1 : row % 400) }
      return [
        .integer(Int64(all.count)), .integer(Int64(notes.count)),
        .real(all.reduce(0) { $0 + size($1) }), .real(notes.reduce(0) { $0 + 2 * size($1) }),
      ]
    }
    let (whole, half) = (contents(rows, isCut: true), contents(rows / 2, isCut: false))
    let state: State? =
      switch self {
      case .encrypt: found == whole ? [0: .old, 1: .new][index] : nil
      case .decrypt: found == whole ? [1: .old, 0: .new][index] : nil
      case .changeKey: found == whole ? [1: .old, 2: .new][index] : nil
      case .export: found == whole && index == 2 ? .new : nil
      case .salvage: found == whole && index == 1 ? .new : nil
      case .migrate:
        found == whole && index == 1 ? (version == [.integer(2)] ? .new : .old) : nil
      case .upgrade: found == whole && index == 1 ? (isOldVersion ? .old : .new) : nil
      case .vacuum: found == whole && index == 1 ? (free == [.integer(0)] ? .new : .old) : nil
      case .restore: index == 1 ? (found == whole ? .old : found == half ? .new : nil) : nil
      case .backup: index == 1 ? (found == half ? .old : found == whole ? .new : nil) : nil
      }
    guard let state else { throw Wrong("key \(index), \(found ?? [])") }
    return state
  }
}
