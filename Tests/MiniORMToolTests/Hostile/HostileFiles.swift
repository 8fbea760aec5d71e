#if os(Linux)
  import CSQLCipher
  import Foundation
  import MiniORM
  import Testing

  /// A seeded random number generator.
  struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9e37_79b9_7f4a_7c15 | 1 }

    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }

  /// Hostile files: randomly damaged, truncated, of other types, with foreign logs or journals, or
  /// with malicious schemas.
  struct HostileFile: Sendable, CustomTestStringConvertible {
    enum Kind: Int, CaseIterable, Sendable {
      case flipped, header, cut, garbage, text, log, journal, superJournal, index, pipe, link,
        schema
      case declared
    }

    let kind: Kind
    let seed: Int

    static let all = (0..<234).map {
      HostileFile(kind: Kind.allCases[$0 % Kind.allCases.count], seed: $0)
    }

    var testDescription: String { "\(kind) \(seed)" }

    /// True if most of the file is encrypted.
    private var isEncrypted: Bool { seed / Kind.allCases.count % 2 == 1 }
    /// The key options. The key is correct if the file is encrypted.
    var options: [String] { isEncrypted ? ["--raw", "--key-file", "key"] : [] }

    /// Creates `a.db`, the files beside it, and `victim`.
    func make(in tool: ToolRun) throws {
      var dice = Dice(seed)
      try tool.write("victim", "precious")
      try tool.write("key", ToolRun.hexadecimal)
      let path = tool.path("a.db")
      let isLogged = Bool.random(using: &dice)
      func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: name)) }
      func save(_ data: Data, _ name: String) throws {
        try data.write(to: URL(fileURLWithPath: name))
      }
      func flip(_ name: String, _ range: Range<Int>? = nil, count: Int) throws {
        var data = try bytes(name)
        guard !data.isEmpty else { return }
        for _ in 0..<count {
          let place = Int.random(
            in: range?.clamped(to: 0..<data.count) ?? 0..<data.count, using: &dice)
          data[place] = UInt8.random(in: .min ... .max, using: &dice)
        }
        try save(data, name)
      }
      switch kind {
      case .garbage, .text:
        let count =
          [0, 1, 15, 16, 100, 511, 512, 4096, 8192, 20_000].randomElement(using: &dice) ?? 0
        try save(
          Data(
            (0..<count).map { _ in
              kind == .text
                ? UInt8.random(in: 0x20...0x7e, using: &dice)
                : UInt8.random(in: .min ... .max, using: &dice)
            }), path)
        if kind == .garbage, seed % 3 == 0, count >= 16 {
          var data = try bytes(path)
          data.replaceSubrange(0..<16, with: Data("SQLite format 3\0".utf8))
          try save(data, path)
        }
        return
      case .schema: return try Self.makeSchema(path, &dice)
      case .declared: return try Self.makeDeclarations(path, seed)
      default: break
      }
      try make(path, isLogged: isLogged, &dice)
      switch kind {
      case .flipped: try flip(path, count: Int.random(in: 1...200, using: &dice))
      case .header: try flip(path, 16..<120, count: Int.random(in: 1...10, using: &dice))
      case .cut:
        let data = try bytes(path)
        try save(data.prefix(Int.random(in: 0..<data.count, using: &dice)), path)
      case .log, .index:
        if seed % 2 == 0 { try flip(path + "-wal", count: Int.random(in: 1...20, using: &dice)) }
        if kind == .index || seed % 3 == 0 {
          try save(
            Data((0..<32_768).map { _ in UInt8.random(in: .min ... .max, using: &dice) }),
            path + "-shm")
        }
      case .journal:
        if seed % 2 == 0 {
          try flip(path + "-journal", count: Int.random(in: 1...20, using: &dice))
        }
      case .superJournal: try LeftBeside.appendName(tool.path("victim"), to: path + "-journal")
      case .pipe:
        _ = mkfifo(path + ["-journal", "-wal", "-shm"][seed % 3], 0o600)
      case .link:
        let name = path + ["-journal", "-wal", "-shm"][seed % 3]
        try FileManager.default.createSymbolicLink(
          atPath: name, withDestinationPath: tool.path("victim"))
      default: break
      }
    }

    /// Creates a file, left unclosed if the kind needs a log or a journal.
    private func make(_ path: String, isLogged: Bool, _ dice: inout Dice) throws {
      let leaves = [.log, .index, .journal, .superJournal].contains(kind)
      let logs = [.log, .index].contains(kind) || (isLogged && !leaves)
      let work = leaves ? path + ".work" : path
      var database: OpaquePointer?
      defer { sqlite3_close_v2(database) }
      func run(_ sql: String) throws {
        try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK, "\(sql.prefix(200))")
      }
      try #require(sqlite3_open(work, &database) == SQLITE_OK)
      if isEncrypted {
        try run("PRAGMA cipher_log_level = NONE; PRAGMA key = \"x'\(ToolRun.hexadecimal)'\"")
      }
      try run(
        """
        PRAGMA journal_mode = \(logs ? "WAL" : "DELETE"); PRAGMA wal_autocheckpoint = 0;
        CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT NOT NULL, price REAL, cover BLOB);
        CREATE INDEX album_title ON album (title);
        CREATE TABLE pair (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID;
        CREATE VIRTUAL TABLE search USING fts5(body);
        CREATE VIRTUAL TABLE box USING rtree(id, low, high);
        CREATE VIEW cheap AS SELECT * FROM album WHERE price < 10;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
          INSERT INTO album SELECT i, 'title ' || i, i / 3.0, randomblob(i) FROM n;
        INSERT INTO pair SELECT id, title FROM album; INSERT INTO search SELECT title FROM album;
        INSERT INTO box SELECT id, id, id + 1 FROM album;
        """)
      guard leaves else { return }
      if !logs {
        try run(
          "PRAGMA cache_size = 5; PRAGMA cache_spill = 1; BEGIN IMMEDIATE; UPDATE album SET title = 'x', cover = randomblob(500)"
        )
      }
      for end in ["", logs ? "-wal" : "-journal"] {
        try FileManager.default.copyItem(atPath: work + end, toPath: path + end)
      }
      // The files of the open database are deleted with the folder.
    }

    /// Creates a handwritten schema, parts of which may not parse.
    private static func makeSchema(_ path: String, _ dice: inout Dice) throws {
      var database: OpaquePointer?
      defer { sqlite3_close_v2(database) }
      try #require(sqlite3_open(path, &database) == SQLITE_OK)
      let parts = [
        "CREATE TABLE t", "(", ")", "a", "b INTEGER PRIMARY KEY", ",", "CHECK", "'", "\"", "[", "]",
        "`", "/*", "*/", "--",
        "AS (SELECT 1)", "GENERATED ALWAYS AS", "REFERENCES t", "DEFAULT", "x'00", "0x", "1e", ";",
        "\n", "é\u{301}", "\u{202e}",
        "USING fts5(", "USING rtree(", "tokenize='porter porter'", "content=''", "/* declared */",
        "WITHOUT ROWID", "STRICT",
      ]
      var sql = "CREATE TABLE ok(a); PRAGMA writable_schema = ON;"
      for number in 0..<20 {
        let text = (0..<Int.random(in: 1...12, using: &dice)).map { _ in
          parts.randomElement(using: &dice) ?? ""
        }
        .joined(separator: " ").replacing("'", with: "''")
        let type = ["table", "view", "index", "trigger"].randomElement(using: &dice) ?? ""
        sql +=
          "INSERT INTO sqlite_schema VALUES ('\(type)', 'n\(number)', 'n\(number)', \(number % 3), '\(text)');"
      }
      _ = sqlite3_exec(database, sql, nil, nil, nil)
    }

    private static func makeDeclarations(_ path: String, _ seed: Int) throws {
      var database: OpaquePointer?
      defer { sqlite3_close_v2(database) }
      try #require(sqlite3_open(path, &database) == SQLITE_OK)
      func nested(_ open: String, _ count: Int, _ inner: String, _ close: String) -> String {
        String(repeating: open, count: count) + inner + String(repeating: close, count: count)
      }
      let scripts = [
        // A view with endless rows, and a view that runs endlessly without returning a row.
        "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT i FROM n WHERE i > 1",
        "CREATE VIRTUAL TABLE s USING fts5(a, tokenize='\(String(repeating: "porter ", count: 5_000))')",
        "CREATE TABLE t(a CHECK (\(nested("(", 90, "a", ")")) > 0), b DEFAULT (\(nested("(", 90, "1", ")"))))",
        "CREATE VIEW a AS SELECT 1 AS x; "
          + (1...40).map {
            "CREATE VIEW a\($0) AS SELECT * FROM a\($0 == 1 ? "" : "\($0 - 1)") AS p, a\($0 == 1 ? "" : "\($0 - 1)") AS q"
          }.joined(separator: ";"),
        "CREATE TABLE t(\((0..<2000).map { "c\($0)" }.joined(separator: ",")))",
        (0..<3000).map { "CREATE TABLE t\($0)(a)" }.joined(separator: ";"),
        "CREATE TABLE \"\u{1b}[31m\n\u{202e}\"(\"\\(x)\" TEXT, \"\\\"\" BLOB, \"*/\" INTEGER, \"\" REAL, \"///\" DEFAULT '\\(1)')",
        "CREATE TABLE p(a REFERENCES q, PRIMARY KEY(a)); CREATE TABLE q(a REFERENCES p, PRIMARY KEY(a))",
        "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(50000000)); CREATE VIEW big AS SELECT hex(a) || hex(a) FROM t",
        "CREATE TABLE t(a, b AS (hex(zeroblob(10000000)))); INSERT INTO t(a) VALUES (1), (2)",
        "CREATE TABLE miniorm_migrations(a); CREATE TABLE miniorm_objects(a); INSERT INTO miniorm_migrations VALUES (x'00')",
        "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a TEXT); INSERT INTO t VALUES (cast(x'00d8' AS TEXT))",
        "CREATE TABLE t(a TEXT); INSERT INTO t VALUES (cast(x'ff00fe1b5b' AS TEXT)), ('=cmd|x'), (char(0))",
        "CREATE TABLE sqlite_like(a); CREATE TRIGGER r AFTER INSERT ON sqlite_like BEGIN INSERT INTO sqlite_like VALUES (1); END",
        "PRAGMA user_version = -2147483648; PRAGMA application_id = -1; CREATE TABLE t(a INT DEFAULT -9223372036854775808)",
        "CREATE VIRTUAL TABLE s USING fts5(a); INSERT INTO s VALUES ('x'); UPDATE s_data SET block = x'ffffffffffffffff'",
        "CREATE VIRTUAL TABLE r USING rtree(id, a, b); INSERT INTO r VALUES (1, 2, 3); UPDATE r_node SET data = x'0000ffffff'",
      ]
      _ = sqlite3_exec(database, scripts[seed / Kind.allCases.count % scripts.count], nil, nil, nil)
    }
  }
#endif
