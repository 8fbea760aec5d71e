import Testing

@testable import MiniORM

@Table("book")
private struct Book: Equatable {
  let id: Int64
  var title: String
  var author: String?
  var year: Int
  var shelf = 0
}

extension Book {
  fileprivate static var indexes: [Index<Book>] {
    [
      Index { ($0.author, $0.year.descending) },
      Index("book by 'title'", unique: true, where: { $0.year > 1900 && $0.author != "it's" }) {
        $0.title
      },
      Index("lower title") { $0.title.lower() },
      Index { $0.shelf.collate(.nocase) },
    ]
  }
}

@Table("twins") private struct Twins: Equatable {
  let id: Int64
  var a: String
}
extension Twins {
  fileprivate static var indexes: [Index<Twins>] {
    [Index { $0.a.lower() }, Index { $0.a.upper() }]
  }
}

@Table("unstorable") private struct Unstorable: Equatable {
  let id: Int64
  var a: Double
}
extension Unstorable {
  fileprivate static var constraints: [TableConstraint<Unstorable>] { [.check { $0.a > .nan }] }
}

@Table("listed") private struct Listed: Equatable {
  let id: Int64
  var a: Int
}
extension Listed {
  fileprivate static var constraints: [TableConstraint<Listed>] { [.check { $0.a.isIn([1, 2]) }] }
}

@Suite("Indexes")
struct IndexTests {
  @Test("indexes of several columns, unique, partial, descending, and over expressions")
  func sql() throws {
    #expect(
      try Book.createSQL().dropFirst() == [
        #"CREATE INDEX "index_book_on_author_year" ON "book" ("author", "year" DESC)"#,
        #"CREATE UNIQUE INDEX "book by 'title'" ON "book" ("title") "#
          + #"WHERE (("year" > 1900) AND ("author" IS NOT 'it''s'))"#,
        #"CREATE INDEX "lower title" ON "book" (lower("title"))"#,
        #"CREATE INDEX "index_book_on_expression" ON "book" (("shelf" COLLATE NOCASE))"#,
      ])
  }

  @Test("indexes are created once, and SQLite uses them")
  func used() async throws {
    try await withFile(DatabaseSchema(Book.self)) { database throws in
      try await database.migrate(DatabaseSchema(Book.self))
      #expect(try await database.schemaReport(for: DatabaseSchema(Book.self)).isEmpty)
      let table = Table<Book>()
      let cases: [(Table<Book>, String)] = [
        (table.where { $0.author == "A" && $0.year > 5 }, "index_book_on_author_year"),
        (table.order { ($0.author, $0.year.descending) }, "index_book_on_author_year"),
        (table.where { $0.title.lower() == "x" }, "lower title"),
      ]
      for (query, index) in cases {
        var explain: SQL = "EXPLAIN QUERY PLAN "
        explain.append(query.sql)
        let sql = explain
        let plan = try await database.read { db in
          try db.query(sql).compactMap { row -> String? in
            if case .text(let text)? = row["detail"] { text } else { nil }
          }
        }
        #expect(plan.contains { $0.contains("USING INDEX \(index)") }, "\(plan)")
      }
    }
  }

  @Test("a unique partial index applies to the rows that it covers")
  func unique() async throws {
    try await withFile(DatabaseSchema(Book.self)) { database throws in
      let table = Table<Book>()
      let drafts = [
        Book.Draft(title: "T", year: 1800), Book.Draft(title: "T", year: 1850),
        Book.Draft(title: "T", year: 2000),
      ]
      try await table.insert(contentsOf: drafts, in: database)
      let error = try await failure {
        try await table.insert(Book.Draft(title: "T", year: 2001), in: database)
      }
      #expect(error.summary == "step 2067 book.title -: UNIQUE constraint failed: book.title")
    }
  }

  @Test("two indexes with the same name are refused")
  func sameName() async throws {
    try await withFile { database throws in
      let error = try await failure { try await database.migrate(DatabaseSchema(Twins.self)) }
      #expect(
        error.summary
          == "migrate 21 twins.- -: Two indexes are named index_twins_on_expression: rename one "
          + "of them")
    }
  }

  @Test("a constraint value without an SQL literal is refused")
  func unstorable() async throws {
    try await withFile { database throws in
      let error = try await failure { try await database.migrate(DatabaseSchema(Unstorable.self)) }
      #expect(
        error.summary
          == "migrate 20 unstorable.- -: NaN cannot be stored: SQLite would turn it into NULL. "
          + "Use an Optional for a missing number")
      #expect(
        try await database.schemaReport(for: DatabaseSchema(Book.self)).differences == [
          .missingTable("book")
        ])
    }
  }

  @Test("a list in a constraint is written as literals")
  func list() async throws {
    try await withFile(DatabaseSchema(Listed.self)) { database throws in
      #expect(
        try Listed.createSQL() == [
          """
          CREATE TABLE "listed" (
            "id" INTEGER PRIMARY KEY NOT NULL,
            "a" INTEGER NOT NULL,
            CHECK (("a" IN (1, 2)))
          ) STRICT
          """
        ])
      try await Table<Listed>().insert(Listed(id: 1, a: 2), in: database)
      let error = try await failure {
        try await Table<Listed>().insert(Listed(id: 2, a: 3), in: database)
      }
      #expect(error.code == .constraintCheck)
      #expect(try await database.schemaReport(for: DatabaseSchema(Listed.self)).isEmpty)
    }
  }
}
