import Foundation
import Testing

@testable import MiniORM

@Table("limited")
private struct Limited {
  @Column(.unique) var text: String
}

@Table("indexed")
private struct Indexed {
  var text: String
  static var indexes: [Index<Indexed>] { [Index { $0.text }] }
}

@Table("keyless")
private struct Keyless {
  var text: String
}

@Suite("Full text")
struct FullTextTests {
  private let from =
    #"FROM "article" JOIN "article_text" ON "article_text".rowid = "article"."id" AND "article_text" MATCH ?"#

  @Test("a search returns rows of the model, best match first, and can be filtered like a table")
  func search() async throws {
    try await withArticles { database throws in
      let columns = Article.schema.columns.map { #""article"."\#($0.name)""# }
        .joined(separator: ", ")
      try await expect(
        articles.matching(articleText, "wine").order { $0.rank },
        #"SELECT \#(columns) \#(from) ORDER BY "article_text"."rank""#, [.text("\"wine\"")],
        rows: [Article.some[2], Article.some[1], Article.some[0]], in: database)
      try await expect(
        articles.where { $0.views < 5 }.order { $0.title.descending }
          .matching(articleText, "wine").where { $0.id < 10 }.limit(5).select { $0.slug },
        #"""
        SELECT "article"."slug" \#(from)
        WHERE ("article"."views" < ?) AND ("article"."id" < ?)
        ORDER BY "article"."title" DESC
        LIMIT ?
        """#,
        [.text("\"wine\""), .integer(5), .integer(10), .integer(5)], rows: ["wine", "search"],
        in: database)
      // Joined with another table by the model's foreign key.
      try await expect(
        articles.matching(articleText, "wine").leftJoin(makers).order { $0.0.id }
          .select { ($0.slug, $1.name) },
        #"""
        SELECT "article"."slug", "maker"."name"
        \#(from)
        LEFT JOIN "maker" ON ("article"."maker_id" = "maker"."id")
        ORDER BY "article"."id"
        """#,
        [.text("\"wine\"")], rows: [("wine", nil), ("cpp", nil), ("search", "Acme")], in: database)
      // As a subquery, as a count, and in a change.
      let count = try await articles.matching(articleText, "wine").select { _ in SQL.count() }
        .fetchAll(in: database)
      #expect(count == [3])
    }
  }

  @Test("rank, highlight and snippet of a match")
  func auxiliary() async throws {
    try await withArticles { database throws in
      try await expect(
        articles.matching(articleText, "epernay").select {
          (
            $0.highlight($0.body, "<", ">"), $0.snippet($0.body, "[", "]", count: 3),
            $0.snippet("*", "*")
          )
        },
        #"""
        SELECT highlight("article_text", 1, ?, ?), snippet("article_text", 1, ?,
          ?, ?, ?), snippet("article_text", -1, ?, ?, ?, ?) \#(from)
        """#,
        [
          .text("<"), .text(">"), .text("["), .text("]"), .text("…"), .integer(3), .text("*"),
          .text("*"), .text("…"), .integer(16), .text("\"epernay\""),
        ],
        rows: [
          ("It's made in <Épernay> too.", "…in [Épernay] too.", "It's made in *Épernay* too.")
        ], in: database)
      let weighted = articles.matching(articleText, "wine").order { $0.bm25(100, 0.5) }
        .select { $0.id }
      try await expect(
        weighted,
        #"SELECT "article"."id" \#(from) ORDER BY bm25("article_text", ?, ?)"#,
        [.text("\"wine\""), .real(100), .real(0.5)], rows: [2, 1, 3], in: database)
      let ranks = try await articles.matching(articleText, "wine").select { $0.rank }
        .fetchAll(in: database)
      #expect(ranks.count == 3 && ranks.allSatisfy { $0 < 0 })
      let null = try await articles.matching(articleText, "c++").select {
        $0.highlight($0.body, "<", ">")
      }.fetchAll(in: database)
      #expect(null == [nil])
      let error = try await failure {
        try await articles.matching(articleText, "wine")
          .select { $0.highlight($0.slug, "<", ">") }.fetchAll(in: database)
      }
      #expect(error.message == "no such column: article_text.slug in the full-text index")
    }
  }

  @Test("searches consist of phrases, prefixes, AND, OR, NOT, NEAR and columns")
  func matches() async throws {
    let title = Article.columns.title
    let body = Article.columns.body
    let cases: [(Match, String, [Int64])] = [
      ("wine reims", #""wine" "reims""#, [1]),
      (Match(words: "wine re", prefix: true), #""wine" "re" *"#, [1]),
      (Match(words: "  C++\n", prefix: true), #""C++" *"#, [2]),
      (Match(words: #"it's "C++" AND -x*"#), ##""it's" """C++""" "AND" "-x*""##, []),
      (.phrase("wine of reims"), #""wine of reims""#, [1]),
      (.phrase("wine rei", prefix: true), #""wine rei" *"#, []),
      (.phrase("wine", atStart: true), #"^ "wine""#, [3]),
      (
        .phrase("wine") && .phrase("reims") || .phrase("text"),
        #"(("wine") AND ("reims")) OR ("text")"#, [1, 3]
      ),
      (
        .phrase("wine").excluding(.phrase("c") || .phrase("text")),
        #"("wine") NOT (("c") OR ("text"))"#, [1]
      ),
      (.near(["sparkling", "reims"], distance: 2), #"NEAR("sparkling" "reims", 2)"#, [1]),
      (.near(["sparkling", "reims"], distance: 1), #"NEAR("sparkling" "reims", 1)"#, []),
      (.near(["first", "search for"], distance: -1), #"NEAR("first" "search for", 0)"#, []),
      (.near([]), #""""#, []),
      (Match("wine").within(title), #"{"title"} : ("wine")"#, [1, 2]),
      (Match("wine").within(title, body), #"{"title" "body"} : ("wine")"#, [1, 2, 3]),
      (
        .phrase("search").within(body) && Match("text").within(title),
        #"({"body"} : ("search")) AND ({"title"} : ("text"))"#, [3]
      ),
      (Match(raw: "wine NOT title : wine"), "wine NOT title : wine", [3]),
      ("", #""""#, []), (" \n\t", #""""#, []), ("- +", #""-" "+""#, []),
      (Match(raw: ""), #""""#, []),
      ("wine -", #""wine" "-""#, [1, 2, 3]),
    ]
    try await withArticles { database throws in
      for (match, text, ids) in cases {
        #expect(match.text == text)
        let found = try await articles.matching(articleText, match).order { $0.id }
          .select { $0.id }.fetchAll(in: database)
        #expect(found == ids, "\(text)")
      }
      let other = try await failure {
        try await articles.matching(articleText, Match("x").within(Article.columns.slug))
          .fetchAll(in: database)
      }
      #expect(
        other.message
          == "slug is not a column of the full-text index article_text: search a column of the index"
      )
      let raw = try await failure {
        try await articles.matching(articleText, Match(raw: "secret AND")).fetchAll(in: database)
      }
      #expect(raw.message == "fts5: syntax error near \"\"" && raw.operation == .step)
      let limited = try await failure {
        try await articles.limit(1).matching(articleText, "wine").fetchAll(in: database)
      }
      #expect(
        limited.message == "Call matching before limit and distinct")
    }
  }

  @Test("any typed text is a valid search, and finds its words")
  func typed() async throws {
    let pieces = [
      "\"", "'", "*", "^", "-", "+", "(", ")", "{", "}", ":", ",", "AND", "OR", "NOT", "NEAR",
      "NEAR(", "wine", "WINE", "Reims", "title", "rank", "rowid", "\0", "\n", "\t", " ", " ", "  ",
      "\u{a0}", "é", "e\u{301}", "日本", "😀", "👩‍👩‍👧", "\u{202e}", "%", "_", ";", "--", "/*", "\\",
      "\"\"", "$", "?", "?1", ":a", "@", "#", "NULL", "x'00'", "\u{feff}", "\u{10ffff}", "\u{1}",
      "{title} :", "^wine", "wine*", "DROP TABLE article",
    ]
    try await withArticles { database throws in
      var random = SeededRandom(11)
      var texts = [
        "", "\0", String(repeating: "wine ", count: 5_000), String(repeating: "(", count: 9_999),
      ]
      for _ in 0..<1_200 {
        let count = Int.random(in: 1...7, using: &random)
        texts.append((0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined())
      }
      let all = texts
      let errors = try await database.read { db in
        var errors: [String] = []
        for text in all {
          for match in [
            Match(words: text), Match(words: text, prefix: true), .phrase(text),
            .phrase(text, prefix: true, atStart: true), .near([text, text]),
            Match(words: text).within(Article.columns.title) && .phrase("wine"),
            Match(words: "wine").excluding(Match(words: text)) || Match(words: text),
          ] where text.utf8.count < 1_000 || match.text.utf8.count < 50_000 {
            do {
              _ = try articles.matching(articleText, match).select { $0.id }.fetchAll(in: db)
            } catch {
              errors.append("\(match.text.debugDescription): \(error)")
            }
          }
        }
        return errors
      }
      #expect(errors == [])
      // Each row's own text as a search finds the row.
      try await database.write { db in
        for (index, text) in all.enumerated() {
          try articles.insert(
            Article(id: Int64(index + 10), slug: "s\(index)", title: text, body: "wine"), in: db)
        }
      }
      let lost = try await database.read { db in
        try all.indices.filter { index in
          let found = try articles.matching(articleText, Match(words: all[index] + " wine"))
            .where { $0.id == Int64(index + 10) }.fetchOne(in: db)
          return found == nil
        }
      }
      // SQLite's tokenizers stop at a NUL in the text.
      #expect(lost.filter { !all[$0].contains("\0") } == [])
    }
  }

  @Test("the index is a virtual table with triggers, which migrate creates, fills and replaces")
  func migration() async throws {
    let sql = try articleText.definitions.map(\.sql)
    #expect(
      sql[0]
        == #"CREATE VIRTUAL TABLE "article_text" USING fts5("title", "body", content = 'article', "#
        + #"content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')"#)
    #expect(
      try articleText.definitions.map { "\($0.kind) \($0.name)" } == [
        "virtualTable article_text", "table article_text_replaced",
        "trigger article_text_before_insert", "trigger article_text_after_insert",
        "trigger article_text_before_update", "trigger article_text_after_update",
        "trigger article_text_after_delete",
      ])
    try await withFile(DatabaseSchema(Maker.self, Article.self)) { database throws in
      try await makers.insert(contentsOf: Maker.some, in: database)
      try await articles.insert(contentsOf: Article.some, in: database)
      let missing = try await failure {
        try await articles.matching(articleText, "wine").fetchAll(in: database)
      }
      #expect(missing.message == "no such table: article_text")
      func found(_ index: FullTextIndex<Article>, _ match: Match) async throws -> [Int64] {
        try await articles.matching(index, match).order { $0.id }.select { $0.id }
          .fetchAll(in: database)
      }
      // Existing rows are indexed.
      let schema = DatabaseSchema(Maker.self, Article.self, objects: [articleText])
      #expect(try await database.schemaReport(for: schema).differences.count == 7)
      try await database.migrate(schema)
      #expect(try await database.schemaReport(for: schema).isEmpty)
      #expect(try await database.migrationPlan(for: schema).transactions.isEmpty)
      #expect(try await found(articleText, "wine") == [1, 2, 3])
      // Another tokenizer: the index is dropped, created and rebuilt.
      let stemming = FullTextIndex("article_text", of: Article.self, tokenizer: .porter()) {
        ($0.title, $0.body)
      }
      let other = DatabaseSchema(Maker.self, Article.self, objects: [stemming])
      #expect(
        try await database.schemaReport(for: other).differences == [
          .differentObject(
            type: "table", name: "article_text", file: sql[0],
            model: try stemming.definitions[0].sql)
        ])
      #expect(try await found(articleText, "searches") == [])
      let statements = try await database.migrationPlan(for: other).transactions.flatMap(
        \.statements)
      #expect(statements.filter { $0.contains("'rebuild'") }.count == 1)
      try await database.migrate(other)
      #expect(try await database.schemaReport(for: other).isEmpty)
      #expect(try await found(stemming, "searches") == [3])
      try await stemming.run(.integrityCheck, in: database)
      // An index that is no longer declared is dropped with its shadow tables and triggers.
      try await database.migrate(DatabaseSchema(Maker.self, Article.self))
      let rest = try await database.read { db in
        try db.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'article_text%'")
      }
      #expect(rest == 0)
    }
  }

  @Test(
    "the index follows a table that is changed or rebuilt with other values")
  func changedTable() async throws {
    try await withFile(DatabaseSchema(OldText.Note.self, objects: [OldText.text])) {
      database throws in
      try await Table<OldText.Note>().insert(
        contentsOf: [
          OldText.Note(id: 1, heading: "one", body: nil),
          OldText.Note(id: 2, heading: "two", body: "x"),
        ], in: database)
      let schema = DatabaseSchema(
        version: 2, NewText.Note.self, objects: [NewText.text],
        steps: [
          DatabaseSchema.Step(
            to: 2, "no NULL", .sql("UPDATE note SET body = 'nothing' WHERE body IS NULL"))
        ])
      try await database.migrate(schema)
      #expect(try await database.schemaReport(for: schema).isEmpty)
      try await NewText.text.run(.integrityCheck, in: database)
      let found = try await Table<NewText.Note>().matching(NewText.text, "nothing").fetchAll(
        in: database)
      #expect(found == [NewText.Note(id: 1, title: "one", body: "nothing")])
      // The index's declaration is unchanged, but it is rebuilt: 7 becomes 7.0, which is another
      // text.
      let checked = DatabaseSchema(
        version: 3, NewestText.Note.self, objects: [NewestText.text],
        steps: [
          DatabaseSchema.Step(to: 2, "no NULL", .sql("SELECT 1")),
          DatabaseSchema.Step(to: 3, "nothing", .sql("SELECT 1")),
        ])
      try await database.migrate(checked)
      try await NewestText.text.run(.integrityCheck, in: database)
      try await Table<NewestText.Note>().insert(
        NewestText.Note(id: 3, title: "new", body: ""), in: database)
      #expect(
        try await Table<NewestText.Note>().matching(NewestText.text, "new").select { $0.id }
          .fetchAll(in: database) == [3])
    }
  }

  @Test("an invalid index is refused with the reason")
  func mistakes() async throws {
    let cases: [(any SchemaObject, String)] = [
      (
        FullTextIndex("t", of: Keyless.self) { $0.text },
        "The full-text index t needs a table with a key and with rowids: declare a key of keyless, without .withoutRowID"
      ),
      (
        FullTextIndex("t", of: Article.self) { $0.title.lower() },
        "The full-text index t can list only columns of article, and at least one: correct the closure"
      ),
      (
        FullTextIndex("t", of: Article.self) { _ in Maker.columns.name },
        "The full-text index t can list only columns of article, and at least one: correct the closure"
      ),
      (
        FullTextIndex(storing: Maker.self),
        "The full-text table maker cannot have a key: rename the property id"
      ),
      (
        FullTextIndex(storing: Limited.self),
        "The full-text table limited cannot have constraints: remove the constraints of column text"
      ),
      (
        FullTextIndex(storing: Indexed.self),
        "The full-text table indexed cannot have indexes or constraints: remove them"
      ),
      (
        FullTextIndex("t", of: Article.self, tokenizer: .unicode61(tokenCharacters: "")) { _ in },
        "The full-text index t can list only columns of article, and at least one: correct the closure"
      ),
    ]
    for (object, message) in cases {
      let error = #expect(throws: DatabaseError.self) { try object.definitions }
      #expect(error?.message == message && error?.code == .misuse && error?.operation == .migrate)
    }
  }

  @Test(
    "tokenizers and details as Swift options",
    arguments: [
      (.unicode61(), "unicode61 remove_diacritics 2"),
      (.unicode61(removeDiacritics: 1), "unicode61"),
      (
        .unicode61(
          removeDiacritics: 0, categories: "L* N*", tokenCharacters: "-'", separators: "x"),
        "unicode61 remove_diacritics 0 categories 'L* N*' tokenchars '-''' separators x"
      ),
      (.ascii(tokenCharacters: "_"), "ascii tokenchars _"),
      (.porter(), "porter unicode61 remove_diacritics 2"),
      (.trigram(caseSensitive: true), "trigram case_sensitive 1"),
      (.trigram(removeDiacritics: true), "trigram remove_diacritics 1"),
      (.init(sql: " unicode61\ttokenchars \"-_\""), "unicode61 tokenchars '-_'"),
      (.init(sql: "'porter' 'ascii' separators 'x'"), "porter ascii separators x"),
    ] as [(FullTextTokenizer, String)])
  func tokenizers(_ tokenizer: FullTextTokenizer, _ sql: String) async throws {
    #expect(tokenizer.sql == sql)
    #expect(FullTextTokenizer(sql: sql).sql == sql)
    // A trigram search is a phrase, which needs full detail.
    let details: [FullTextDetail] =
      sql.hasPrefix("trigram") ? [.full] : [.full, .column, .none]
    for detail in details {
      let index = FullTextIndex(
        "article_text", of: Article.self, tokenizer: tokenizer, detail: detail
      ) { $0.title }
      try await withFile(DatabaseSchema(Maker.self, Article.self, objects: [index])) {
        database throws in
        try await articles.insert(Article.some[0], in: database)
        try await index.run(.integrityCheck, in: database)
        #expect(try await articles.matching(index, "Reims").fetchAll(in: database).count == 1)
      }
    }
  }

  @Test("a full-text table as a model")
  func standalone() async throws {
    #expect(
      try leafletText.definitions.map(\.sql) == [
        #"CREATE VIRTUAL TABLE "leaflet" USING fts5("title", "body", "tags" UNINDEXED, tokenize = 'porter ascii')"#
      ])
    try await withArticles { database throws in
      let some = [
        Leaflet(title: "Searching", body: nil, tags: ["a", "b"]),
        Leaflet(title: "x", body: "searched y"),
      ]
      try await leaflets.insert(contentsOf: some, in: database)
      #expect(try await leaflets.insert(Leaflet(title: "z"), in: database) == Leaflet(title: "z"))
      #expect(try await leaflets.fetchAll(in: database) == some + [Leaflet(title: "z")])
      try await expect(
        leaflets.where { $0.title != "x" }.matching(leafletText, "search").order { $0.rank },
        #"""
        SELECT "leaflet"."title", "leaflet"."body", "leaflet"."tags"
        FROM "leaflet"
        WHERE "leaflet"."leaflet" MATCH ? AND ("leaflet"."title" <> ?)
        ORDER BY "leaflet"."rank"
        """#,
        [.text("\"search\""), .text("x")], rows: [some[0]], in: database)
      let keys = try await leaflets.matching(leafletText, "search")
        .select { ($0.highlight($0.body, "[", "]"), SQL.rowID(of: Leaflet.self)) }
        .fetchAll(in: database)
      #expect("\(keys)" == #"[(nil, 1), (Optional("[searched] y"), 2)]"#)
      try await leaflets.where { $0.title == "x" }.update { $0.body = "nothing" }.run(in: database)
      #expect(
        try await leaflets.matching(leafletText, "search").fetchAll(in: database) == [some[0]])
      try await leafletText.run(.optimize, in: database)
      try await leafletText.run(.integrityCheck, in: database)
      // If the table is no longer declared, its rows are kept. Another declaration must not delete
      // them.
      let changed = DatabaseSchema(
        Maker.self, Article.self, objects: [articleText, FullTextIndex(storing: Leaflet.self)])
      let error = try await failure { try await database.migrate(changed) }
      #expect(
        error.message
          == "The table leaflet of the file differs from its declaration, and its rows would be "
          + "lost: write a step that keeps or drops them")
    }
  }

  @Test("a search stays in the attached database of its table")
  func attached() async throws {
    let schema = DatabaseSchema(Maker.self, Article.self, objects: [articleText])
    try await withTemporaryDirectory { folder throws in
      let archive = try await Database(path: folder + "/archive.db", key: .raw(testKeyBytes))
      try await archive.migrate(schema)
      try await articles.insert(contentsOf: Article.some.prefix(2), in: archive)
      try await archive.close()
      let database = try await Database(path: folder + "/main.db", key: .raw(testKeyBytes))
      try await database.migrate(schema)
      try await articles.insert(
        Article(id: 7, slug: "main", title: "wine here"), in: database)
      try await database.attach(folder + "/archive.db", as: "archive", key: .raw(testKeyBytes))
      let archived = Table<Article>(in: "archive")
      let found = archived.matching(articleText, "wine").order { $0.rank }
        .select { ($0.id, $0.highlight($0.title, "[", "]")) }
      try await expect(
        found,
        #"""
        SELECT "article"."id", highlight("article_text", 0, ?, ?)
        FROM "archive"."article"
        JOIN "archive"."article_text" ON "article_text".rowid = "article"."id"
          AND "article_text" MATCH ?
        ORDER BY "article_text"."rank"
        """#,
        [.text("["), .text("]"), .text("\"wine\"")],
        rows: [(2, "C++ and [wine]"), (1, "Sparkling [wine] of Reims")], in: database)
      try await archived.insert(Article(id: 8, slug: "new", title: "wine there"), in: database)
      try await archived.delete(1, in: database)
      #expect(
        try await archived.matching(articleText, "wine").order { $0.id }.select { $0.id }
          .fetchAll(in: database) == [2, 8])
      #expect(
        try await articles.matching(articleText, "wine").select { $0.id }.fetchAll(in: database)
          == [7])
      try await database.close()
    }
  }

  @Test("an index survives a key change, and a rollback")
  func keyAndRollback() async throws {
    try await withArticles { database throws in
      struct Refused: Error {}
      await #expect(throws: Refused.self) {
        try await database.write { db in
          try articles.insert(Article(id: 20, slug: "x", title: "wine"), in: db)
          try articles.deleteAll(in: db)
          throw Refused()
        }
      }
      try await database.changeKey(to: .raw(testKeyBytes.reversed()))
      try await articleText.run(.integrityCheck, in: database)
      #expect(try await articles.matching(articleText, "wine").fetchAll(in: database).count == 3)
      try await articles.truncate(in: database)
      #expect(try await articles.matching(articleText, "wine").fetchAll(in: database).isEmpty)
      try await articleText.run(.integrityCheck, in: database)
    }
  }

  @Test("an index is rebuilt, optimized and checked; a mismatch is reported")
  func commands() async throws {
    try await withArticles { database throws in
      try await articleText.run(.integrityCheck, in: database)
      try await database.write { db in
        try db.execute("DROP TRIGGER article_text_after_insert")
        try articles.insert(Article(id: 9, slug: "late", title: "Late", body: nil), in: db)
      }
      let error = try await failure { try await articleText.run(.integrityCheck, in: database) }
      #expect(error.code.primary == .corrupt && error.table == "article_text")
      #expect(
        error.message
          == "The full-text index article_text does not match its text: rebuild it")
      try await database.write { db in
        try articleText.run(.rebuild, in: db)
        try articleText.run(.integrityCheck, in: db)
        try articleText.run(.optimize, in: db)
      }
      #expect(try await articles.matching(articleText, "late").fetchAll(in: database).count == 1)
    }
  }
}

enum OldText {
  @Table("note") struct Note {
    let id: Int64
    var heading: String
    var body: String?
    var size = 7
  }
  static let text = FullTextIndex("note_text", of: Note.self) {
    ($0.heading, $0.body, $0.size)
  }
}

enum NewText {
  @Table("note") struct Note: Equatable {
    let id: Int64
    @Column(renamedFrom: "heading") var title: String
    var body = "nothing"
    var size = 7
  }
  static let text = FullTextIndex("note_text", of: Note.self) {
    ($0.title, $0.body, $0.size)
  }
}

enum NewestText {
  @Table("note") struct Note: Equatable {
    let id: Int64
    @Column(.check("title <> ''")) var title: String
    var body = "nothing"
    var size = 7.0
  }
  static let text = FullTextIndex("note_text", of: Note.self) {
    ($0.title, $0.body, $0.size)
  }
}
