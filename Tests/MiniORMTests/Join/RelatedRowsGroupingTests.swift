import Foundation
import Testing

@testable import MiniORM

@Table("shelf")
private struct Shelf: Identifiable, Equatable {
  let id: Int64
  var name: String
}

@Table("book")
private struct Book: Identifiable, Equatable {
  let id: Int64
  @Column(.references(Shelf.self)) var shelfID: Shelf.ID
  var title: String
}

private let shelves = Table<Shelf>()
private let books = Table<Book>()

@Suite("Related rows with every kind of key")
struct RelatedRowsGroupingTests {
  /// Keys close together, far apart, and at both limits.
  private static let keys: [[Int64]] = [
    [1, 2, 3, 4], [-2, -1, 0, 1], [1, 1000, 1_000_000], [.min, 0, .max], [.max - 2, .max], [7], [],
  ]

  private func withBooks(
    _ keys: [Int64], _ body: (Database, [Shelf], [Book]) async throws -> Void
  ) async throws {
    let all = keys.map { Shelf(id: $0, name: "S\($0)") }
    let lent = (0..<(keys.isEmpty ? 0 : 50)).map { index in
      // The last of several shelves is empty.
      let shelf = keys[index * 7 % max(1, keys.count - 1)]
      return Book(id: Int64(index), shelfID: shelf, title: "B\(index % 9)")
    }
    try await withFile(DatabaseSchema(Shelf.self, Book.self)) { database throws in
      try await shelves.insert(contentsOf: all, in: database)
      try await books.insert(contentsOf: lent, in: database)
      try await body(database, all, lent)
    }
  }

  @Test("all rows of the table or a subset, in the requested order", arguments: keys)
  func grouping(keys: [Int64]) async throws {
    try await withBooks(keys) { database, all, lent throws in
      func expected(_ shelf: Shelf) -> [Book] {
        lent.filter { $0.shelfID == shelf.id }.sorted { ($0.title, $0.id) < ($1.title, $1.id) }
      }
      let ordered = books.order { ($0.title, $0.id) }
      let whole = try await shelves.order { $0.id.descending }.including(ordered)
        .fetchAll(in: database)
      #expect(whole.map(\.0) == all.reversed())
      #expect(whole.map(\.1) == all.reversed().map(expected))
      let some = try await shelves.where { $0.id >= 0 }.order { $0.id }.including(ordered)
        .fetchAll(in: database)
      #expect(some.map(\.1) == all.filter { $0.id >= 0 }.map(expected))
      let few = try await shelves.including(ordered.limit(2)).fetchAll(in: database)
      #expect(few.map(\.1) == few.map { Array(expected($0.0).prefix(2)) })
      let both = try await shelves.including(ordered).including(ordered.where { $0.title == "B1" })
        .fetchAll(in: database)
      #expect(both.map(\.1) == both.map { expected($0.0) })
      #expect(both.map(\.2) == both.map { expected($0.0).filter { $0.title == "B1" } })
    }
  }

  @Test("keys are filtered only if rows may have no parent")
  func statements() async throws {
    try await withBooks([1, 2, 3]) { database, _, _ throws in
      func texts(_ body: @Sendable (isolated Connection) throws -> Void) async throws -> [Bool] {
        try await database.read { db in
          db.cache?.removeAll()
          try body(db)
          return (db.cache?.texts ?? []).filter { $0.contains("book") }
            .map { $0.contains(" IN (?") }
        }
      }
      #expect(
        try await texts { db in _ = try shelves.including(books).fetchAll(in: db) } == [false])
      #expect(
        try await texts { db in
          _ = try shelves.where { $0.id > 1 }.including(books).fetchAll(in: db)
        } == [true])
      #expect(
        try await texts { db in _ = try shelves.limit(2).including(books).fetchAll(in: db) } == [
          true
        ])
      #expect(
        try await texts { db in
          _ = try shelves.including(books, on: { $0.shelfID }).fetchAll(in: db)
        } == [true])
    }
  }

  @Test("a row with a missing parent belongs to no parent")
  func orphans() async throws {
    try await withBooks([1, 2, 3]) { database, _, lent throws in
      try await database.withoutTransaction { db in
        _ = try db.execute("PRAGMA foreign_keys = OFF")
        _ = try db.execute("INSERT INTO book VALUES (1000, 99, 'lost'), (1001, -5, 'lost')")
        _ = try db.execute("PRAGMA foreign_keys = ON")
      }
      let found = try await shelves.including(books).fetchAll(in: database)
      #expect(found.flatMap(\.1).map(\.id).sorted() == lent.map(\.id).sorted())
    }
  }

  @Test("a value of the wrong type gives an error of the model's column")
  func errors() async throws {
    try await withBooks([1, 2]) { database, _, _ throws in
      try await database.write { db in
        try db.execute(
          script: "ALTER TABLE book RENAME TO old; CREATE TABLE book AS SELECT * FROM old")
        _ = try db.execute("UPDATE book SET title = NULL WHERE id = 20")
      }
      let error = await #expect(throws: DatabaseError.self) {
        try await shelves.including(books).fetchAll(in: database)
      }
      #expect(error?.column == "title" && error?.rowType == "Book")
    }
  }
}
