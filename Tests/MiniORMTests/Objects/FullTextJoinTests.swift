import Testing

@testable import MiniORM

private let search = articles.matching(articleText, "wine")
private let on = #"ON ("article"."maker_id" IS "maker"."id")"#
private let indexed =
  #""article_text" ON "article_text".rowid = "article"."id" AND "article_text" MATCH ?"#
/// `indexed`, for an article on the nullable side of a join.
private let indexedOrNot =
  #""article_text" ON "article_text".rowid = "article"."id" AND "article"."id" IS NOT NULL "#
  + #"AND "article_text" MATCH ?"#

@Suite("Full-text searches in joins")
struct FullTextJoinTests {
  @Test("a search to the right of a join, with its rank and highlights")
  func inner() async throws {
    try await withArticles { database throws in
      try await expect(
        makers.join(search) { $1.makerID == $0.id }.order { $1.rank }.select {
          ($0.name, $1.slug, $1.highlight($1.title, "[", "]"))
        },
        #"""
        SELECT "maker"."name", "article"."slug", highlight("article_text", 0, ?,
          ?)
        FROM "maker"
        JOIN "article" \#(on)
        JOIN \#(indexed)
        ORDER BY "article_text"."rank"
        """#,
        [.text("["), .text("]"), .text("\"wine\"")],
        rows: [("Acme", "search", Optional("Searching text"))], in: database)
      #expect(
        try await makers.crossJoin(search).where { $0.0.id == 2 }.order { $0.1.id }
          .select { $1.slug }.fetchAll(in: database) == ["wine", "cpp", "search"])
      let three = makers.leftJoin(makers.alias("m")) { $0.id == $1.id }
        .join(search) { maker, _, article in article.makerID == maker.id.optional }
      #expect(try await three.select { $2.slug }.fetchAll(in: database) == ["search"])
    }
  }

  @Test("a search to the right of a left join gives nil for rows without a match")
  func left() async throws {
    try await withArticles { database throws in
      try await expect(
        makers.leftJoin(search.where { $0.views < 9 }) { $1.makerID == $0.id }
          .order { maker, _ in maker.id }.select { ($0.name, $1.slug, ($1.rank ?? 1) < 0) },
        #"""
        SELECT "maker"."name", "article"."slug", (ifnull("article_text"."rank",
          ?) < ?)
        FROM "maker"
        LEFT JOIN "article" \#(on) AND ("article"."views" < ?)
          AND "article"."id" IN (SELECT rowid
          FROM "article_text"
          WHERE "article_text" MATCH ?)
        LEFT JOIN \#(indexedOrNot)
        ORDER BY "maker"."id"
        """#,
        [.real(1), .real(0), .integer(9), .text("\"wine\""), .text("\"wine\"")],
        rows: [("Acme", "search", true), ("Bolt", nil, false), ("Cog", nil, false)], in: database)
      // Joins of every kind can follow.
      let three = makers.leftJoin(search) { $1.makerID == $0.id }
        .rightJoin(makers.alias("m")) { maker, _, other in maker.id == other.id }
        .order { _, _, other in other.id }
      #expect(
        try await three.select { _, article, _ in article.slug }.fetchAll(in: database)
          == ["search", nil, nil])
      // With a limit, the search becomes a subquery.
      #expect(
        try await makers.leftJoin(search.limit(1)) { _, article in article.id > 0 }
          .select { $1.slug }.fetchAll(in: database) == ["wine", "wine", "wine"])
    }
  }

  @Test("a full-text table is searched on either side of a join and under an alias")
  func stored() async throws {
    try await withArticles { database throws in
      try await leaflets.insert(
        contentsOf: [
          Leaflet(title: "Acme", body: "searching"), Leaflet(title: "Bolt", body: "x"),
        ], in: database)
      let found = leaflets.matching(leafletText, "search")
      try await expect(
        makers.leftJoin(found) { $0.name == $1.title }.order { maker, _ in maker.id }
          .select { ($0.name, $1.body) },
        #"""
        SELECT "maker"."name", "leaflet"."body"
        FROM "maker"
        LEFT JOIN "leaflet" ON ("maker"."name" = "leaflet"."title")
          AND "leaflet"."leaflet" MATCH ?
        ORDER BY "maker"."id"
        """#,
        [.text("\"search\"")],
        rows: [("Acme", Optional("searching")), ("Bolt", nil), ("Cog", nil)], in: database)
      let other = found.alias("other").order { $0.rank }.select {
        ($0.title, $0.highlight($0.body, "[", "]"))
      }
      try await expect(
        other,
        #"""
        SELECT "other"."title", highlight("other"."leaflet", 1, ?, ?)
        FROM "leaflet" AS "other"
        WHERE "other"."leaflet" MATCH ?
        ORDER BY "other"."rank"
        """#,
        [.text("["), .text("]"), .text("\"search\"")],
        rows: [("Acme", Optional("[searching]"))], in: database)
    }
  }

  @Test("a search in a right or full join is refused, and the error says what to write")
  func refused() async throws {
    try await withArticles { database throws in
      let message =
        "FTS5 cannot search a table of a right or full join: begin with the other table, and "
        + "join the search with leftJoin(_:on:)"
      let errors = [
        try await failure {
          try await makers.rightJoin(search) { $1.makerID == $0.id }.fetchAll(in: database)
        },
        try await failure {
          try await search.rightJoin(makers) { $0.makerID == $1.id }.fetchAll(in: database)
        },
        try await failure {
          try await search.fullJoin(makers) { $0.makerID == $1.id }.fetchAll(in: database)
        },
        try await failure {
          try await makers.fullJoin(leaflets.matching(leafletText, "search")) {
            $0.name == $1.title
          }.fetchAll(in: database)
        },
        try await failure {
          try await search.join(makers).rightJoin(stores) { _, maker, store in
            store.homeMakerID == maker.id
          }.fetchAll(in: database)
        },
      ]
      #expect(errors.map(\.message) == Array(repeating: message, count: 5))
    }
  }
}
