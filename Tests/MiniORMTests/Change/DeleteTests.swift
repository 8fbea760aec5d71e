import Testing

@testable import MiniORM

@Table("parent")
private struct Parent: Equatable {
  let id: Int64
}
@Table("child")
private struct Child: Equatable {
  @Column(.primaryKey(autoincrement: true)) let id: Int64
  @Column(.references(Parent.self)) var parentID: Int64?
}
@Table("cascading")
private struct Cascading: Equatable {
  let id: Int64
  @Column(.references(Parent.self, onDelete: .cascade)) var cascade: Int64?
  @Column(.references(Parent.self, onDelete: .setNull, onUpdate: .cascade)) var null: Int64?
  @Column(.references(Parent.self, onDelete: .setDefault)) var fallback: Int64? = 1
}
@Table("hiding")
private struct Hiding: Equatable {
  var rowid: Int
  @Column("_ROWID_") var other: Int
}

@Suite("DELETE")
struct DeleteTests {
  @Test("a limit chooses rows by rowid, even if columns hide the rowid's names")
  func limitWithoutKey() async throws {
    try await withFile { database throws in
      try await database.migrate(DatabaseSchema(Hiding.self))
      let table = Table<Hiding>()
      let rows = [3, 1, 2].map { Hiding(rowid: 7, other: $0) }
      try await table.insert(contentsOf: rows, in: database)
      #expect(try await table.order { $0.other }.limit(1).deleteAll(in: database) == 1)
      #expect(try await table.fetchAll(in: database).map(\.other) == [3, 2])
    }
  }

  @Test("deleting a row by key or by value returns false if the row is missing")
  func one() async throws {
    try await withPeople { database, table throws in
      #expect(try await table.delete(2, in: database))
      #expect(try await table.delete(2, in: database) == false)
      #expect(try await table.delete(Person.some[2], in: database))
      #expect(try await table.delete(Person.some[2], in: database) == false)
      #expect(try await table.fetchAll(in: database).map(\.id) == [1, 4, 5])
    }
  }

  @Test("deleting by keys, IN, condition and limit returns the number of deleted rows")
  func several() async throws {
    let people = (1...20).map { Person(id: $0, name: "P", age: Int($0)) }
    try await withPeople(people) { database, table throws in
      #expect(try await table.delete(keys: [] as [Int64], in: database) == 0)
      #expect(try await table.delete(keys: [1, 2, 2, 99], in: database) == 2)
      #expect(try await table.where { $0.id.isIn([3, 4, 99]) }.deleteAll(in: database) == 2)
      #expect(try await table.where { $0.age > 15 }.deleteAll(in: database) == 5)
      #expect(try await table.where { $0.age > 15 }.deleteAll(in: database) == 0)
      #expect(try await table.order { $0.id.descending }.limit(2).deleteAll(in: database) == 2)
      #expect(try await table.limit(0).deleteAll(in: database) == 0)
      #expect(try await table.fetchAll(in: database).map(\.id) == Array(5...13))
      #expect(try await table.deleteAll(in: database) == 9)
      #expect(try await table.deleteAll(in: database) == 0)
    }
  }

  @Test("truncate empties the table, and the next id is 1, with or without AUTOINCREMENT")
  func truncate() async throws {
    try await withFile(DatabaseSchema(Parent.self, Child.self)) { database throws in
      let (parents, children) = (Table<Parent>(), Table<Child>())
      #expect(try await children.truncate(in: database) == 0)
      for _ in 1...3 {
        try await children.insert(Child.Draft(), in: database)
        try await parents.insert(Parent.Draft(), in: database)
      }
      #expect(try await children.truncate(in: database) == 3)
      #expect(try await parents.truncate(in: database) == 3)
      #expect(try await children.insert(Child.Draft(), in: database) == Child(id: 1))
      #expect(try await parents.insert(Parent.Draft(), in: database) == Parent(id: 1))
      let id = try await database.write { db in
        try children.truncate(in: db)
        return try children.insert(Child.Draft(), in: db).id
      }
      #expect(id == 1)
    }
  }

  @Test("truncate resets ids even if the file spells the table's name in another case")
  func truncateOtherCase() async throws {
    try await withFile { database throws in
      try await database.write { db in
        try db.execute(
          script: """
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE CHILD (ID INTEGER PRIMARY KEY AUTOINCREMENT, parentID INTEGER);
            """)
      }
      let children = Table<Child>()
      try await children.insert(Child.Draft(), in: database)
      #expect(try await children.truncate(in: database) == 1)
      #expect(try await children.insert(Child.Draft(), in: database).id == 1)
    }
  }

  @Test("a foreign key that forbids a deletion leaves all rows unchanged")
  func foreignKey() async throws {
    try await withFile(DatabaseSchema(Parent.self, Child.self)) { database throws in
      let parents = Table<Parent>()
      try await parents.insert(contentsOf: (1...3).map { Parent(id: $0) }, in: database)
      try await Table<Child>().insert(Child.Draft(parentID: 3), in: database)
      let facts = "step 787 -.- -: FOREIGN KEY constraint failed"
      #expect(try await failure { try await parents.delete(3, in: database) }.summary == facts)
      #expect(
        try await failure { try await parents.delete(keys: [1, 2, 3], in: database) }.summary
          == facts)
      #expect(try await failure { try await parents.deleteAll(in: database) }.summary == facts)
      #expect(try await failure { try await parents.truncate(in: database) }.summary == facts)
      #expect(try await parents.count(in: database) == 3)
      let missing = try await failure {
        try await Table<Child>().insert(Child.Draft(parentID: 9), in: database)
      }
      #expect(missing.summary == facts)
    }
  }

  @Test("deletions run the actions of foreign keys")
  func actions() async throws {
    try await withFile(DatabaseSchema(Parent.self, Cascading.self)) { database throws in
      let (parents, children) = (Table<Parent>(), Table<Cascading>())
      try await parents.insert(contentsOf: (1...4).map { Parent(id: $0) }, in: database)
      try await children.insert(
        contentsOf: [
          Cascading(id: 1, cascade: 2, null: 3, fallback: 4),
          Cascading(id: 2, cascade: 1, null: 3, fallback: 4),
        ], in: database)
      #expect(try await parents.delete(2, in: database))
      #expect(try await children.fetchAll(in: database).map(\.id) == [2])
      #expect(
        try await parents.where { $0.id == 3 }.update { $0.id = 33 }.run(in: database) == 1)
      #expect(try await children.find(2, in: database)?.null == 33)
      #expect(try await parents.delete(33, in: database))
      #expect(try await parents.delete(4, in: database))
      #expect(
        try await children.fetchAll(in: database)
          == [Cascading(id: 2, cascade: 1, null: nil, fallback: 1)])
    }
  }
}
