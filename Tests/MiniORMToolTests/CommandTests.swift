#if os(Linux)
  import CSQLCipher
  import Foundation
  import MiniORM
  import TestSupport
  import Testing

  @Suite("The tool's commands")
  struct CommandTests {
    @Test("info shows versions, settings and tables with rows", arguments: [false, true])
    func info(isEncrypted: Bool) async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script, key: isEncrypted ? ToolRun.key : nil)
      try tool.write("key", ToolRun.hexadecimal)
      let key = isEncrypted ? ["--raw", "--key-file", "key"] : []
      let ended = try await tool(["info", "a.db"] + key)
      #expect(ended.status == 0)
      let lines = ended.output.split(separator: "\n", omittingEmptySubsequences: false).map(
        String.init)
      func value(_ name: String) -> String? {
        lines.first { $0.hasPrefix("\(name) ") }
          .map { $0.dropFirst(name.count).trimmingCharacters(in: .whitespaces) }
      }
      #expect(value("file") == "a.db")
      #expect(value("encrypted") == (isEncrypted ? "yes" : "no"))
      #expect(value("user_version") == "7")
      #expect(value("journal_mode") == "delete")
      #expect(value("cipher_page_size") == (isEncrypted ? "4096" : nil))
      #expect(value("size")?.hasPrefix("12,288 bytes in 3 pages of 4096") == true)
      #expect(lines.suffix(5) == ["table  rows", "-----  ----", "album     2", "empty     0", ""])
    }

    @Test(
      "a misspelled command is refused with the nearest one",
      arguments: [
        (["chekc"], "there is no command chekc. Did you mean check?"),
        (["help", "quer"], "there is no command quer. Did you mean query?"),
        (["Backups"], "there is no command Backups. Did you mean backups?"),
        (
          ["frobnicate", "a.db"],
          "there is no command frobnicate. miniorm --help lists the commands"
        ),
      ])
    func misspelled(arguments: [String], message: String) async throws {
      let ended = try await ToolRun()(arguments, "2>&1")
      #expect(ended.status == 64 && ended.output == "miniorm: \(message)\n", "\(ended)")
    }

    @Test("the version is printed, and each message begins with the tool's name")
    func version() async throws {
      let tool = try ToolRun()
      #expect(try await tool.output("--version") == "miniorm 0.1.0\n")
      let ended = try await tool(["info", "a.db", "--unknown"], "2>&1")
      #expect(ended.status == 64 && ended.output.hasPrefix("miniorm: Unknown option"), "\(ended)")
    }

    @Test("info and check write JSON")
    func json() async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      struct Info: Decodable {
        struct Table: Decodable, Equatable { let table: String, rows: Int }
        let file: String, encrypted: String, version: String, tables: [Table]

        enum CodingKeys: String, CodingKey {
          case file, encrypted, tables
          case version = "user_version"
        }
      }
      let info = try JSONDecoder().decode(
        Info.self, from: Data(try await tool.output("info", "a.db", "--json").utf8))
      #expect(info.file == "a.db" && info.encrypted == "no" && info.version == "7")
      #expect(info.tables == [.init(table: "album", rows: 2), .init(table: "empty", rows: 0)])

      struct Check: Decodable {
        struct Problem: Decodable { let kind: String, message: String }
        let isIntact: Bool, isComplete: Bool, problems: [Problem], notChecked: [String]
      }
      func check() async throws -> (status: Int32, report: Check) {
        let ended = try await tool(["check", "a.db", "--json"])
        return (ended.status, try JSONDecoder().decode(Check.self, from: Data(ended.output.utf8)))
      }
      let intact = try await check()
      #expect(intact.status == 0 && intact.report.isIntact && intact.report.problems.isEmpty)
      let file = try FileHandle(forUpdating: tool.folder.appendingPathComponent("a.db"))
      try file.seek(toOffset: 2 * 4096)
      try file.write(contentsOf: Data([9, 9, 9, 9]))
      try file.close()
      let damaged = try await check()
      #expect(damaged.status == 4 && !damaged.report.isIntact && !damaged.report.problems.isEmpty)
    }

    @Test("schema writes the statements of a file, and no row", arguments: [false, true])
    func schema(isEncrypted: Bool) async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script, key: isEncrypted ? ToolRun.key : nil)
      try tool.write("key", ToolRun.hexadecimal)
      let key = isEncrypted ? ["--raw", "--key-file", "key"] : []
      let ended = try await tool(["schema", "a.db"] + key)
      let foreign = "-- Created by another program"
      #expect(ended.status == 0)
      #expect(
        ended.output.split(separator: "\n").map { String($0) }
          .filter { !$0.hasPrefix("-- Checksum: ") } == [
            "-- Schema version 7", foreign, "CREATE TABLE album (", "  id INTEGER PRIMARY KEY,",
            "  title TEXT NOT NULL,", "  price NUMERIC(10, 2),", "  cover BLOB", ");",
            foreign, "CREATE TABLE empty (", "  a,", "  b", ");",
          ])
    }

    @Test("check exits with 0 for an undamaged file, and with 4 for findings")
    func check() async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      let key = ["--raw", "--key-file", "key"]
      try await tool.make("a.db", ToolRun.script, key: ToolRun.key)
      #expect(
        try await tool(["check", "a.db"] + key)
          == .init(status: 0, output: "pages: ok\nstructure: ok\nforeign keys: ok\n"))

      // Damages a page that only the check reads.
      let file = try FileHandle(forUpdating: tool.folder.appendingPathComponent("a.db"))
      try file.seek(toOffset: 2 * 4096 + 100)
      try file.write(contentsOf: Data([1, 2, 3, 4]))
      try file.close()
      let damaged = try await tool(["check", "a.db"] + key)
      #expect(damaged.status == 4)
      #expect(
        damaged.output
          == """
          pages: page 3 is damaged: HMAC verification failed for page 3
          structure: not checked
          foreign keys: not checked

          """, "\(damaged)")
      // Without the first page, which contains the schema, the file is not a database.
      let head = try FileHandle(forUpdating: tool.folder.appendingPathComponent("a.db"))
      try head.seek(toOffset: 200)
      try head.write(contentsOf: Data([1, 2, 3, 4]))
      try head.close()
      #expect(try await tool(["check", "a.db"] + key).status == 3)
    }

    @Test("check lists the first hundred damaged pages, and counts the rest")
    func manyPages() async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      try await tool.make(
        "a.db", "CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(130 * 4096))", key: ToolRun.key)
      let file = try FileHandle(forUpdating: tool.folder.appendingPathComponent("a.db"))
      for page in 3...107 {
        try file.seek(toOffset: UInt64(page - 1) * 4096 + 100)
        try file.write(contentsOf: Data([1, 2, 3, 4]))
      }
      try file.close()
      let damaged = try await tool(["check", "a.db", "--raw", "--key-file", "key"])
      #expect(damaged.status == 4)
      let pages = (3...102).map {
        "pages: page \($0) is damaged: HMAC verification failed for page \($0)"
      }
      #expect(
        damaged.output.split(separator: "\n").map(String.init)
          == pages + ["pages: and 5 more", "structure: not checked", "foreign keys: not checked"])
    }

    @Test("check reports rows with a missing parent")
    func foreignKeys() async throws {
      let tool = try ToolRun()
      try await tool.make(
        "a.db",
        """
        CREATE TABLE parent (id INTEGER PRIMARY KEY);
        CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent);
        """)
      var configuration = Configuration()
      configuration.foreignKeysEnabled = false
      let database = try await Database(
        path: tool.path("a.db"), key: nil, configuration: configuration)
      try await database.write { db in
        try db.execute("INSERT INTO child VALUES (4, 1), (5, 2), (6, NULL)")
      }
      try await database.close()
      #expect(
        try await tool(["check", "a.db"])
          == .init(
            status: 4,
            output: """
              structure: ok
              foreign keys: row 4 of table child refers to a row of parent that does not exist
              foreign keys: row 5 of table child refers to a row of parent that does not exist

              """))
    }

    @Test("check says that it does not know the number of findings above a thousand")
    func manyOrphans() async throws {
      let tool = try ToolRun()
      try await tool.makePlain(
        "a.db",
        """
        CREATE TABLE parent (id INTEGER PRIMARY KEY);
        CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
          INSERT INTO child SELECT i, i FROM n;
        """)
      let lines = try await tool(["check", "a.db"]).output.split(separator: "\n")
      #expect(lines.count == 102)
      #expect(lines.last == "foreign keys: and at least 900 more")
    }

    @Test("rekey and query --write keep the journal mode", arguments: [false, true])
    func journal(isLogged: Bool) async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script, key: ToolRun.key, isLogged: isLogged)
      try tool.write("one", ToolRun.hexadecimal)
      try tool.write("two", String(ToolRun.hexadecimal.reversed()))
      _ = try await tool.output(
        "query", "a.db", "--write", "DELETE FROM album", "--raw", "--key-file", "one")
      _ = try await tool.output(
        "rekey", "a.db", "--raw", "--key-file", "one", "--new-raw", "--new-key-file", "two")
      let info = try await tool.output("info", "a.db", "--raw", "--key-file", "two")
      let mode = info.firstMatch(of: /journal_mode +(\w+)/)?.1
      #expect(mode == (isLogged ? "wal" : "delete"))
    }

    @Test("rekey shows its progress on a terminal", arguments: [false, true])
    func progress(isLogged: Bool) async throws {
      let tool = try ToolRun()
      let script = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, bytes BLOB);
        WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO t SELECT i, zeroblob(1000) FROM n;
        """
      try await tool.make("a.db", script, key: ToolRun.key, isLogged: isLogged)
      try tool.write("one", ToolRun.hexadecimal)
      try tool.write("two", String(ToolRun.hexadecimal.reversed()))
      let ended = try await PseudoTerminal().run(
        tool,
        ["rekey", "a.db", "--raw", "--key-file", "one", "--new-raw", "--new-key-file", "two"], [])
      #expect(ended.status == 0)
      let shown = ended.output.matches(of: /again \[#* *\] +(\d+) %/).compactMap { Int($0.1) }
      // Progress is reported more than once.
      #expect(shown.first == 0 && shown == shown.sorted() && (shown.last ?? 0) > 0, "\(shown)")
    }

    @Test("check, restore and the first copy of a continuous backup show their whole progress")
    func progressOfReading() async throws {
      let tool = try ToolRun()
      let script = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, bytes BLOB);
        WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
        INSERT INTO t SELECT i, randomblob(1000) FROM n;
        """
      try await tool.make("a.db", script, key: ToolRun.key, isLogged: true)
      try await tool.make("plain.db", script)
      try tool.write("key", ToolRun.hexadecimal)
      let key = ["--raw", "--key-file", "key"]
      func shown(
        _ title: String, _ arguments: [String], program: String = ToolRun.program
      ) async throws -> [Int] {
        let ended = try await PseudoTerminal().run(tool, arguments, [], program: program)
        #expect(ended.status == 0, "\(ended)")
        let shown = ended.output.matches(of: /(\w+) \[#* *\] +(\d+) %/)
          .filter { $0.1 == title }.compactMap { Int($0.2) }
        #expect(shown == shown.sorted(), "\(title): \(shown)")
        return shown
      }
      for arguments in [["check", "a.db"] + key, ["check", "plain.db"]] {
        let check = try await shown("checking", arguments)
        for part in [1..<30, 30..<60, 60..<100] {
          #expect(check.contains { part.contains($0) }, "\(check)")
        }
      }
      let backup = """
        "$0" backup --continuous a.db store --raw --key-file key & tool=$!
        until ls store/*-*/*-0* >/dev/null 2>&1; do kill -0 $tool || exit 1; sleep 0.1; done
        kill -INT $tool; wait $tool
        """
      let copy = try await shown(
        "copying", ["-c", backup, ToolRun.program], program: "/bin/sh")
      #expect(copy.contains { (1..<100).contains($0) }, "\(copy)")
      let restore = try await shown("restoring", ["restore", "store", "--to", "b.db"] + key)
      #expect(restore.contains { (1..<80).contains($0) }, "\(restore)")
      #expect(restore.contains { (81..<100).contains($0) }, "\(restore)")
    }

    @Test("the unencrypted copy of a killed decrypt is removed by the next command on the file")
    func leftPlain() async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      let key = ["--raw", "--key-file", "key"]
      let script = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, bytes BLOB);
        WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
        INSERT INTO t SELECT i, zeroblob(1000) FROM n;
        """
      try await tool.make("a.db", script, key: ToolRun.key)
      let kill = """
        "$0" decrypt a.db --raw --key-file key & tool=$!
        while kill -0 $tool 2>/dev/null && ! ls | grep -q miniorm-; do :; done
        kill -KILL $tool; wait $tool
        """
      let killed = try await ChildProcess.run(
        "/bin/sh", ["-c", kill, ToolRun.program], in: tool.folder, limit: .seconds(120))
      try #require(killed.status == 137, "\(killed)")
      let copy = try #require(try tool.names().first { $0.hasPrefix("a.db.miniorm-") })
      let next = try await tool(["query", "a.db", "SELECT 1 AS n", "--format", "csv"] + key)
      #expect(
        next.output.hasPrefix("miniorm: removed ")
          && next.output.hasSuffix("\(copy), which a killed decrypt left unencrypted\nn\r\n1\r\n"),
        "\(next)")
      #expect(next.status == 0)
      #expect(try tool.names() == ["a.db", "key"])

      // A running decrypt locks the file, so its copy is kept. Encrypted copies are kept too.
      try await tool.make("a.db.miniorm-1", ToolRun.script)
      try await tool.make("a.db.miniorm-2", ToolRun.script, key: ToolRun.key)
      try await tool.locking("a.db", "BEGIN EXCLUSIVE") {
        let ended = try await tool(["info", "a.db"] + key)
        #expect(ended.status == 5, "\(ended)")
      }
      #expect(try tool.names().count == 4)
      _ = try await tool(["info", "a.db"] + key)
      #expect(try tool.names() == ["a.db", "a.db.miniorm-2", "key"])
    }

    @Test(
      "messages name the tool's options instead of the library's calls and properties",
      arguments: [
        (
          ["rekey", "a.db", "--new-raw", "--new-key-file", "key"], 5,
          "database is locked: another connection or process held the lock, and this call waited 5"
        ),
        (
          ["query", "a.db", "--write", "DELETE FROM album"], 5,
          "database is locked: another connection or process held the lock, and this call waited 5"
        ),
        (
          ["query", "three.db", "SELECT 1", "--cipher-version", "4"], 3,
          "three.db: The key is correct, but the file has the settings of SQLCipher 3: upgrade it with miniorm upgrade, or give --cipher-version 3"
        ),
        (
          ["query", "a.db", "ATTACH 'b.db' AS b"], 1,
          "ATTACH is refused: run a query for each file"
        ),
      ])
    func options(arguments: [String], status: Int32, message: String) async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      try await tool.make("a.db", ToolRun.script, key: ToolRun.key)
      try await tool.makePlain(
        "three.db",
        "PRAGMA key = \"x'\(ToolRun.hexadecimal)'\"; PRAGMA cipher_compatibility = 3;"
          + ToolRun.script)
      try await tool.locking("a.db", status == 5 ? "BEGIN IMMEDIATE" : "SELECT 1") {
        let ended = try await tool(arguments + ["--raw", "--key-file", "key"])
        #expect(ended.status == status && ended.output.hasPrefix("miniorm: "), "\(ended)")
        #expect(ended.output.contains(message), "\(ended)")
        #expect(!ended.output.contains("Configuration"), "\(ended)")
      }
    }

    @Test("the manual page has each command and each option of the help")
    func manual() async throws {
      let tool = try ToolRun()
      let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("scripts/man-page").path
      let page = try await ChildProcess.run(
        "python3", [script, ToolRun.program], in: tool.folder, limit: .seconds(60))
      #expect(page.status == 0 && page.output.hasPrefix(".TH MINIORM 1\n.SH NAME\n"), "\(page)")
      let text = page.output.split(separator: "\\").joined()
      let names = try await tool.output("--help").matches(of: /\n  ([a-z]+) +[A-Z]/)
        .map { String($0.1) }
      #expect(names.count == 15, "\(names)")
      for name in names {
        #expect(text.contains("\n.SS \"miniorm \(name)\"\n"), "\(name)")
        let part = text.split(separator: ".SS \"miniorm \(name)").dropFirst().joined()
        for option in try await tool.output("help", name).matches(of: /\n  (--[a-z-]+)/)
        where option.1 != "--version" {
          #expect(part.contains("\n.B \"\(option.1)"), "\(name) \(option.1)")
        }
      }
    }

    @Test("a file keeps its rows when encrypted, rekeyed, exported and decrypted")
    func life() async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      try tool.write("one", ToolRun.hexadecimal)
      try tool.write("two", String(ToolRun.hexadecimal.reversed()) + "\n")
      let other = Key.raw(ToolRun.bytes.reversed().map { $0 << 4 | $0 >> 4 })
      let all: SQL = "SELECT * FROM album"
      let rows = try await tool.rows("a.db", all)
      #expect(rows.count == 2)

      #expect(try await tool.output("encrypt", "a.db", "--raw", "--key-file", "one") == "")
      #expect(try await tool.rows("a.db", all, key: ToolRun.key) == rows)
      #expect(
        try await tool.output(
          "rekey", "a.db", "--raw", "--key-fd", "3", "--new-raw", "--new-key-fd", "4",
          redirections: "3<one 4<two") == "")
      #expect(try await tool.rows("a.db", all, key: other) == rows)
      _ = try await tool.output("export", "a.db", "same.db", "--raw", "--key-file", "two")
      _ = try await tool.output(
        "export", "a.db", "other.db", "--raw", "--key-file", "two", "--new-key-file", "one",
        "--new-raw")
      _ = try await tool.output(
        "export", "a.db", "plain.db", "--raw", "--key-file", "two", "--plain")
      #expect(try await tool.rows("same.db", all, key: other) == rows)
      #expect(try await tool.rows("other.db", all, key: ToolRun.key) == rows)
      #expect(try await tool.rows("plain.db", all) == rows)
      #expect(try await tool.output("decrypt", "a.db", "--raw", "--key-file", "two") == "")
      #expect(try await tool.rows("a.db", all) == rows)
      #expect(try tool.names() == ["a.db", "one", "other.db", "plain.db", "same.db", "two"])
    }

    @Test("backup copies with the same key, and salvage reports lost rows")
    func backupAndSalvage() async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      try await tool.make("a.db", ToolRun.script, key: ToolRun.key)
      let all: SQL = "SELECT * FROM album"
      let rows = try await tool.rows("a.db", all, key: ToolRun.key)
      let key = ["--raw", "--key-file", "key"]
      _ = try await tool.output("backup", "a.db", "b.db", key[0], key[1], key[2])
      #expect(try await tool.rows("b.db", all, key: ToolRun.key) == rows)
      let refused = try await tool(["backup", "a.db", "b.db"] + key)
      #expect(refused.status == 1)
      _ = try await tool.output("backup", "a.db", "b.db", "--replace", key[0], key[1], key[2])

      let whole = try await tool(["salvage", "b.db", "whole.db"] + key)
      #expect(whole.status == 0)
      #expect(try await tool.rows("whole.db", all, key: ToolRun.key) == rows)
      // A byte of the last page.
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: tool.path("b.db")))
      let end = try file.seekToEnd()
      try file.seek(toOffset: end - 2_000)
      try file.write(contentsOf: Data([0x5A, 0xA5, 0x5A, 0xA5]))
      try file.close()
      let partial = try await tool(["salvage", "b.db", "partial.db"] + key)
      #expect(partial.status == 4)
      #expect(!partial.output.isEmpty)
    }

    @Test("upgrade prints the file's former version", arguments: [3, 4])
    func upgrade(version: Int) async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      var database: OpaquePointer?
      #expect(sqlite3_open(tool.path("a.db"), &database) == SQLITE_OK)
      let head = """
        PRAGMA cipher_log_level = NONE; PRAGMA key = "x'\(ToolRun.hexadecimal)'";
        PRAGMA cipher_compatibility = \(version);
        """
      #expect(sqlite3_exec(database, head + ToolRun.script, nil, nil, nil) == SQLITE_OK)
      #expect(sqlite3_close(database) == SQLITE_OK)
      #expect(
        try await tool.output("upgrade", "a.db", "--raw", "--key-file", "key")
          == (version == 4
            ? "a.db has the settings of SQLCipher 4 already\n"
            : "a.db had the settings of SQLCipher 3, and now has the settings of SQLCipher 4\n"))
      #expect(try await tool.rows("a.db", "SELECT id FROM album", key: ToolRun.key).count == 2)
    }

    @Test(
      "an invalid use of a command is refused with the remedy",
      arguments: [
        (["decrypt", "plain.db"], 1, "plain.db is not encrypted: there is nothing to decrypt"),
        (["rekey", "plain.db"], 1, "plain.db is not encrypted: give it a key with encrypt"),
        (
          ["upgrade", "plain.db"], 1, "plain.db is not encrypted, so it has no settings to upgrade"
        ),
        (
          ["encrypt", "secret.db"], 1,
          "secret.db is encrypted already, or not a database: change the key of an encrypted file with rekey"
        ),
        (
          ["info", "none.db"], 1,
          "none.db: there is no such file, or the path cannot be reached. Check the path"
        ),
        (["info", "."], 1, ". is a folder: give the path of a file"),
        (["info", "pipe"], 1, "pipe is a device or a pipe: give the path of a file"),
        (["check", "/dev/zero"], 1, "/dev/zero is a device or a pipe: give the path of a file"),
        (
          ["export", "plain.db", "secret.db"], 1,
          "plain.db: There is a file at secret.db already: choose another path"
        ),
        (
          ["info", "plain.db", "--key-file", "key"], 64,
          "plain.db is not encrypted: leave out --key-fd, --key-file and --raw"
        ),
        (
          ["info", "secret.db", "--raw", "--key-file", "wrong"], 3,
          "secret.db: The key is wrong, the file has other cipher settings, or the file is damaged or not a database: SQLCipher reports the same code for all of them"
        ),
        (
          ["query", "plain.db", "DROP TABLE album"], 64,
          "the SQL changes the file, which needs --write: attempt to write a readonly database"
        ),
        (
          ["query", "plain.db", "SELECT 1; SELECT 2"], 64,
          "there is more than one statement: run a script with --write"
        ),
        (["query", "plain.db", "SELECT nope"], 1, "no such column: nope"),
        (
          ["query", "plain.db", " "], 1,
          "The SQL contains no statement, only spaces or comments: write a statement"
        ),
      ])
    func refused(arguments: [String], status: Int, message: String) async throws {
      let tool = try ToolRun()
      try await tool.make("plain.db", ToolRun.script)
      try await tool.make("secret.db", ToolRun.script, key: ToolRun.key)
      try tool.write("key", ToolRun.hexadecimal)
      try tool.write("wrong", String(ToolRun.hexadecimal.reversed()))
      #expect(mkfifo(tool.path("pipe"), 0o600) == 0)
      #expect(
        try await tool(arguments)
          == .init(status: Int32(status), output: "miniorm: \(message)\n"))
      #expect(try await tool.rows("plain.db", "SELECT id FROM album").count == 2)
    }

    @Test("a file that another program writes gives exit status 5, and stays unchanged")
    func busy() async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      try tool.write("key", ToolRun.hexadecimal)
      var database: OpaquePointer?
      #expect(sqlite3_open(tool.path("a.db"), &database) == SQLITE_OK)
      #expect(sqlite3_exec(database, "BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK)
      let ended = try await tool(["encrypt", "a.db", "--raw", "--key-file", "key"])
      sqlite3_close(database)
      #expect(ended.status == 5, "\(ended.output)")
      #expect(try await tool.rows("a.db", "SELECT id FROM album").count == 2)
      #expect(try tool.names() == ["a.db", "key"])
    }
  }
#endif
