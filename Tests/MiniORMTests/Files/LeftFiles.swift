import CSQLCipher
import Foundation
import Testing

@testable import MiniORM

/// A file with a log or a journal, as left by killed programs, by careless copying or by attackers.
enum LeftFiles: String, CaseIterable, Sendable {
  /// A main file alone.
  case closed, closedLog
  /// Left by a killed program.
  case log, logWithoutIndex, journal
  /// A finished journal, kept after transactions, and an empty log.
  case finished
  /// The main file was replaced by a copy, and the log or journal stayed.
  case backupBesideLog, copyBesideLog, copyBesideJournal
  /// An older log, restored from a backup of the folder.
  case olderLog
  /// A log or journal of another file.
  case foreignLog, foreignJournal
  /// A journal that names a super-journal of the attacker's choice.
  case superJournal

  static let rowCount = 3_000
  static let key = Key.raw(testKeyBytes)

  /// True if MiniORM can detect that the files do not belong together.
  func isForeign(isEncrypted: Bool) -> Bool {
    switch self {
    case .backupBesideLog, .olderLog, .foreignLog, .foreignJournal, .superJournal: true
    // An encrypted file has no readable change counter.
    case .copyBesideJournal: !isEncrypted
    default: false
    }
  }

  var unfinished: UnfinishedChanges? {
    switch self {
    case .log, .logWithoutIndex: .log(commits: 1)
    case .copyBesideLog: .log(commits: 2)
    case .journal, .copyBesideJournal: .journal
    default: nil
    }
  }

  /// Creates the files.
  /// - Returns: The path of the main file.
  func make(in folder: String, isEncrypted: Bool) throws -> String {
    let (path, work) = (folder + "/a.db", folder + ".work")
    for folder in [folder, work] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    defer { try? FileManager.default.removeItem(atPath: work) }
    let source = work + "/a.db"
    let key = isEncrypted ? testKeyBytes : nil
    func copy(_ end: String, from: String? = nil, of name: String = "") throws {
      try FileManager.default.copyItem(atPath: (from ?? source) + end, toPath: path + end)
    }
    let isLogged: Bool =
      switch self {
      case .closed, .journal, .finished, .copyBesideJournal, .foreignJournal, .superJournal: false
      default: true
      }
    let raw = try RawFile(source, key, isLogged: isLogged)
    try raw.run(tables(rows: Self.rowCount) + ";PRAGMA wal_checkpoint(TRUNCATE);")
    switch self {
    case .closed, .closedLog:
      raw.close()
      try copy("")
    case .log, .logWithoutIndex:
      try raw.run("CREATE TABLE later(a)")
      for end in ["", "-wal"] + (self == .log ? ["-shm"] : []) { try copy(end) }
    case .journal, .superJournal:
      try raw.beginUpdate()
      for end in ["", "-journal"] { try copy(end) }
      if self == .superJournal { try Self.appendName(folder + ".victim", to: path + "-journal") }
    case .finished:
      try raw.run("PRAGMA journal_mode = PERSIST; UPDATE person SET name = 'x' WHERE id = 1")
      for end in ["", "-journal"] { try copy(end) }
      try Data().write(to: URL(fileURLWithPath: path + "-wal"))
    case .backupBesideLog, .copyBesideLog, .olderLog:
      try copy("")
      // The log continues from a later state than the copy.
      if self == .copyBesideLog {
        try raw.run("CREATE TABLE middle(a); PRAGMA wal_checkpoint(TRUNCATE)")
      }
      try raw.run("CREATE TABLE later(a)")
      if self == .olderLog { try copy("-wal") }
      try raw.run("CREATE TABLE last(a)")
      if self == .olderLog {
        raw.close()
        try FileManager.default.removeItem(atPath: path)
        try copy("")
      } else {
        for end in ["-wal", "-shm"] { try copy(end) }
      }
      guard self == .backupBesideLog else { break }
      // Made as a backup: without a log.
      let wal = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
      for end in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + end) }
      let backup = try RawFile(path, key, isLogged: false)
      backup.close()
      try wal.write(to: URL(fileURLWithPath: path + "-wal"))
    case .copyBesideJournal:
      try raw.beginUpdate()
      try copy("-journal")
      try raw.run(
        "ROLLBACK; UPDATE person SET name = 'x' WHERE id = 1; DELETE FROM note WHERE rowid = 1")
      raw.close()
      try copy("")
    case .foreignLog, .foreignJournal:
      raw.close()
      try copy("")
      let other = work + "/b.db"
      let foreign = try RawFile(
        other, isEncrypted ? testKeyBytes.reversed() : nil, isLogged: isLogged,
        pageSize: isEncrypted ? 4096 : 8192)
      try foreign.run(tables(rows: 500))
      if self == .foreignJournal { try foreign.beginUpdate() }
      try copy(self == .foreignLog ? "-wal" : "-journal", from: other)
    }
    return path
  }

  /// Appends a super-journal's name to a journal, as SQLite does for a transaction across several
  /// files.
  static func appendName(_ name: String, to journal: String) throws {
    func number(_ value: UInt32) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
    let bytes = Array(name.utf8)
    let sum = bytes.reduce(UInt32(0)) { $0 &+ UInt32($1) }
    let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: journal))
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(
      contentsOf: Data(number(262_145) + bytes + number(UInt32(bytes.count)) + number(sum) + magic))
  }
}

/// A connection through SQLite's C API.
final class RawFile {
  private var database: OpaquePointer?

  init(_ path: String, _ key: [UInt8]?, isLogged: Bool, pageSize: Int = 4096) throws {
    try #require(sqlite3_open(path, &database) == SQLITE_OK)
    if let key { try run("PRAGMA cipher_log_level = NONE; PRAGMA key = \"x'\(key.hexadecimal)'\"") }
    try run(
      "PRAGMA page_size = \(pageSize); PRAGMA journal_mode = \(isLogged ? "WAL" : "DELETE"); PRAGMA wal_autocheckpoint = 0;"
    )
  }

  deinit { close() }

  func close() {
    sqlite3_close_v2(database)
    database = nil
  }

  func run(_ sql: String) throws {
    try #require(
      sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK,
      "\(sql): \(String(cString: sqlite3_errmsg(database)))")
  }

  /// Begins a transaction, with some of its pages already in the file and the journal on disk.
  func beginUpdate() throws {
    try run(
      """
      PRAGMA cache_size = 5; PRAGMA cache_spill = 1; BEGIN IMMEDIATE;
      UPDATE person SET name = 'changed'; CREATE TABLE later(a);
      """)
  }
}

/// The names, contents and attributes of all files in a folder.
struct FolderState: Equatable, CustomStringConvertible {
  private var files: [String: [String]] = [:]

  init(_ folder: String) throws {
    for name in try names(in: folder) {
      let path = "\(folder)/\(name)"
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let bytes = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
      let sum = bytes.reduce(UInt64(14_695_981_039_346_656_037)) {
        ($0 ^ UInt64($1)) &* 1_099_511_628_211
      }
      let date = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate
      files[name] = [
        "\(bytes.count) bytes", "sum \(sum)", "of \(String(describing: date))",
        "mode \(String(describing: attributes[.posixPermissions]))",
        "inode \(String(describing: attributes[.systemFileNumber]))",
      ]
    }
  }

  var description: String {
    files.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
  }
}
