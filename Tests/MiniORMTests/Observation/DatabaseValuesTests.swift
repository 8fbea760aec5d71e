import Testing

@testable import MiniORM

private let people = Table<Person>()

@Suite("Observed query values")
struct DatabaseValuesTests {
  private func ada(_ age: Int) -> Person { Person(id: 1, name: "Ada", age: age) }

  @Test("the first value comes at once, and another value after each commit")
  func table() async throws {
    try await withPeople([ada(1)]) { database, people in
      var values = people.where { $0.age < 10 }.values(in: database).makeAsyncIterator()
      #expect(try await values.next() == [ada(1)])
      try await people.update(ada(2), in: database)
      #expect(try await values.next() == [ada(2)])
      try await people.update(ada(11), in: database)
      #expect(try await values.next() == [])
    }
  }

  @Test("a commit by another task wakes a waiting observer")
  func waiting() async throws {
    try await withPeople([ada(1)]) { database, people in
      let (values, seen) = AsyncStream.makeStream(of: [Int].self)
      let task = Task {
        for try await list in people.values(in: database) {
          seen.yield(list.map(\.age))
          if list.isEmpty { break }
        }
        seen.finish()
      }
      var iterator = values.makeAsyncIterator()
      #expect(await iterator.next() == [1])
      try await people.update(ada(2), in: database)
      #expect(await iterator.next() == [2])
      try await people.delete(1, in: database)
      #expect(await iterator.next() == [])
      #expect(await iterator.next() == nil)
      try await task.value
    }
  }

  @Test("a slow observer gets the latest value, once")
  func coalescing() async throws {
    try await withPeople([ada(0)]) { database, people in
      var values = people.values(in: database).makeAsyncIterator()
      #expect(try await values.next() == [ada(0)])
      for age in 1...100 { try await people.update(ada(age), in: database) }
      #expect(try await values.next() == [ada(100)])
      try await people.update(ada(101), in: database)
      #expect(try await values.next() == [ada(101)])
    }
  }

  @Test("equal values are skipped only on request")
  func duplicates() async throws {
    try await withPeople([ada(1)]) { database, people in
      let sequence = people.where { $0.name == "Ada" }.values(in: database)
      var all = sequence.makeAsyncIterator()
      var distinct = sequence.removingDuplicates().makeAsyncIterator()
      var even = sequence.removingDuplicates { $0.map { $0.age % 2 } == $1.map { $0.age % 2 } }
        .makeAsyncIterator()
      #expect(try await all.next() == [ada(1)])
      #expect(try await distinct.next() == [ada(1)])
      #expect(try await even.next() == [ada(1)])
      try await people.insert(Person(id: 2, name: "Bob"), in: database)
      #expect(try await all.next() == [ada(1)])
      try await people.update(ada(3), in: database)
      #expect(try await all.next() == [ada(3)])
      // The first change gave an equal value, or was merged with the second.
      #expect(try await distinct.next() == [ada(3)])
      try await people.update(ada(4), in: database)
      #expect(try await even.next() == [ada(4)])
    }
  }

  @Test("every kind of query can be observed")
  func queries() async throws {
    try await withPeople([ada(1)]) { database, people in
      let byAge = PreparedQuery(Int.self) { age in people.where { $0.age >= age } }
      let name = "Ada"
      var prepared = byAge.values(5, in: database).makeAsyncIterator()
      var names = people.select { $0.name }.values(in: database).makeAsyncIterator()
      var pairs = people.order { $0.id }.select { ($0.name, $0.age) }.values(in: database)
        .makeAsyncIterator()
      var joined = people.join(people.alias("other")) { $0.age == $1.level }
        .values(in: database).makeAsyncIterator()
      var models = database.values {
        try $0.query(Person.self, "SELECT * FROM person WHERE name = \(name)")
      }.makeAsyncIterator()
      var ages = database.integers("SELECT age FROM person WHERE id = ?", [1])
        .makeAsyncIterator()
      var tuples = database.values {
        try $0.query((String, Int).self, "SELECT name, age FROM person")
      }.makeAsyncIterator()
      var closure = database.values { db in
        (try people.count(in: db), try people.find(1, in: db)?.age)
      }.makeAsyncIterator()
      for age in [1, 7] {
        if age == 7 { try await people.update(ada(7), in: database) }
        #expect(try await prepared.next() == (age >= 5 ? [ada(age)] : []))
        #expect(try await pairs.next()?.map(\.1) == [age])
        #expect(try await models.next() == [ada(age)])
        #expect(try await ages.next() == [age])
        #expect(try await tuples.next()?.map(\.1) == [age])
        #expect(try await closure.next()?.1 == age)
        #expect(try await joined.next()?.isEmpty == true)
      }
      #expect(try await names.next() == ["Ada"])
    }
  }

  @Test("queries with related rows follow each of their tables")
  func relatedRows() async throws {
    try await withFile(DatabaseSchema(City.self, Company.self)) { database in
      let cities = Table<City>()
      let companies = Table<Company>()
      try await cities.insert(City(id: 1, name: "Reims"), in: database)
      var values = cities.including(companies.order { $0.id }).values(in: database)
        .makeAsyncIterator()
      #expect(try await values.next()?.first?.1.count == 0)
      try await companies.insert(Company(id: 1, name: "Acme", cityID: 1), in: database)
      #expect(try await values.next()?.first?.1.map(\.name) == ["Acme"])
      try await cities.update(City(id: 1, name: "Lyon"), in: database)
      #expect(try await values.next()?.first?.0.name == "Lyon")
    }
  }

  @Test("a closure runs again after a change to any table of its last run")
  func closures() async throws {
    try await ObservedTables.withDatabase { database in
      let values = database.values { db -> Int? in
        let first = try db.value(Int.self, "SELECT a FROM plain ORDER BY a LIMIT 1")
        return first == 1
          ? try db.value(Int.self, "SELECT value FROM other")
          : try db.value(Int.self, "SELECT size FROM parent WHERE id = 2")
      }
      var iterator = values.makeAsyncIterator()
      #expect(try await iterator.next() == .some(nil))
      try await database.write { try $0.execute("INSERT INTO other VALUES (5)") }
      #expect(try await iterator.next() == 5)
      try await database.write { try $0.execute("UPDATE plain SET a = a + 1") }
      #expect(try await iterator.next() == 2)
      try await database.write { try $0.execute("UPDATE parent SET size = 6 WHERE id = 2") }
      #expect(try await iterator.next() == 6)
    }
  }

  @Test("observation continues after changes of the key, the schema and attached databases")
  func schema() async throws {
    try await ObservedTables.withDatabase { database in
      var values = database.integers("SELECT size FROM parent WHERE id = 1")
        .makeAsyncIterator()
      #expect(try await values.next() == [1])
      try await database.changeKey(to: .raw(testKeyBytes.reversed()))
      try await database.write { try $0.execute("UPDATE parent SET size = 2 WHERE id = 1") }
      #expect(try await values.next() == [2])
      try await database.write { db in
        try db.execute("CREATE TABLE copy AS SELECT * FROM parent")
        try db.execute("PRAGMA defer_foreign_keys = ON")
        try db.execute(script: "DROP VIEW names; DROP VIEW notes; DROP TABLE parent")
        try db.execute("CREATE VIEW parent AS SELECT id, size + 1 AS size, name FROM copy")
      }
      #expect(try await values.next() == [3])
      try await database.write { try $0.execute("UPDATE copy SET size = 8 WHERE id = 1") }
      #expect(try await values.next() == [9])
      var version = try await ObservedQuery("SELECT name FROM copy", in: database)
      try await database.write { try $0.execute("UPDATE copy SET size = 9 WHERE id = 1") }
      #expect(!version.isChanged)
      version = try await ObservedQuery("SELECT 1", in: database)
      try await database.attach(database.path + "2", as: "second", key: nil)
      #expect(version.isChanged)
    }
  }

  @Test("a migration wakes affected observers, which continue")
  func migration() async throws {
    try await withTemporaryDatabase { database in
      try await database.migrate(DatabaseSchema(City.self))
      var values = Table<City>().values(in: database).makeAsyncIterator()
      #expect(try await values.next() == [])
      try await database.migrate(DatabaseSchema(City.self, Company.self))
      #expect(try await values.next() == [])
      try await Table<City>().insert(City(id: 1, name: "Reims"), in: database)
      #expect(try await values.next() == [City(id: 1, name: "Reims")])
    }
  }

  @Test("a later trigger is respected by cached statements")
  func laterTrigger() async throws {
    try await ObservedTables.withDatabase { database in
      try await database.write { try $0.execute("INSERT INTO plain VALUES (5, 6)") }
      try await database.write { db in
        try db.execute(
          "CREATE TRIGGER late AFTER INSERT ON plain BEGIN INSERT INTO other VALUES (1); END")
      }
      let other = try await ObservedQuery("SELECT * FROM other", in: database)
      try await database.write { try $0.execute("INSERT INTO plain VALUES (5, 6)") }
      #expect(other.isChanged)
    }
  }

  @Test("tables of attached files are distinguished from tables with the same name")
  func attached() async throws {
    try await ObservedTables.withDatabase { database in
      try await database.attach(database.path + "2", as: "second", key: .raw(testKeyBytes))
      try await database.write { try $0.execute("CREATE TABLE second.plain(a, b)") }
      let main = try await ObservedQuery("SELECT a FROM plain", in: database)
      let second = try await ObservedQuery("SELECT a FROM second.plain", in: database)
      let count = try await ObservedQuery("SELECT count(*) FROM second.plain", in: database)
      try await database.write { try $0.execute("INSERT INTO second.plain VALUES (1, 2)") }
      #expect(!main.isChanged && second.isChanged && count.isChanged)
      _ = try await (main.rows(), second.rows())
      try await database.write { try $0.execute("INSERT INTO plain VALUES (1, 2)") }
      #expect(main.isChanged && !second.isChanged)
    }
  }

  @Test("every kind of database can be observed", arguments: TestPlace.allCases)
  func places(_ place: TestPlace) async throws {
    try await place.withDatabase(script: "CREATE TABLE t(a)") { database in
      var values = database.integers("SELECT count(*) FROM t").makeAsyncIterator()
      #expect(try await values.next() == [0])
      try await database.write { try $0.execute("INSERT INTO t VALUES (1)") }
      #expect(try await values.next() == [1])
    }
  }

  @Test("a write in an observed closure is refused")
  func writing() async throws {
    try await ObservedTables.withDatabase { database in
      var values = database.values { try $0.execute("INSERT INTO other VALUES (1)") }
        .makeAsyncIterator()
      let error = try await failure { try await values.next() }
      #expect(error.code.primary == .readOnly)
      #expect(try await values.next() == nil)
    }
  }

  @Test("observed SQL cannot write", arguments: TestPlace.allCases)
  func writingSQL(_ place: TestPlace) async throws {
    let script = "CREATE TABLE t(a); INSERT INTO t VALUES (1)"
    try await place.withDatabase(script: script) { database in
      var values = database.integers("DELETE FROM t RETURNING a").makeAsyncIterator()
      let error = try await failure { try await values.next() }
      #expect(error.code.primary == .readOnly)
      let rows = try await database.read { try $0.query(Int.self, "SELECT a FROM t") }
      #expect(rows == [1])
    }
  }
}
