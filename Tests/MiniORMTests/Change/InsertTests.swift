import Testing

@testable import MiniORM

@Table("item")
private struct Item: Equatable {
  let id: Int64
  @Column(.unique) var code: Int
  var text = "t"
}

@Suite("INSERT")
struct InsertTests {
  @Test("the SQL for a model and for its draft")
  func sql() {
    let insertion = Person.schema.insertion
    let columns = #""name", "age", "score", "nickname", "isActive", "level""#
    #expect(
      insertion.draft.oneReturning.sql
        == #"""
        INSERT INTO "person" (\#(columns))
        VALUES (?, ?, ?, ?, ?, ?)
        RETURNING "id", \#(columns)
        """#.onOneLine)
    #expect(
      insertion.model.one.sql
        == #"INSERT INTO "person" ("id", \#(columns)) VALUES (?, ?, ?, ?, ?, ?, ?)"#)
    #expect(insertion.model.rowsPerStatement == 32)
  }

  @Test("an insertion returns the stored row")
  func returning() async throws {
    try await withPeople([]) { database, table throws in
      let draft = Person.Draft(name: "Zoe")
      #expect(try await table.insert(draft, in: database) == Person(id: 1, name: "Zoe"))
      #expect(try await table.insert(Person.some[3], in: database) == Person.some[3])
      let row = try await database.write { db in try table.insert(draft, in: db) }
      #expect(row == Person(id: 5, name: "Zoe"))
      let error = try await failure { try await table.insert(row, in: database) }
      #expect(error.summary == "step 1555 person.id -: UNIQUE constraint failed: person.id")
    }
  }

  @Test(
    "any number of rows is inserted in the given order",
    arguments: [0, 1, 2, 31, 32, 33, 63, 64, 65, 1000])
  func contents(count: Int) async throws {
    try await withFile(DatabaseSchema(Item.self)) { database throws in
      let table = Table<Item>()
      let rows = (0..<count).map { Item(id: Int64($0 + 1), code: $0, text: "'\($0)") }
      let drafts = rows.map { Item.Draft(code: $0.code, text: $0.text) }
      #expect(try await table.insert(contentsOf: drafts, in: database) == count)
      #expect(try await table.order { $0.id }.fetchAll(in: database) == rows)
      let models = rows.map { Item(id: $0.id + 5000, code: $0.code + 5000, text: $0.text) }
      #expect(try await table.insert(contentsOf: models, in: database) == count)
      #expect(
        try await table.where { $0.id > 5000 }.order { $0.id }.fetchAll(in: database) == models)
      // A slice, whose indices do not start at 0.
      let slice = rows.map { Item.Draft(code: $0.code + 90_000) }.dropFirst(3)
      #expect(try await table.insert(contentsOf: slice, in: database) == max(0, count - 3))
    }
  }

  @Test("a failing row k stores no row", arguments: [1, 2, 31, 32, 33, 64, 65, 70])
  func failing(k: Int) async throws {
    try await withFile(DatabaseSchema(Item.self)) { database throws in
      let table = Table<Item>()
      let kept = try await table.insert(Item.Draft(code: -1), in: database)
      let drafts = (1...70).map { Item.Draft(code: $0 == k ? -1 : $0) }
      let error = try await failure { try await table.insert(contentsOf: drafts, in: database) }
      #expect(error.summary == "step 2067 item.code -: UNIQUE constraint failed: item.code")
      #expect(try await table.fetchAll(in: database) == [kept])

      // Inside a transaction, earlier rows are kept and the transaction continues.
      let states = try await database.write { db in
        try table.insert(Item.Draft(code: -2), in: db)
        do {
          try table.insert(contentsOf: drafts, in: db)
        } catch let error as DatabaseError where error.code == .constraintUnique {}
        try table.insert(Item.Draft(code: -3), in: db)
        return (try table.order { $0.id }.fetchAll(in: db).map(\.code), db.cache?.checkedOut)
      }
      #expect(states.0 == [-1, -2, -3])
      #expect(states.1 == 0)
      #expect(try await table.order { $0.id }.fetchAll(in: database).map(\.code) == [-1, -2, -3])
    }
  }

  @Test("a value that cannot be bound stores no row")
  func unbindable() async throws {
    try await withPeople([]) { database, table throws in
      let drafts = (1...40).map { Person.Draft(name: "\($0)", score: $0 == 38 ? .nan : 1) }
      let error = try await failure { try await table.insert(contentsOf: drafts, in: database) }
      #expect(error.operation == .bind && error.code == .mismatch)
      #expect(try await table.count(in: database) == 0)
      #expect(try await table.insert(contentsOf: drafts.prefix(37), in: database) == 37)
    }
  }

  @Test("inserting a list prepares a single cached statement for each size")
  func cached() async throws {
    try await withFile(DatabaseSchema(Item.self)) { database throws in
      let table = Table<Item>()
      let misses = try await database.write { db in
        try table.insert(contentsOf: (0..<33).map { Item.Draft(code: $0) }, in: db)
        let before = db.cache?.misses
        for round in 1...20 {
          try table.insert(contentsOf: (0..<65).map { Item.Draft(code: round * 100 + $0) }, in: db)
        }
        return (before, db.cache?.misses)
      }
      #expect(misses.0 == misses.1)
    }
  }
}
