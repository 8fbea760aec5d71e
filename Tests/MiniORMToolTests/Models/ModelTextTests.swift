#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @Suite("Text of generated models")
  struct ModelTextTests {
    private static let script = """
      CREATE TABLE shop_order (
        order_id INTEGER PRIMARY KEY AUTOINCREMENT, customer VARCHAR(20) NOT NULL DEFAULT 'x' COLLATE NOCASE,
        is_paid INTEGER NOT NULL DEFAULT 0 CHECK (is_paid IN (0, 1)), total AS (order_id * 2), note BLOB,
        UNIQUE (customer, is_paid)
      );
      CREATE INDEX "by customer" ON shop_order (lower(customer) DESC, order_id) WHERE is_paid = 1;
      CREATE TABLE line (
        "order" INTEGER REFERENCES shop_order ON DELETE CASCADE, number INT, text TEXT, PRIMARY KEY ("order", number)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE log (at DATETIME PRIMARY KEY DESC);
      CREATE VIEW paid AS SELECT order_id AS "id", total / 2.0 AS half FROM shop_order WHERE is_paid;
      CREATE TRIGGER logged AFTER INSERT ON line BEGIN INSERT INTO log VALUES ('now'); END;
      INSERT INTO shop_order (customer, is_paid) VALUES ('a', 1);
      """

    @Test("an index on a Bool column alone has a note on the queries that use it")
    func booleanIndex() async throws {
      let tool = try ToolRun()
      try await tool.makePlain(
        "file.db",
        """
        CREATE TABLE item (id INTEGER PRIMARY KEY, done INTEGER NOT NULL CHECK (done IN (0, 1)));
        CREATE INDEX finished ON item (id) WHERE done;
        CREATE INDEX open ON item (id) WHERE (NOT "done");
        CREATE INDEX compared ON item (id) WHERE done = 1;
        """)
      let text = try await tool.output("models", "file.db", redirections: "2>/dev/null")
      let notes = [
        #"the index "finished" is not used by where { $0.done }, but by where(sql: "done")"#,
        #"the index "open" is not used by where { !$0.done }, but by where(sql: "NOT \"done\"")"#,
      ]
      for note in notes { #expect(text.contains(note)) }
      #expect(!text.contains(#"the index "compared" is not used"#))
    }

    @Test("a struct for each table and view, and a schema of the unchanged tables")
    func text() async throws {
      let tool = try ToolRun()
      try await tool.makePlain("my-shop.db", Self.script)
      #expect(
        try await tool.output("models", "my-shop.db", redirections: "2>/dev/null")
          == #"""
          // The models of my-shop.db, written by miniorm models.

          import Foundation
          import MiniORM

          /// The table "shop_order".
          @Table("shop_order", columns: .snakeCase, options: [])
          struct ShopOrder {
            @Column(.primaryKey(autoincrement: true)) let orderId: Int64
            @Column(.type("VARCHAR(20)"), .collate(.nocase)) var customer: String = "x"
            @Column(.check("is_paid IN (0, 1)")) var isPaid: Bool = false
            @Column(.type(""), .generated("order_id * 2")) var total: DatabaseValue
            var note: Data?

            static var indexes: [Index<ShopOrder>] {
              [
                Index("by customer", where: { SQLExpression<Bool>("\($0.isPaid) = 1") }) { (SQLExpression<DatabaseValue>("lower(\($0.customer))").descending, $0.orderId) },
              ]
            }

            static var constraints: [TableConstraint<ShopOrder>] {
              [
                .unique { ($0.customer, $0.isPaid) },
              ]
            }
          }

          /// The table "line".
          @Table("line", primaryKey: ["order", "number"], options: [.strict, .withoutRowID])
          struct Line {
            @Column(.references(ShopOrder.self, onDelete: .cascade)) let order: Int64
            @Column(.type("INT")) let number: Int64
            var text: String?
          }

          /// The table "log".
          ///
          /// - not in the schema, because a model cannot declare PRIMARY KEY DESC
          @Table("log", options: [])
          struct Log {
            @Column(.type("DATETIME", nullable: true), .primaryKey) let at: String
          }

          /// The view "paid".
          @Table("paid", options: [])
          struct Paid {
            @Column("id") var idValue: Int64?
            var half: Double?
          }

          /// The models of the file's tables. If MiniORM did not create the file, declare once that its
          /// tables belong to this version: `try await database.adopt(version: 1)`.
          extension DatabaseSchema {
            static let myShop = DatabaseSchema(
              version: 1,
              [
                ShopOrder.self,
                Line.self,
              ] as [any Model.Type],
              objects: [
                SQLObject("CREATE VIEW paid AS SELECT order_id AS \"id\", total / 2.0 AS half FROM shop_order WHERE is_paid"),
              ])
          }

          """#)
    }

    /// The notes about some schemas, without the words that every note contains.
    private static let notes: [(name: String, notes: [String])] = [
      (
        "Music",
        [
          #"table "Album": the column "Released" may hold dates as text: var released: Date?"#
        ]
      ),
      ("Browser", []),
      (
        "Computed", [#"table "event": the column "day" may hold dates as text: var day: Date"#]
      ),
      ("Loose", [#"table "dates": the column "d" may hold dates as text: var d: Date?"#]),
      (
        "Mail",
        [
          #"virtual table "word": MiniORM has no declaration for the module fts5vocab, so the schema has the SQL"#,
          #"virtual table "grid": MiniORM has no declaration for the module rtree_i32, so the schema has the SQL"#,
        ]
      ),
      (
        "Names",
        [
          #"table "": its name cannot be written in a model, so it is left out"#,
          #"table "hole": not in the schema, because a model cannot declare the column """#,
        ]
      ),
      (
        "Views",
        [
          #"table "sale": the column "at" may hold dates as text: var at: Date?"#,
          #"view "broken": it cannot be read, so it is left out: no such column: nope"#,
        ]
      ),
      (
        "Search",
        [
          #"virtual table "article_text": no trigger of the file updates this index: insert into it, or rebuild it, after each change"#
        ]
      ),
    ]

    @Test("full-text tables and R*Trees get declarations for searches")
    func searches() async throws {
      let tool = try ToolRun()
      let script = try #require(FileSchemas.all.first { $0.name == "Search" }).script
      try await tool.makePlain(
        "a.db",
        script + """
          CREATE VIRTUAL TABLE partly USING fts5(a, b UNINDEXED, tokenize="porter 'ascii'", prefix='2 3');
          CREATE VIEW words AS SELECT key AS number, title FROM article;
          CREATE VIRTUAL TABLE of_view USING fts5(title, content=words, content_rowid=number);
          """)
      let text = try await tool.output("models", "a.db", redirections: "2>/dev/null")
      for declaration in [
        #"articleText: FullTextIndex<Article> = FullTextIndex<Article>("article_text", of: Article.self) { ($0.title, $0.body) }"#,
        "fullText: FullTextIndex<Plain> = FullTextIndex<Plain>(storing: Plain.self)",
        #"FullTextIndex<Trigrams>(storing: Trigrams.self, tokenizer: .init(sql: "trigram case_sensitive 1"))"#,
        "FullTextIndex<Keyless>(contentless: Keyless.self)",
        "FullTextIndex<OldKeyless>(contentless: OldKeyless.self)",
        #"FullTextIndex<Strange>(storing: Strange.self, tokenizer: .init(sql: "ascii separators 'x' tokenchars '-'"))"#,
        #"FullTextIndex<Partly>(storing: Partly.self, tokenizer: .init(sql: "porter 'ascii'"), prefixes: [2, 3], unindexed: { $0.b })"#,
        "FullTextIndex<OfView>(storing: OfView.self)",
        "boxes = SpatialIndex<Boxes>(storing: Boxes.self, dimensions: 1)",
      ] {
        #expect(text.contains("\(declaration)\n"), "\(declaration)\n\(text)")
      }
    }

    /// Columns, their values, and what the note says; `nil` without a note.
    private static let times: [(column: String, values: String, note: String?)] = [
      (
        "added REAL NOT NULL", "(1670000000.25), (1670000000)",
        "seconds since 1970: @Column(as: .unixSecondsReal) var added: Date, and adopt the file "
          + "with formats: .unixSecondsReal"
      ),
      (
        "added INTEGER", "(1670000000), (NULL)",
        "seconds since 1970: @Column(as: .unixSeconds) var added: Date?, and adopt the file "
          + "with formats: .unixSeconds"
      ),
      (
        "added INTEGER", "(1000000000000), (2208988800000)",
        "milliseconds since 1970: @Column(as: .unixMilliseconds) var added: Date?, and adopt the "
          + "file with formats: .unixMilliseconds"
      ),
      (
        "added TEXT", "('2026-11-21T10:04:58Z'), ('2026-11-21')",
        "dates as text: var added: Date?"
      ),
      (
        "played_at REAL", "(0), (1670000000.5)",
        "seconds since 1970: @Column(as: .unixSecondsReal) var playedAt: Date?, and adopt the "
          + "file with formats: .unixSecondsReal"
      ),
      (
        "added", "(1670000000), ('2026-11-21')",
        "times in several forms: convert them to one form in a step, for a Date"
      ),
      (
        "added REAL", "(1670000000000.5)",
        "milliseconds since 1970: convert them to one form in a step, for a Date"
      ),
      ("size REAL", "(1670000000), (0)", nil), ("size INTEGER", "(785000000), (1670000000)", nil),
      ("size INTEGER", "(NULL)", nil), ("played_at REAL", "(12.5)", nil),
      ("played_at TEXT", "('2026-11-21'), ('never')", nil),
      ("title TEXT", "('2026-11-21 is a date'), ('2026-13-41')", nil),
    ]

    @Test("a column whose values may be times has a note with the property", arguments: times)
    func possibleTimes(column: String, values: String, note: String?) async throws {
      let tool = try ToolRun()
      try await tool.makePlain(
        "a.db", "CREATE TABLE item (\(column)); INSERT INTO item VALUES \(values);")
      let told = try await tool.output("models", "a.db", redirections: "2>&1 >/dev/null")
      let name = column.prefix { $0 != " " }
      #expect(
        told
          == (note.map { "miniorm: table \"item\": the column \"\(name)\" may hold \($0)\n" } ?? "")
      )
    }

    @Test("tables that MiniORM created for itself become no models, without a message")
    func own() async throws {
      let tool = try ToolRun()
      try await OwnFile.make(tool.path("own.db"))
      let text = try await tool.output("models", "own.db", redirections: "2>&1")
      #expect(!text.contains("miniorm_"))
      #expect(text.contains("version: 3,\n"))
      #expect(
        text.split(separator: "\n").filter { $0.hasPrefix("struct ") }
          == ["struct Company: Identifiable {", "struct Note {", "struct Box: Identifiable {"])
      #expect(!text.contains("miniorm:"))
    }

    @Test("everything that a model cannot express is reported", arguments: notes)
    func told(name: String, notes: [String]) async throws {
      let tool = try ToolRun()
      let script = try #require(FileSchemas.all.first { $0.name == name }).script
      try await tool.makePlain("a.db", script)
      let told = try await tool.output("models", "a.db", redirections: "2>&1 >/dev/null")
      #expect(
        told.split(separator: "\n").map { $0.dropFirst("miniorm: ".count).description } == notes)
    }
  }
#endif
