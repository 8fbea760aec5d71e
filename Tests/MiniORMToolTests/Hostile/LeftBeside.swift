#if os(Linux)
  import CSQLCipher
  import Foundation
  import MiniORM
  import Testing

  /// Ten files with logs and journals of other files, of other states, and of killed programs.
  enum LeftBeside: String, CaseIterable, Sendable {
    case closedLog, crashedLog, logWithoutIndex, olderCopyBesideLog, olderLog, foreignLog, journal
    case journalOfOtherState, foreignJournal, superJournal

    /// True if a command refuses the log or journal, because the file does not match.
    var isRefused: Bool {
      switch self {
      case .olderLog, .foreignLog, .journalOfOtherState, .foreignJournal, .superJournal: true
      default: false
      }
    }

    private static let rows = """
      CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT NOT NULL, cover BLOB);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO album SELECT i, 'title ' || i, randomblob(200) FROM n;
      """
    private static let update = """
      PRAGMA cache_size = 5; PRAGMA cache_spill = 1; BEGIN IMMEDIATE;
      CREATE TABLE later(a); UPDATE album SET title = 'changed';
      """

    /// Creates `name.db` in the tool's folder, and the files beside it.
    func make(in tool: ToolRun) throws {
      let (path, work) = (tool.path("files/\(rawValue).db"), tool.path("work-\(rawValue)"))
      try FileManager.default.createDirectory(
        atPath: tool.path("files"), withIntermediateDirectories: true)
      try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: false)
      defer { try? FileManager.default.removeItem(atPath: work) }
      var database: OpaquePointer?
      defer { sqlite3_close_v2(database) }
      func open(_ name: String, _ pragmas: String) throws {
        sqlite3_close_v2(database)
        try #require(sqlite3_open(work + "/" + name, &database) == SQLITE_OK)
        try run("\(pragmas); PRAGMA wal_autocheckpoint = 0;")
      }
      func run(_ sql: String) throws {
        try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
      }
      func copy(_ ends: String..., of name: String = "a.db") throws {
        for end in ends {
          try? FileManager.default.removeItem(atPath: path + end)
          try FileManager.default.copyItem(atPath: "\(work)/\(name)\(end)", toPath: path + end)
        }
      }
      let isLogged = [
        .closedLog, .crashedLog, .logWithoutIndex, .olderCopyBesideLog, .olderLog, .foreignLog,
      ].contains(self)
      let mode = isLogged ? "WAL" : "DELETE"
      try open("a.db", "PRAGMA journal_mode = \(mode)")
      try run(Self.rows)
      if isLogged { try run("PRAGMA wal_checkpoint(TRUNCATE)") }
      switch self {
      case .closedLog:
        sqlite3_close_v2(database)
        database = nil
        try copy("")
      case .crashedLog:
        try run("CREATE TABLE later(a)")
        try copy("", "-wal", "-shm")
      case .logWithoutIndex:
        try run("CREATE TABLE later(a)")
        try copy("", "-wal")
      case .olderCopyBesideLog:
        try copy("")
        try run(
          "UPDATE album SET title = 'x'; PRAGMA wal_checkpoint(TRUNCATE); UPDATE album SET cover = NULL"
        )
        try copy("-wal", "-shm")
      case .olderLog:
        try run("CREATE TABLE later(a)")
        try copy("-wal")
        try run("CREATE TABLE last(a); PRAGMA wal_checkpoint(TRUNCATE)")
        try copy("")
      case .foreignLog:
        try copy("")
        try open("b.db", "PRAGMA page_size = 1024; PRAGMA journal_mode = WAL")
        try run(Self.rows)
        try copy("-wal", of: "b.db")
      case .journal, .superJournal:
        try run(Self.update)
        try copy("", "-journal")
        if self == .superJournal { try Self.appendName(tool.path("victim"), to: path + "-journal") }
      case .journalOfOtherState:
        try run(Self.update)
        try copy("-journal")
        try run(
          "ROLLBACK; UPDATE album SET cover = NULL; UPDATE album SET title = 'y'; DELETE FROM album WHERE id = 1"
        )
        try copy("")
      case .foreignJournal:
        try copy("")
        try open("b.db", "PRAGMA page_size = 1024")
        try run(Self.rows + Self.update)
        try copy("-journal", of: "b.db")
      }
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
        contentsOf: Data(
          number(262_145) + bytes + number(UInt32(bytes.count)) + number(sum) + magic))
    }
  }

  /// The names, contents, sizes, times and permissions of the files in a folder.
  struct FolderContents: Equatable {
    private let files: [String: [String]]

    init(_ path: String) throws {
      var files: [String: [String]] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
        let isRegular = attributes[.type] as? FileAttributeType == .typeRegular
        let bytes =
          isRegular ? try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")) : Data()
        let sum = bytes.reduce(UInt64(14_695_981_039_346_656_037)) {
          ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        let date = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate
        files[name] = [
          "\(bytes.count)", "\(sum)", "\(String(describing: date))",
          "\(String(describing: attributes[.posixPermissions]))",
          "\(String(describing: attributes[.type]))",
        ]
      }
      self.files = files
    }
  }
#endif
