#if os(Linux)
  import Foundation
  import MiniORM
  import TestSupport
  import Testing

  /// Files with the features that real programs use, and that MiniORM has no types for.
  @Suite("Files of other programs")
  struct ForeignFilesTests {
    /// A collation of another program, a missing module and a missing tokenizer.
    private static let script = """
      CREATE TABLE deck (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE unknown, mtime INTEGER);
      CREATE UNIQUE INDEX deck_name ON deck (name);
      CREATE TABLE plain (id BIGINT NOT NULL PRIMARY KEY, name TEXT, seen DATE, free INT);
      CREATE TABLE mail_content (docid INTEGER PRIMARY KEY, c0text);
      CREATE TABLE mail_segments (blockid INTEGER PRIMARY KEY, block BLOB);
      CREATE TABLE mail_folder (id SMALLINT NOT NULL PRIMARY KEY);
      CREATE VIRTUAL TABLE words USING fts5(a);
      INSERT INTO deck VALUES (1, 'b', 1), (2, 'a', 2);
      INSERT INTO plain VALUES (1, 'one', NULL, 1), (-5, 'two', NULL, 2);
      CREATE TRIGGER plain_ai AFTER INSERT ON plain BEGIN
        INSERT INTO mail (text) VALUES (new.name);
      END;
      PRAGMA writable_schema = ON;
      INSERT INTO sqlite_schema VALUES
        ('table', 'mail', 'mail', 0, 'CREATE VIRTUAL TABLE mail USING fts4(text)');
      UPDATE sqlite_schema SET sql = 'CREATE VIRTUAL TABLE words USING fts5(a, tokenize = ''mine'')'
        WHERE name = 'words';
      """

    private static let advice =
      "miniorm: index deck_name of table deck: the collation unknown is not registered, so the entries are in "
      + "the order of bytes. Run REINDEX \"unknown\" in a program that registers the collation, before "
      + "any other statement\n"

    @Test("check checks the other tables, and names the parts that it cannot check")
    func check() async throws {
      let tool = try ToolRun()
      try await tool.makePlain("a.db", Self.script)
      let output = try await tool.output("check", "a.db")
      #expect(
        output == """
          structure: ok
          foreign keys: ok
          not checked: the indexes and constraints of table deck: no such collation sequence: unknown
          not checked: virtual table mail: no such module: fts4
          not checked: virtual table words: no such tokenizer: mine

          """)
    }

    @Test("encrypt, export and decrypt copy every row, and name the index to rebuild")
    func copied() async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      try await tool.makePlain("a.db", Self.script)
      let key = ["--key-file", "key", "--raw"]
      let exported = try await tool(["export", "a.db", "b.db"])
      #expect(exported.status == 0 && exported.output == Self.advice)
      let encrypted = try await tool(["encrypt", "a.db"] + key)
      #expect(encrypted.status == 0 && encrypted.output == Self.advice)
      let query = ["query", "a.db", "SELECT id, name FROM deck NOT INDEXED ORDER BY id"]
      let rows = try await tool(query + ["--format", "csv"] + key)
      #expect(rows.output.split(whereSeparator: \.isNewline) == ["id,name", "1,b", "2,a"])
      let decrypted = try await tool(["decrypt", "a.db"] + key)
      #expect(decrypted.status == 0 && decrypted.output == Self.advice)
    }

    @Test("a table that the collation orders is refused, with the remedy")
    func ordered() async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      try await tool.makePlain(
        "a.db",
        """
        CREATE TABLE word (word TEXT COLLATE unknown PRIMARY KEY) WITHOUT ROWID;
        INSERT INTO word VALUES ('a');
        """)
      let encrypted = try await tool(["encrypt", "a.db", "--key-file", "key", "--raw"])
      #expect(encrypted.status == 1)
      #expect(encrypted.output.contains("Configuration.collations"))
      #expect(try tool.names() == ["a.db", "key"])
    }

    @Test("the index of a column may have the collation, and a view, a trigger or a CHECK")
    func collations() async throws {
      let tool = try ToolRun()
      try await tool.makePlain(
        "a.db",
        """
        CREATE TABLE item (title TEXT, artist TEXT CHECK (artist <> 'x' COLLATE c));
        CREATE INDEX item_title ON item (title COLLATE [unknown] DESC);
        CREATE VIEW sorted AS SELECT title FROM item ORDER BY title COLLATE 'A';
        CREATE TRIGGER item_ai AFTER INSERT ON item BEGIN
          DELETE FROM item WHERE title = new.artist COLLATE NOCASE AND title = artist COLLATE "b""c";
        END;
        """)
      let notes = try await tool.output("models", "a.db", redirections: "2>&1 >models")
      let names = notes.split(separator: "\n").compactMap {
        $0.firstMatch(of: /^miniorm: collation (.+): only/)?.1
      }
      #expect(names == [#""a""#, #""b""c""#, #""c""#, #""unknown""#], "\(notes)")
    }

    @Test("models reads the rows, gives every key, and leaves out what a new file cannot have")
    func models() async throws {
      let tool = try ToolRun()
      try await tool.makePlain("a.db", Self.script)
      let text = try await tool.output("models", "a.db", redirections: "2>notes")
      for line in [
        "  @Column(.collate(Collation(\"unknown\"))) var name: String\n  var mtime: Int64?\n",
        "Index(\"deck_name\", unique: true) { $0.name },\n", "    Deck.self,\n",
        "/// - collation \"unknown\": only the program that made the file defines its order",
        "  @Column(.type(\"BIGINT\")) let id: Int64\n",
        "  @Column(.type(\"DATE\")) var seen: Date?\n", "struct MailFolder: Identifiable {",
      ] {
        #expect(text.contains(line), "\(line)")
      }
      #expect(!text.contains("mail_content") && !text.contains("SQLObject"))
      let notes = try String(contentsOfFile: tool.path("notes"), encoding: .utf8)
      for note in [
        #"table "mail_content": it belongs to the virtual table mail, whose module fts4 is missing, so it is left out"#,
        #"virtual table "mail": it cannot be read, so it is left out: no such module: fts4"#,
        #"virtual table "words": it cannot be read, so it is left out: no such tokenizer: mine"#,
        #"trigger "plain_ai": not in the schema, because its SQL names mail, which is not in the schema"#,
        #"collation "unknown": only the program that made the file defines its order"#,
      ] {
        #expect(notes.contains(note), "\(note)\n\(notes)")
      }
    }

    @Test("the triggers and views of a file are in the schema, and keep a full-text index")
    func objects() async throws {
      let tool = try ToolRun()
      try await tool.makePlain(
        "a.db",
        """
        CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
        CREATE VIRTUAL TABLE note_text USING fts5(text, content='note', content_rowid='id');
        CREATE VIRTUAL TABLE words USING fts5(a);
        CREATE VIRTUAL TABLE other_text USING fts5(text, content='note', content_rowid='id');
        CREATE TRIGGER note_ai AFTER INSERT ON note BEGIN
          INSERT INTO note_text (rowid, text) VALUES (new.id, new.text);
        END;
        CREATE VIEW long AS SELECT id, text FROM note WHERE length(text) > 100;
        """)
      let ended = try await tool(["models", "a.db"])
      #expect(
        ended.output.contains(
          """
              objects: [
                SQLObject("CREATE VIRTUAL TABLE note_text USING fts5(text, content='note', content_rowid='id')"),
                SQLObject("CREATE VIRTUAL TABLE words USING fts5(a)"),
                SQLObject("CREATE VIRTUAL TABLE other_text USING fts5(text, content='note', content_rowid='id')"),
                SQLObject("CREATE VIEW long AS SELECT id, text FROM note WHERE length(text) > 100"),
                SQLObject(
                  \"""
                  CREATE TRIGGER note_ai AFTER INSERT ON note BEGIN
                    INSERT INTO note_text (rowid, text) VALUES (new.id, new.text);
                  END
                  \"""),
              ])
          """), "\(ended.output)")
      #expect(
        ended.output.contains(
          #"virtual table "other_text": no trigger of the file updates this index"#))
      #expect(ended.output.contains("@Table(\"long\", options: [])"))
    }

    /// References, functions and values that models cannot express.
    private static let unusual = """
      CREATE TABLE item (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES gone (id) ON DELETE CASCADE,
        part INTEGER REFERENCES odd, parent INTEGER REFERENCES item);
      CREATE TABLE odd ("" INTEGER PRIMARY KEY);
      CREATE TABLE event (id INTEGER PRIMARY KEY, at DATETIME NOT NULL, seen TIMESTAMP, started DATETIME, size DATE);
      INSERT INTO event VALUES (1, 1764400395, 1764400395.25, 700000000, 12.5), (2, 1764400396, 1764400395, 1, 1);
      CREATE TABLE stamped (id INTEGER PRIMARY KEY, at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
        fine TIMESTAMP DEFAULT CURRENT_TIMESTAMP, none DATETIME DEFAULT CURRENT_TIMESTAMP);
      INSERT INTO stamped VALUES (1, '2025-11-29 07:13:15', '2025-11-29 07:13:15.5', NULL);
      CREATE TABLE raw (text TEXT, other TEXT);
      INSERT INTO raw VALUES (CAST(x'61ff' AS TEXT), 'é'), ('a', NULL);
      CREATE TABLE checked (a INTEGER CHECK (instr(a, 'x') >= 0), b TEXT);
      CREATE TRIGGER counted AFTER DELETE ON event BEGIN SELECT missing_function(1); END;
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'instr', 'missing_check') WHERE name = 'checked';
      """

    @Test("models keeps references to missing tables, and names missing functions and other text")
    func unusualFile() async throws {
      let tool = try ToolRun()
      try await tool.makePlain("a.db", Self.unusual)
      let text = try await tool.output("models", "a.db", redirections: "2>notes")
      for line in [
        #"      .kept(sql: "FOREIGN KEY (\"owner\") REFERENCES \"gone\" (\"id\") ON DELETE CASCADE"),"#,
        #"      .kept(sql: "FOREIGN KEY (\"part\") REFERENCES \"odd\""),"#,
        "  @Column(.references(Self.self)) var parent: Int64?\n",
        #"  @Column(.type("DATETIME"), as: .unixSeconds) var at: Date"# + "\n",
        #"  @Column(.type("TIMESTAMP"), as: .unixSecondsReal) var seen: Date?"# + "\n",
        #"  @Column(.type("DATETIME")) var started: Int64?"# + "\n",
        #"  @Column(.type("DATE")) var size: Double?"# + "\n",
        #"  @Column(.type("DATETIME"), .default(sql: "CURRENT_TIMESTAMP"), as: .textSeconds) var at: Date"#
          + "\n",
        #"  @Column(.type("TIMESTAMP"), .default(sql: "CURRENT_TIMESTAMP")) var fine: String?"#
          + "\n",
        #"  @Column(.type("DATETIME"), .default(sql: "CURRENT_TIMESTAMP"), as: .textSeconds) var none: Date?"#
          + "\n",
        #"adopt(version: 1, formats: ["event": ["at": .unixSeconds, "seen": .unixSecondsReal]])"#,
      ] {
        #expect(text.contains(line), "\(line)\n\(text)")
      }
      let notes = try String(contentsOfFile: tool.path("notes"), encoding: .utf8)
      for note in [
        #"table "item": a new file does not get the foreign key (owner) → gone(id) on delete cascade, because gone is not in the file"#,
        #"table "item": a new file does not get the foreign key (part) → odd, because odd is not in the schema"#,
        #"table "item": SQLite cannot insert or update or delete rows: no such table: main.gone"#,
        #"table "event": SQLite cannot delete rows: no such function: missing_function. Define the function"#,
        #"table "checked": SQLite cannot insert rows: no such function: missing_check. Define the function"#,
        #"table "raw": the column "text" contains text that is not UTF-8"#,
        #"table "event": the numbers in the column "at" are read as times"#,
      ] {
        #expect(notes.contains(note), "\(note)\n\(notes)")
      }
      #expect(!notes.contains(#"the column "other""#) && !notes.contains(#"the column "started""#))
    }

    @Test("a missing function in a DEFAULT gets a note, also beside another missing part")
    func missingDefault() async throws {
      let tool = try ToolRun()
      try await tool.makePlain(
        "a.db",
        """
        CREATE TABLE token (id INTEGER PRIMARY KEY, value TEXT DEFAULT (instr(1, 2)));
        CREATE TABLE owned (id INTEGER PRIMARY KEY, value TEXT DEFAULT (instr(1, 2) || 'x'),
          owner INTEGER REFERENCES gone (id));
        CREATE TABLE known (id INTEGER PRIMARY KEY, value TEXT DEFAULT (lower(hex(randomblob(4)))));
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, 'instr', 'missing');
        """)
      let notes = try await tool.output("models", "a.db", redirections: "2>&1 >models")
      let note =
        "SQLite cannot insert rows: no such function: missing. Define the function in "
        + "Configuration.functions, with innocuous: true\n"
      for table in ["token", "owned"] {
        #expect(notes.contains("miniorm: table \"\(table)\": \(note)"), "\(notes)")
      }
      #expect(!notes.contains("known"))
    }

    @Test("a file with a plaintext header of 32 bytes is recognized, and needs its salt")
    func plaintextHeader() async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      var configuration = Configuration()
      configuration.journalMode = .delete
      configuration.cipher.plaintextHeaderSize = 32
      let salt = [UInt8](repeating: 0xab, count: 16)
      let database = try await Database(
        path: tool.path("a.db"), key: .raw(ToolRun.bytes, salt: salt), configuration: configuration)
      try await database.write { db in try db.execute(script: ToolRun.script) }
      try await database.close()
      let key = ["--key-file", "key", "--raw"]
      let digits = String(repeating: "ab", count: 16)
      let checked = try await tool(["check", "a.db", "--salt", digits] + key)
      #expect(checked.output == "pages: ok\nstructure: ok\nforeign keys: ok\n")
      let info = try await tool(["info", "a.db", "--salt", digits] + key)
      #expect(info.output.contains("cipher_plaintext_header_size") && info.output.contains("album"))
      let written = try await tool(
        ["query", "a.db", "--write", "DELETE FROM empty", "--salt", digits] + key)
      #expect(written.status == 0)
      let copy = try await tool(["export", "a.db", "b.db", "--plain", "--salt", digits] + key)
      #expect(copy.status == 0, "\(copy.output)")
      let rows = try await tool.rows("b.db", "SELECT count(*) FROM album")
      #expect(rows == [[.integer(2)]])
      let saltless = try await tool(["check", "a.db"] + key)
      #expect(saltless.status != 0 && saltless.output.contains("salt"))
      let named = try await tool(
        ["check", "a.db", "--plaintext-header", "32", "--salt", digits] + key)
      #expect(named.status == 0)
      let keyless = try await tool(["check", "a.db"])
      #expect(keyless.status == 3, "\(keyless)")
      for command in [
        ["check", "a.db"], ["info", "a.db"], ["query", "a.db", "SELECT 1"], ["models", "a.db"],
        ["export", "a.db", "c.db"], ["query", "a.db", "--write", "SELECT 1"],
      ] {
        let ended = try await tool(command)
        #expect(
          ended.output.contains("give --plaintext-header 32, its salt with --salt, and its key"),
          "\(command): \(ended)")
      }
    }

    @Test("cipher settings are options, and the settings of older versions are tried")
    func settings() async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      let key = ["--key-file", "key", "--raw"]
      func make(_ name: String, _ settings: CipherSettings) async throws {
        var configuration = Configuration()
        configuration.journalMode = .delete
        configuration.cipher = settings
        let database = try await Database(
          path: tool.path(name), key: .raw(ToolRun.bytes), configuration: configuration)
        try await database.write { db in try db.execute(script: ToolRun.script) }
        try await database.close()
      }
      try await make("three.db", .sqlcipher3)
      let tables = try await tool(["query", "three.db", "SELECT count(*) FROM album"] + key)
      #expect(tables.status == 0 && tables.output.contains("2"))
      let version = try await tool(["check", "three.db", "--cipher-version", "3"] + key)
      #expect(version.output == "pages: ok\nstructure: ok\nforeign keys: ok\n")
      var custom = CipherSettings()
      (custom.pageSize, custom.kdfIterations) = (8_192, 1_000)
      (custom.kdfAlgorithm, custom.hmacAlgorithm) = (.sha256, .sha256)
      try await make("custom.db", custom)
      let options = [
        "--cipher-page-size", "8192", "--kdf-iterations", "1000", "--kdf-algorithm", "sha256",
        "--hmac", "sha256",
      ]
      let checked = try await tool(["check", "custom.db"] + options + key)
      #expect(checked.output == "pages: ok\nstructure: ok\nforeign keys: ok\n")
      let wrong = try await tool(["check", "custom.db"] + key)
      #expect(wrong.status == 3)
      let usage = try await tool(["check", "custom.db", "--salt", "xyz"] + key)
      #expect(usage.status == 64)
    }

    @Test(
      "encrypt and query --write complete the changes of a killed program in a plain file",
      arguments: [["encrypt"], ["query"]])
    func recovery(command: [String]) async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      let key = ["--key-file", "key", "--raw"]
      for kind in [LeftBeside.journal, .crashedLog] {
        try kind.make(in: tool)
        let file = "files/\(kind.rawValue).db"
        let rest =
          command == ["query"] ? [file, "--write", "DELETE FROM album WHERE id = 1"] : [file] + key
        let ended = try await tool(command + rest)
        #expect(ended.status == 0, "\(kind): \(ended)")
        let count = try await tool(
          [
            "query", file, "SELECT count(*) AS n FROM album WHERE title LIKE 'title %'", "--format",
            "csv",
          ]
            + (command == ["query"] ? [] : key))
        #expect(count.output == "n\r\n\(command == ["query"] ? 499 : 500)\r\n", "\(kind)")
      }
    }
  }
#endif
