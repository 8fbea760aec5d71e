import CSQLCipher
import Foundation

@testable import MiniORM

/// Reads files through SQLite's C API, bypassing MiniORM and the injected faults.
enum FileInspection {
  /// The contents of each file in a folder: key, version, declarations and rows.
  struct Contents: Equatable {
    /// The contents that a new connection reads.
    var now: [String: String] = [:]
    /// The contents after all processes have ended, when SQLite recovers the log or the journal.
    var afterwards: [String: String] = [:]

    init() {}
    init(both contents: [String: String]) { (now, afterwards) = (contents, contents) }
  }

  /// - Throws: `Wrong` if a file is damaged or has an unknown name.
  static func contents(of folder: String, layer: String? = nil) throws -> Contents {
    let known = Set(MixedScript.files.flatMap { DatabaseFile.all($0) })
    // A transaction across several files has a super-journal, which SQLite may have failed to
    // delete.
    for name in try names(in: folder) where !known.contains(name) && !name.contains(".db-mj") {
      throw MixedScript.Wrong("a stray file \(name)")
    }
    var contents = Contents()
    for name in MixedScript.files where DatabaseFile.exists("\(folder)/\(name)") {
      let found = try file("\(folder)/\(name)", layer)
      let copied = try inCopy(of: "\(folder)/\(name)") { try file($0, layer, movesLog: true) }
      // An empty file counts as a missing file.
      if !found.isEmpty { contents.now[name] = found }
      if !copied.isEmpty { contents.afterwards[name] = copied }
    }
    return contents
  }

  /// Calls a closure with a copy of a file and its log, as if the process were killed at this
  /// moment.
  private static func inCopy(
    of path: String, _ body: (_ path: String) throws -> String
  ) throws -> String {
    let folder = path + "-copy"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for file in [path, path + "-wal", path + "-journal"] where DatabaseFile.exists(file) {
      // Copying drops this process's locks on the file. No other process needs them.
      try FileManager.default.copyItem(
        atPath: file, toPath: folder + file.dropFirst(DatabaseFile.parent(file).utf8.count))
    }
    return try body(folder + path.dropFirst(DatabaseFile.parent(path).utf8.count))
  }

  private static func file(
    _ path: String, _ layer: String?, movesLog: Bool = false
  ) throws -> String {
    var failures = ""
    for (index, key) in ([nil] + MixedScript.keys).enumerated() {
      var database: OpaquePointer?
      defer { sqlite3_close_v2(database) }
      let flags = SQLITE_OPEN_READWRITE
      guard sqlite3_open_v2(path, &database, flags, layer) == SQLITE_OK, let database else {
        throw MixedScript.Wrong("\(path) does not open")
      }
      sqlite3_busy_timeout(database, 5_000)
      if let key {
        let text = key.secret.withBytes { bytes in Array(bytes).hexadecimal }
        _ = rows("PRAGMA cipher_log_level = NONE", database)
        _ = rows("PRAGMA key = \"x'\(text)'\"", database)
      }
      guard let schema = rows("SELECT sql FROM sqlite_schema ORDER BY type, name", database) else {
        failures += " \(index): \(sqlite3_extended_errcode(database))"
        continue
      }
      let version = rows("PRAGMA user_version", database) ?? []
      if schema.isEmpty, version == ["0"] { return "" }
      // SQLCipher's check ignores the log, so a copy is checkpointed first.
      let checks = movesLog ? ["cipher_integrity_check"] : ["integrity_check", "foreign_key_check"]
      if movesLog { _ = rows("PRAGMA wal_checkpoint(TRUNCATE)", database) }
      for check in checks {
        var found = rows("PRAGMA \(check)", database)
        if movesLog, found != [], rows("PRAGMA journal_mode", database) != ["wal"] {
          // A rollback journal has no copies of free pages, so a failed write can leave a torn free
          // page.
          guard rewriteFreePages(database) else {
            throw MixedScript.Wrong("\(path): \(found ?? [])")
          }
          found = rows("PRAGMA \(check)", database)
        }
        guard let found, found.filter({ $0 != "ok" }).isEmpty else {
          throw MixedScript.Wrong("\(path): \(check): \(found?.prefix(3) ?? ["fails"])")
        }
      }
      return try "key \(index), version \(version)\n" + schema.joined(separator: "\n")
        + tables(of: database)
    }
    throw MixedScript.Wrong("no key opens \(path):\(failures)")
  }

  private static func tables(of database: OpaquePointer) throws -> String {
    let tables = rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", database)
    guard let tables else { throw MixedScript.Wrong("the tables cannot be read") }
    var text = ""
    for table in tables {
      let columns = rows(
        "SELECT group_concat('quote(' || name || ')', ',') FROM pragma_table_info('\(table)')"
          + " WHERE name <> 'applied'", database)
      guard let column = columns?.first,
        let found = rows("SELECT concat_ws(',', \(column)) FROM \"\(table)\" ORDER BY 1", database)
      else { throw MixedScript.Wrong("\(table) cannot be read") }
      text += "\n\(table): \(found.count) \(found.joined(separator: "\n").hashed)"
    }
    return text
  }

  /// Overwrites the free pages without reading them.
  private static func rewriteFreePages(_ database: OpaquePointer) -> Bool {
    let script = """
      PRAGMA secure_delete = ON; BEGIN IMMEDIATE; CREATE TABLE rewritten(part BLOB);
      INSERT INTO rewritten SELECT zeroblob(freelist_count * page_size)
      FROM pragma_freelist_count, pragma_page_size;
      DROP TABLE rewritten; COMMIT
      """
    return sqlite3_exec(database, script, nil, nil, nil) == SQLITE_OK
  }

  /// The first column of each row; nil if the statement fails.
  private static func rows(_ sql: String, _ database: OpaquePointer) -> [String]? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
    var found: [String] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        found.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
      case SQLITE_DONE: return found
      default: return nil
      }
    }
  }
}

extension String {
  /// A short hash, to keep messages short.
  fileprivate var hashed: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 36)
  }
}
