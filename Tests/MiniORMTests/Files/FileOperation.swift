import CSQLCipher
import Foundation

@testable import MiniORM

/// What is done to whole files, for tests that end it at some moment.
enum FileOperation: String, CaseIterable, Sendable {
  case encrypt, decrypt, changeKey, upgrade, restore, backup, export, vacuum

  static let key = Key.raw(testKeyBytes)
  static let newKey = Key.raw(testKeyBytes.reversed())
  private static let keyText = "x'\(testKeyBytes.hexadecimal)'"

  /// How a file can be left.
  enum State: String, Hashable, Sendable { case old, new }

  /// Something to copy, back up or restore, in files of a folder that does not exist yet.
  func prepare(_ folder: String, rows: Int) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // Whose rows were in part deleted.
    let script = tables(rows: rows) + "DELETE FROM note WHERE person % 3 = 0;"
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

  /// Does it.
  /// - Parameter ready: Is called when it is about to begin.
  func run(_ folder: String, _ ready: () -> Void = {}) async throws {
    let path = folder + "/a.db"
    switch self {
    case .encrypt:
      ready()
      try await Database.encrypt(path: path, key: Self.key)
    case .decrypt:
      ready()
      try await Database.decrypt(path: path, key: Self.key)
    case .upgrade:
      ready()
      try await Database.upgrade(path: path, key: Self.key)
    case .changeKey, .restore, .backup, .export, .vacuum:
      let database = try await Database(path: path, key: Self.key)
      ready()
      switch self {
      case .changeKey: try await database.changeKey(to: Self.newKey)
      case .restore: try await database.restore(from: folder + "/b.db", key: Self.key)
      case .backup: try await database.backup(to: folder + "/b.db", replacing: true)
      case .export: try await database.export(to: folder + "/c.db", key: Self.newKey)
      default: try await database.vacuum()
      }
      try await database.close()
    }
  }

  /// The file that it changes or makes.
  private var target: String {
    switch self {
    case .backup: "b.db"
    case .export: "c.db"
    default: "a.db"
    }
  }

  /// What a test has found that ought not to be.
  struct Wrong: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// How the files of a folder are: as before it, or as after it.
  /// - Throws: ``Wrong`` where they are neither, or not whole, or opened by more than one key.
  func state(_ folder: String, rows: Int) async throws -> State {
    let known = ["a.db", "b.db", "c.db"].flatMap { DatabaseFile.all($0) }
    for name in try names(in: folder)
    where !known.contains(name) && !name.contains(".db.miniorm-") {
      throw Wrong("a stray file \(name)")
    }
    let path = "\(folder)/\(target)"
    if self == .export, !DatabaseFile.exists(path) { return .old }
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
    guard report.isEmpty else { throw Wrong("\(report)") }
    let found = try await database.read { db in
      try db.query(
        """
        SELECT (SELECT count(*) FROM person), (SELECT count(*) FROM note),
          (SELECT total(length(photo)) FROM person), (SELECT total(length(text)) FROM note)
        """
      ).first?.values
    }
    let free = try await database.values("PRAGMA freelist_count")
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
      case .upgrade: found == whole && index == 1 ? (isOldVersion ? .old : .new) : nil
      case .vacuum: found == whole && index == 1 ? (free == [.integer(0)] ? .new : .old) : nil
      case .restore: index == 1 ? (found == whole ? .old : found == half ? .new : nil) : nil
      case .backup: index == 1 ? (found == half ? .old : found == whole ? .new : nil) : nil
      }
    guard let state else { throw Wrong("key \(index), \(found ?? [])") }
    return state
  }
}
