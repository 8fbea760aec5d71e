import Foundation
import Testing

@testable import MiniORM

@Table("folder")
private struct Folder: Identifiable, Equatable {
  let id: String
  var name: String
}

@Table("note")
private struct Note: Identifiable, Equatable {
  let id: Int64
  @Column(.references(Folder.self)) var folderID: Folder.ID?
  @Column(.references(Folder.self)) var formerID: Folder.ID?
  var isDeleted = false
}

extension Note {
  fileprivate static var defaultScope: Scope<Note> { Scope { !$0.isDeleted } }
}

@Table("word")
private struct Word: Equatable {
  @Column(.primaryKey, .collate(.nocase)) var text: String
  @Column(.unique, .collate(.rtrim)) var mark: String
}

@Table("meaning")
private struct Meaning: Identifiable, Equatable {
  let id: Int64
  @Column(.references(Word.self)) var word: String
}

@Table("marked")
private struct Marked: Identifiable, Equatable {
  let id: Int64
  @Column(.references(table: "word", "mark")) var mark: String
}

private let byLength = Collation("BY_LENGTH") { left, right in
  left.count == right.count
    ? .orderedSame : left.count < right.count ? .orderedAscending : .orderedDescending
}

@Table("odd")
private struct Odd: Equatable {
  @Column(.primaryKey, .collate(byLength)) var text: String
}

extension Connection {
  /// The number of statements that the connection has requested from its cache.
  var statements: Int { (cache?.hits ?? 0) + (cache?.misses ?? 0) }
}

extension Database {
  /// The number of statements that a closure runs on the reading connection, without the
  /// transaction's own.
  func statementCount(_ body: @Sendable (isolated Connection) throws -> Void) async throws -> Int {
    try await read { db in
      let before = db.statements
      try body(db)
      return db.statements - before
    }
  }
}

@Suite("Related rows")
struct RelatedRowsTests {
  @Test("related rows are found with the comparison of the key")
  func collation() async throws {
    let words = Table<Word>()
    let meanings = Table<Meaning>()
    // migrate refuses a foreign key between columns of different collations.
    let script = """
      CREATE TABLE word (
        text TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, mark TEXT NOT NULL UNIQUE COLLATE RTRIM);
      CREATE TABLE meaning (id INTEGER PRIMARY KEY, word TEXT NOT NULL REFERENCES word);
      CREATE TABLE marked (id INTEGER PRIMARY KEY, mark TEXT NOT NULL REFERENCES word (mark));
      """
    try await withTemporaryDatabase(script: script) { database throws in
      try await words.insert(
        contentsOf: [Word(text: "Bow", mark: "x "), Word(text: "é", mark: "y")], in: database)
      try await meanings.insert(
        contentsOf: [
          Meaning(id: 1, word: "bow"), Meaning(id: 2, word: "BOW"), Meaning(id: 3, word: "é"),
        ], in: database)
      try await Table<Marked>().insert(
        contentsOf: [Marked(id: 1, mark: "x"), Marked(id: 2, mark: "x   ")], in: database)
      let query = words.order { $0.text }.including(meanings.order { $0.id })
      let rows = try await query.fetchAll(in: database)
      #expect(rows.map { $0.1.map(\.id) } == [[1, 2], [3]])
      let one = words.order { $0.text }.including(meanings.order { $0.id }.limit(1))
      #expect(try await one.fetchAll(in: database).map { $0.1.map { Int($0.id) } } == [[1], [3]])
      let marked = words.order { $0.text }.including(Table<Marked>().order { $0.id })
      #expect(
        try await marked.fetchAll(in: database).map { $0.1.map { Int($0.id) } } == [[1, 2], []])
      let error = await #expect(throws: DatabaseError.self) {
        try await Table<Odd>().including(meanings, on: { $0.word }).fetchAll(in: database)
      }
      #expect(
        error?.message
          == "\"odd\".\"text\" has a custom collation, so that rows cannot be matched with their related "
          + "rows: join the tables")
    }
  }

  @Test("parents with their children, in two statements")
  func children() async throws {
    try await withTrade { database throws in
      let query = makers.order { $0.name.descending }.including(products.order { $0.price })
      let rows = try await query.fetchAll(in: database)
      #expect(rows.map(\.0) == [Maker.some[2], Maker.some[1], Maker.some[0]])
      #expect(
        rows.map(\.1) == [[], [Product.some[1]], [Product.some[0], Product.some[2]]])
      #expect(try await database.statementCount { _ = try query.fetchAll(in: $0) } == 2)
      let none = try await makers.where { $0.id > 9 }.including(products).fetchAll(in: database)
      #expect(none.isEmpty)
      let one = try await query.fetchOne(in: database)
      #expect(one?.0 == Maker.some[2])
      let first = try await makers.limit(1, offset: 1).including(products).fetchOne(in: database)
      #expect(first?.1 == [Product.some[1]])
      let limited = try await makers.limit(0).including(products).fetchOne(in: database)
      #expect(limited == nil)
    }
  }

  @Test("several collections, with their own conditions")
  func several() async throws {
    try await withTrade { database throws in
      let query = makers.order { $0.id }.including(stores).including(
        products.where { $0.price > 1 }
      )
      .including(products.where { $0.price < 100 }.order { $0.name.descending })
      let rows = try await query.fetchAll(in: database)
      #expect(rows.map { $0.1.map(\.id) } == [[1], [], []])
      #expect(rows.map { $0.2.map(\.id) } == [[1, 3], [], []])
      #expect(rows.map { $0.3.map(\.id) } == [[1], [2], []])
      #expect(try await database.statementCount { _ = try query.fetchAll(in: $0) } == 4)
    }
  }

  @Test("a limit of the children applies to each parent")
  func limited() async throws {
    try await withTrade { database throws in
      let all = (10..<40).map {
        Product(id: $0, name: "P\($0)", price: Double($0), makerID: 1 + Int64($0) % 3)
      }
      try await products.insert(contentsOf: all, in: database)
      let query = makers.including(products.order { $0.price.descending }.limit(2, offset: 1))
      let rows = try await query.fetchAll(in: database)
      #expect(rows.map { $0.1.map(\.id) } == [[1, 39], [34, 31], [35, 32]])
      #expect(try await database.statementCount { _ = try query.fetchAll(in: $0) } == 2)
      let none = try await makers.including(products.limit(0)).fetchAll(in: database)
      #expect(none.map(\.1) == [[], [], []])
      let mistaken = makers.including(products.distinct().limit(2))
      let error = try await failure { _ = try await mistaken.fetchAll(in: database) }
      #expect(
        error.summary
          == "prepare 21 -.- -: A limit per row cannot be combined with distinct: remove distinct")
      let through = stores.including(products.order { $0.id.descending }.limit(1), through: sales)
      let sold = try await through.fetchAll(in: database)
      #expect(sold.map { $0.1.map(\.id) } == [[2], [2]])
    }
  }

  @Test("the column can be given, also within a table")
  func named() async throws {
    try await withTrade { database throws in
      let tree = try await parts.including(parts.order { $0.name.descending }, on: { $0.wholeID })
        .fetchAll(in: database)
      #expect(tree.map { $0.1.map(\.id) } == [[4, 2], [3], [], []])
      let made = try await makers.including(products, on: { $0.makerID }).fetchAll(in: database)
      #expect(made.map { $0.1.count } == [2, 1, 0])
      let alias = try await makers.alias("m").where { $0.id < 3 }.including(products.alias("p"))
        .fetchAll(in: database)
      #expect(alias.map { $0.1.count } == [2, 1])
      let error = try await failure { _ = try await parts.including(parts).fetchAll(in: database) }
      #expect(
        error.summary
          == "prepare 21 -.- -: There is no foreign key from part to part: name the column, as "
          + "in including(others, on: { $0.otherID })")
    }
  }

  @Test("many to many, through a link table")
  func through() async throws {
    try await withTrade { database throws in
      let query = stores.order { $0.id.descending }
        .including(products.order { $0.name.descending }, through: sales)
      let rows = try await query.fetchAll(in: database)
      #expect(rows.map { $0.0.id } == [2, 1])
      #expect(rows.map { $0.1.map(\.name) } == [["Nut"], ["Nut", "Anvil"]])
      #expect(try await database.statementCount { _ = try query.fetchAll(in: $0) } == 2)
      let many = try await products.including(stores, through: sales.where { $0.pieces > 50 })
        .fetchAll(in: database)
      #expect(many.map { $0.1.map(\.id) } == [[], [1], []])
    }
  }

  @Test("children with their own children, in a statement per level")
  func nested() async throws {
    try await withTrade { database throws in
      let query = makers.including(
        products.order { $0.id.descending }.including(sales).including(stores, through: sales)
      )
      .including(stores)
      let rows = try await query.fetchAll(in: database)
      #expect(rows.map { $0.1.map(\.0.id) } == [[3, 1], [2], []])
      #expect(rows.map { $0.1.map { $0.1.map(\.pieces) } } == [[[], [3]], [[100, 40]], []])
      #expect(rows.map { $0.1.map { $0.2.map(\.id) } } == [[[], [1]], [[1, 2]], []])
      #expect(rows.map { $0.2.map(\.id) } == [[1], [], []])
      #expect(try await database.statementCount { _ = try query.fetchAll(in: $0) } == 5)
      let first = try await makers.including(
        products.order { $0.id.descending }.limit(1).including(sales)
      )
      .fetchAll(in: database)
      #expect(first.map { $0.1.map(\.0.id) } == [[3], [2], []])
    }
  }

  @Test(
    "default scopes apply, keys may be texts, and a given column chooses between two foreign keys")
  func scopes() async throws {
    try await withFile(DatabaseSchema(Folder.self, Note.self)) { database throws in
      let (folders, notes) = (Table<Folder>(), Table<Note>())
      try await folders.insert(
        contentsOf: [Folder(id: "a", name: "A"), Folder(id: "b", name: "B")], in: database)
      try await notes.insert(
        contentsOf: [
          Note(id: 1, folderID: "a", formerID: "b"),
          Note(id: 2, folderID: "a", formerID: nil, isDeleted: true),
          Note(id: 3, folderID: nil, formerID: "b"),
        ], in: database)
      let now = try await folders.including(notes, on: { $0.folderID }).fetchAll(in: database)
      #expect(now.map { $0.1.map(\.id) } == [[1], []])
      let both = try await folders.including(notes.unscoped(), on: { $0.folderID })
        .including(notes, on: { $0.formerID }).fetchAll(in: database)
      #expect(both.map { $0.1.map(\.id) } == [[1, 2], []])
      #expect(both.map { $0.2.map(\.id) } == [[], [1, 3]])
      let error = try await failure {
        _ = try await folders.including(notes).fetchAll(in: database)
      }
      #expect(error.message.hasPrefix("There are 2 foreign keys from note to folder: "))
    }
  }

  @Test("on a database, all statements run in a single transaction")
  func transaction() async throws {
    try await withTrade { database throws in
      let before = await database.reader.statements
      let rows = try await makers.including(products).including(stores).fetchAll(in: database)
      #expect(rows.count == 3)
      // BEGIN, a query for each kind of row, COMMIT.
      #expect(await database.reader.statements - before == 5)
      // An error ends the transaction.
      let mistaken = makers.including(products.where(sql: "nowhere = 1"))
      _ = try await failure { _ = try await mistaken.fetchAll(in: database) }
      #expect(try await makers.including(products).fetchAll(in: database).count == 3)
    }
  }

  @Test("100,000 parents, in two statements and a single transaction")
  func many() async throws {
    try await withTrade { database throws in
      let count: Int64 = 100_000
      try await database.write { db in
        try db.execute(
          """
          WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < \(count + 9))
          INSERT INTO maker SELECT i, 'M' || i, NULL FROM n
          """)
        try db.execute(
          """
          INSERT INTO product SELECT id, 'P' || id, 1, id, '[]' FROM maker
          WHERE id >= 10 AND id % 2 = 0
          """)
      }
      let query = makers.where { $0.id >= 10 }.including(products)
      let (rows, statements) = try await database.read { db in
        let before = db.statements
        let rows = try query.fetchAll(in: db)
        return (rows, db.statements - before)
      }
      #expect(rows.count == Int(count))
      #expect(statements == 2)
      #expect(rows.allSatisfy { $0.1.map(\.makerID) == ($0.0.id % 2 == 0 ? [$0.0.id] : []) })
    }
  }
}
