import CSQLCipher
import Foundation

/// A file that is open by SQLite's own calls, with its defaults.
final class RawFile {
  private let database: OpaquePointer

  init(_ path: String, key: [UInt8]?) throws {
    database = try Self.open(path)
    guard let key else { return }
    let text = "x'" + key.map { String(format: "%02x", $0) }.joined() + "'"
    miniorm_key(database, text, Int32(text.utf8.count))
  }

  init(_ path: String, passphrase: String) throws {
    database = try Self.open(path)
    miniorm_key(database, passphrase, Int32(passphrase.utf8.count))
  }

  private static func open(_ path: String) throws -> OpaquePointer {
    var pointer: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &pointer, flags, nil) == SQLITE_OK, let pointer else {
      throw BenchFailure("\(path) cannot be opened")
    }
    return pointer
  }

  func close() { sqlite3_close(database) }

  func run(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  /// The first column of each row.
  func rows(_ sql: String) throws -> [String] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
    var rows: [String] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
      case SQLITE_DONE: return rows
      default: throw failure
      }
    }
  }

  func rekey(_ key: [UInt8]) throws {
    let text = "x'" + key.map { String(format: "%02x", $0) }.joined() + "'"
    guard miniorm_rekey(database, text, Int32(text.utf8.count)) == SQLITE_OK else { throw failure }
  }

  /// Copies all pages of another file.
  func copy(_ other: RawFile) throws {
    guard let backup = sqlite3_backup_init(database, "main", other.database, "main"),
      sqlite3_backup_step(backup, -1) == SQLITE_DONE, sqlite3_backup_finish(backup) == SQLITE_OK
    else { throw failure }
  }

  /// Waits until a file is on the disk.
  static func synchronize(_ path: String) throws {
    let file = FileHandle(forUpdatingAtPath: path)
    try file?.synchronize()
    try file?.close()
  }

  private var failure: BenchFailure { BenchFailure(String(cString: sqlite3_errmsg(database))) }
}

/// Where some threads wait for one another.
final class Meeting: @unchecked Sendable {
  // Guarded by the condition.
  private var missing: Int
  private let condition = NSCondition()

  init(_ count: Int) { missing = count }

  func wait() {
    condition.lock()
    defer { condition.unlock() }
    missing -= 1
    condition.broadcast()
    while missing > 0 { condition.wait() }
  }
}
