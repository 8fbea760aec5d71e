import Testing

@testable import MiniORM

@Table("author")
private struct Author: Identifiable, Equatable {
  let id: Int64
  var name: String
  var isGone = false
}

@Table("book")
private struct Book: Identifiable, Equatable {
  let id: Int64
  var title: String
  @Column(.references(Author.self)) var authorID: Author.ID?
  var isGone = false
}

extension Author {
  static var defaultScope: Scope<Author> { Scope { !$0.isGone } }
}
extension Book {
  static var defaultScope: Scope<Book> { Scope { !$0.isGone } }
}

private let authors = Table<Author>()
private let books = Table<Book>()
private let on = #"("book"."authorID" IS "author"."id")"#
private let there = (author: #"("author"."isGone" = 0)"#, book: #"("book"."isGone" = 0)"#)

private func withBooks(_ body: (Database) async throws -> Void) async throws {
  try await withFile(DatabaseSchema(Author.self, Book.self)) { database throws in
    try await fill(database)
    try await body(database)
  }
}

private func fill(_ database: Database, _ prefix: String = "") async throws {
  try await database.write { db in
    try authors.insert(
      contentsOf: [
        Author(id: 1, name: prefix + "Ada"), Author(id: 2, name: prefix + "Bob", isGone: true),
        Author(id: 3, name: prefix + "Cid"),
      ], in: db)
    try books.insert(
      contentsOf: [
        Book(id: 1, title: prefix + "A1", authorID: 1),
        Book(id: 2, title: prefix + "A2", authorID: 1, isGone: true),
        Book(id: 3, title: prefix + "B1", authorID: 2),
        Book(id: 4, title: prefix + "N1", authorID: nil),
      ], in: db)
  }
}

@Suite("Joins with default scopes and attached tables")
struct JoinScopeTests {
  @Test("each table's scope filters its rows before the join")
  func scopes() async throws {
    try await withBooks { database throws in
      try await expect(
        books.join(authors) { $0.authorID == $1.id }.select { ($0.title, $1.name) },
        #"""
        SELECT "book"."title", "author"."name"
        FROM "book"
        JOIN "author" ON \#(on) AND \#(there.author)
        WHERE \#(there.book)
        """#, rows: [("A1", "Ada")], in: database)
      // In WHERE, the scope would drop books without an author.
      try await expect(
        books.leftJoin(authors) { $0.authorID == $1.id }.order { book, _ in book.id }
          .select { ($0.title, $1.name) },
        #"""
        SELECT "book"."title", "author"."name"
        FROM "book"
        LEFT JOIN "author" ON \#(on) AND \#(there.author)
        WHERE \#(there.book)
        ORDER BY "book"."id"
        """#,
        rows: [("A1", "Ada"), ("B1", nil), ("N1", nil)], in: database)
      try await expect(
        books.rightJoin(authors) { $0.authorID == $1.id }.order { $1.id }
          .select { ($0.title, $1.name) },
        #"""
        SELECT "book"."title", "author"."name"
        FROM "book"
        RIGHT JOIN "author" ON \#(on) AND \#(there.book)
        WHERE \#(there.author)
        ORDER BY "author"."id"
        """#,
        rows: [("A1", "Ada"), (nil, "Cid")], in: database)
      let full = books.fullJoin(authors) { $0.authorID == $1.id }.order { ($0.id, $1.id) }
        .select { ($0.title, $1.name) }
      #expect(
        try await "\(full.fetchAll(in: database))"
          == #"[(nil, Optional("Cid")), (Optional("A1"), Optional("Ada")), (Optional("B1"), nil), "#
          + #"(Optional("N1"), nil)]"#)
      try await expect(
        books.unscoped().leftJoin(authors.unscoped()) { $0.authorID == $1.id }.order { book, _ in
          book.id
        }
        .select { ($0.title, $1.name) },
        #"""
        SELECT "book"."title", "author"."name"
        FROM "book"
        LEFT JOIN "author" ON \#(on)
        ORDER BY "book"."id"
        """#,
        rows: [("A1", "Ada"), ("A2", "Ada"), ("B1", "Bob"), ("N1", nil)], in: database)
    }
  }

  @Test("a scope applies under an alias, inside the aliased subquery")
  func alias() async throws {
    try await withBooks { database throws in
      try await expect(
        books.leftJoin(authors.alias("writer")) { $0.authorID == $1.id }.order { book, _ in book.id
        }
        .select { ($0.title, $1.name) },
        #"""
        SELECT "book"."title", "writer"."name"
        FROM "book"
        LEFT JOIN (SELECT "author"."id" AS "id", "author"."name" AS "name", "author"."isGone" AS "isGone"
          FROM "author"
          WHERE \#(there.author)) AS "writer"
          ON ("book"."authorID" IS "writer"."id")
        WHERE \#(there.book)
        ORDER BY "book"."id"
        """#,
        rows: [("A1", "Ada"), ("B1", nil), ("N1", nil)], in: database)
    }
  }

  @Test("tables of an attached database join each other and tables of the main database")
  func attached() async throws {
    try await withBooks { database throws in
      let other = TemporaryFile()
      let file = try await other.open()
      try await file.migrate(DatabaseSchema(Author.self, Book.self))
      try await fill(file, "old ")
      try await file.close()
      try await database.attach(other.path, as: "old", key: TemporaryFile.key)
      let (oldBooks, oldAuthors) = (Table<Book>(in: "old"), Table<Author>(in: "old"))
      try await expect(
        oldBooks.leftJoin(oldAuthors).order { book, _ in book.id }.select { ($0.title, $1.name) },
        #"""
        SELECT "book"."title", "author"."name"
        FROM "old"."book"
        LEFT JOIN "old"."author" ON ("book"."authorID" = "author"."id")
          AND \#(there.author)
        WHERE \#(there.book)
        ORDER BY "book"."id"
        """#,
        rows: [("old A1", "old Ada"), ("old B1", nil), ("old N1", nil)], in: database)
      try await expect(
        books.leftJoin(oldAuthors).order { book, _ in book.id }.select { ($0.title, $1.name) },
        #"""
        SELECT "book"."title", "author"."name"
        FROM "book"
        LEFT JOIN "old"."author" ON ("book"."authorID" = "author"."id")
          AND \#(there.author)
        WHERE \#(there.book)
        ORDER BY "book"."id"
        """#,
        rows: [("A1", "old Ada"), ("B1", nil), ("N1", nil)], in: database)
      let same = authors.unscoped().join(oldAuthors.unscoped().alias("was")) { $0.id == $1.id }
        .where { $0.0.id < 3 }.order { $0.0.id }.select { ($0.name, $1.name) }
      try await expect(
        same,
        #"""
        SELECT "author"."name", "was"."name"
        FROM "author"
        JOIN "old"."author" AS "was" ON ("author"."id" = "was"."id")
        WHERE ("author"."id" < ?)
        ORDER BY "author"."id"
        """#,
        [.integer(3)], rows: [("Ada", "old Ada"), ("Bob", "old Bob")], in: database)
      let twice = try await failure {
        try await authors.join(oldAuthors) { $0.id == $1.id }.fetchAll(in: database)
      }
      #expect(
        twice.message
          == "author is joined twice: give it another name with alias(_:) the second time")
      try await database.detach("old")
    }
  }
}
