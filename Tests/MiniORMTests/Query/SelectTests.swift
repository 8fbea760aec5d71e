import Testing

@testable import MiniORM

private let selection =
  #"SELECT "id", "name", "age", "score", "nickname", "isActive", "level" FROM "person""#
private let people = Table<Person>()

@Table("twin") private struct Twin: Equatable { var number: Int }

@Suite("SELECT")
struct SelectTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let table: Table<Person>
    let sql: String
    let values: [DatabaseValue]
    let ids: [Int64]
    init(_ table: Table<Person>, _ sql: String, _ values: [DatabaseValue], _ ids: [Int64]) {
      (self.table, self.sql, self.values, self.ids) = (table, selection + sql, values, ids)
    }
    var testDescription: String { sql }
  }

  static let cases: [Case] = [
    Case(people, "", [], [1, 2, 3, 4, 5]),
    Case(people.where { $0.age >= 41 }, #" WHERE ("person"."age" >= ?)"#, [.integer(41)], [4, 5]),
    Case(
      people.where { $0.age > 20 && $0.name < "D" || !$0.isActive },
      #" WHERE ((("person"."age" > ?) AND ("person"."name" < ?)) OR (NOT "person"."isActive"))"#,
      [.integer(20), .text("D")], [1, 2, 4]),
    Case(
      people.where { $0.age == 20 }.where { $0.isActive },
      #" WHERE ("person"."age" = ?) AND ("person"."isActive" = 1)"#, [.integer(20)], [3]),
    Case(
      people.where { $0.nickname == nil }, #" WHERE ("person"."nickname" IS ?)"#, [.null], [2, 5]),
    Case(
      people.where { $0.nickname != nil }, #" WHERE ("person"."nickname" IS NOT ?)"#, [.null],
      [1, 3, 4]),
    Case(
      people.where { $0.nickname.isNil }, #" WHERE ("person"."nickname" IS NULL)"#, [], [2, 5]),
    Case(
      people.where { $0.level == 3 }, #" WHERE ("person"."level" IS ?)"#, [.integer(3)], [1, 4]),
    Case(
      people.where { $0.level != 3 }, #" WHERE ("person"."level" IS NOT ?)"#, [.integer(3)],
      [2, 3, 5]),
    Case(
      people.where { ($0.level ?? 9) > 2 }, #" WHERE (ifnull("person"."level", ?) > ?)"#,
      [.integer(9), .integer(2)], [1, 3, 4]),
    Case(
      people.where { $0.age.between(20, and: 40) }, #" WHERE ("person"."age" BETWEEN ? AND ?)"#,
      [.integer(20), .integer(40)], [1, 2, 3]),
    Case(
      people.where { $0.name.isIn(["Ada", "Eve", "Zoe"]) },
      #" WHERE ("person"."name" IN (?, ?, ?, ?))"#,
      [.text("Ada"), .text("Eve"), .text("Zoe"), .text("Zoe")], [1, 5]),
    Case(
      people.order { $0.name.descending }.limit(2),
      #" ORDER BY "person"."name" DESC LIMIT ?"#, [.integer(2)], [5, 4]),
    Case(
      people.order { ($0.age, $0.id.descending) }.limit(2, offset: 1),
      #" ORDER BY "person"."age", "person"."id" DESC LIMIT ? OFFSET ?"#,
      [.integer(2), .integer(1)], [2, 1]),
    Case(
      people.order { $0.age.ascending }.order { $0.id.descending },
      #" ORDER BY "person"."age" ASC, "person"."id" DESC"#, [], [3, 2, 1, 5, 4]),
    Case(
      people.order { ($0.level.ascending.nullsLast, $0.id) },
      #" ORDER BY "person"."level" ASC NULLS LAST, "person"."id""#, [], [2, 5, 1, 4, 3]),
    Case(
      people.order { ($0.level.descending.nullsFirst, $0.id) },
      #" ORDER BY "person"."level" DESC NULLS FIRST, "person"."id""#, [], [3, 1, 4, 5, 2]),
    Case(
      people.order { $0.age * 2 - 1 }.limit(1, offset: 4),
      #" ORDER BY (("person"."age" * ?) - ?) LIMIT ? OFFSET ?"#,
      [.integer(2), .integer(1), .integer(1), .integer(4)], [4]),
    Case(
      people.order { $0.nickname.collate(.nocase) }.limit(1),
      #" ORDER BY ("person"."nickname" COLLATE NOCASE) LIMIT ?"#, [.integer(1)], [2]),
    Case(people.limit(0), " LIMIT ?", [.integer(0)], []),
    Case(people.limit(0, offset: .min), " LIMIT ?", [.integer(0)], []),
    Case(people.limit(.max, offset: 4), " LIMIT ? OFFSET ?", [.integer(.max), .integer(4)], [5]),
    Case(people.limit(2, offset: 99), " LIMIT ? OFFSET ?", [.integer(2), .integer(99)], []),
    Case(people.limit(4, offset: 3).limit(2), " LIMIT ?", [.integer(2)], [1, 2]),
    Case(
      people.where(sql: "length(name) = \(3) AND age > \(40)"),
      " WHERE (length(name) = ? AND age > ?)", [.integer(3), .integer(40)], [4, 5]),
    Case(
      people.where(sql: "age = 20 OR age = 65").where { $0.isActive },
      #" WHERE (age = 20 OR age = 65) AND ("person"."isActive" = 1)"#, [], [3]),
    Case(
      people.where {
        $0.age > SQLExpression("20 + \(20)") && SQLExpression<Bool>("name LIKE \("%e")")
      },
      #" WHERE (("person"."age" > (20 + ?)) AND (name LIKE ?))"#, [.integer(20), .text("%e")],
      [4, 5]),
    Case(
      people.where(sql: "\(Person.columns.age) = \(20) OR \(identifier: "name") = \("Ada")"),
      #" WHERE ("person"."age" = ? OR "name" = ?)"#, [.integer(20), .text("Ada")], [1, 2, 3]),
  ]

  @Test(
    "distinct merges equal rows of a table without a key, in any order of the calls"
  )
  func distinctRows() async throws {
    try await withFile(DatabaseSchema(Twin.self)) { database throws in
      let twins = Table<Twin>()
      try await twins.insert(contentsOf: [1, 1, 2].map { Twin(number: $0) }, in: database)
      for _ in 0..<3 {
        #expect(try await twins.fetchAll(in: database).count == 3)
        #expect(try await twins.distinct().fetchAll(in: database).count == 2)
        #expect(try await twins.order { $0.number }.distinct().fetchAll(in: database).count == 2)
        #expect(try await twins.order { $0.number }.fetchAll(in: database).count == 3)
      }
    }
  }

  @Test("a closure receives each row, and its error ends the iteration")
  func forEach() async throws {
    struct Stop: Error {}
    try await withTrade { database throws in
      let lines = products.order { $0.id }.select {
        Line.Columns(product: $0.name, maker: $0.name.optional, price: $0.price)
      }
      let found = try await database.read { db in
        var found: [Line] = []
        try lines.forEach(in: db) { found.append($0) }
        try lines.limit(0).forEach(in: db) { found.append($0) }
        return found
      }
      #expect(found.map(\.product) == ["Anvil", "Nut", "Rocket"])
      #expect(found.map(\.price) == [90, 0.5, 900])
      await #expect(throws: Stop.self) {
        try await database.read { db in try lines.forEach(in: db) { _ in throw Stop() } }
      }
    }
  }

  @Test("a table's clauses form one SELECT with bound values", arguments: cases)
  func select(_ example: Case) async throws {
    #expect(example.table.sql.text == example.sql)
    #expect(try example.table.sql.values == example.values)
    try await withPeople { database, _ throws in
      let expected = example.ids.map { Person.some[Int($0) - 1] }
      let hasOrder = example.sql.contains("ORDER BY")
      let rows = try await example.table.fetchAll(in: database)
      #expect((hasOrder ? rows : rows.sorted { $0.id < $1.id }) == expected)
      #expect(try await example.table.count(in: database) == expected.count)
      #expect(try await example.table.exists(in: database) == !expected.isEmpty)
      #expect(try await example.table.distinct().count(in: database) == expected.count)
      #expect(try await example.table.distinct().exists(in: database) == !expected.isEmpty)
      #expect(try await example.table.fetchOne(in: database) == rows.first)
      var streamed: [Person] = []
      try await database.read { db in
        var found: [Person] = []
        try example.table.forEach(in: db) { found.append($0) }
        return found
      }.forEach { streamed.append($0) }
      #expect(streamed == rows)
      for person in Person.some {
        #expect(
          try await example.table.find(person.id, in: database)
            == (example.ids.contains(person.id) ? person : nil))
      }
    }
  }

  @Test("a table is a value: changing a copy does not change the original")
  func immutable() {
    let all = Table<Person>()
    _ = all.where { $0.age > 1 }.limit(1)
    #expect(all.sql.text == selection)
  }

  @Test("DISTINCT removes equal rows")
  func distinct() async throws {
    #expect(people.distinct().sql.text == "SELECT DISTINCT" + selection.dropFirst(6))
  }
}

@Suite("Fetching")
struct FetchTests {
  @Test("no rows give an empty array, and failures throw")
  func empty() async throws {
    try await withPeople([]) { database, table throws in
      #expect(try await table.fetchAll(in: database) == [])
      #expect(try await table.fetchOne(in: database) == nil)
      #expect(try await table.find(1, in: database) == nil)
      #expect(try await table.count(in: database) == 0)
      #expect(try await table.exists(in: database) == false)
    }
  }

  @Test("a missing table, a missing row and an empty table give different results")
  func missing() async throws {
    try await withFile { database throws in
      let calls: [(Database) async throws -> Void] = [
        { _ = try await people.fetchAll(in: $0) },
        { _ = try await people.where { $0.age > 1 }.fetchOne(in: $0) },
        { _ = try await people.find(1, in: $0) },
        { _ = try await people.count(in: $0) },
        { try await people.deleteAll(in: $0) },
        { try await people.insert(Person.some[0], in: $0) },
      ]
      for call in calls {
        let error = try await failure { try await call(database) }
        #expect(error.summary == "prepare 1 -.- -: no such table: person")
      }
    }
    try await withPeople { database, table throws in
      #expect(try await table.find(99, in: database) == nil)
      #expect(try await table.delete(99, in: database) == false)
    }
  }

  @Test("rows above a threshold, the latest rows, and pages")
  func thresholds() async throws {
    try await withPeople { database, table throws in
      #expect(try await table.where { $0.age > 40 }.count(in: database) == 2)
      #expect(try await table.order { $0.id.descending }.fetchOne(in: database)?.id == 5)
      var seen: [Int64] = []
      for page in 0..<4 {
        seen += try await table.order { $0.id }.limit(2, offset: page * 2)
          .fetchAll(in: database).map(\.id)
      }
      #expect(seen == [1, 2, 3, 4, 5])
    }
  }

  @Test("streaming holds a single row at a time, and a throw ends it")
  func forEach() async throws {
    struct Enough: Error, Equatable { let id: Int64 }
    try await withPeople { database, table throws in
      let error = await #expect(throws: Enough.self) {
        try await table.order { $0.id }.forEach(in: database) { person in
          if person.id == 3 { throw Enough(id: person.id) }
        }
      }
      #expect(error == Enough(id: 3))
      let (checkedOut, seen) = try await database.read { db in
        var seen: [Int64] = []
        do {
          try table.order { $0.id }.forEach(in: db) { person in
            seen.append(person.id)
            if person.id == 2 { throw Enough(id: 2) }
          }
        } catch is Enough {}
        return (db.cache?.checkedOut, seen)
      }
      #expect(checkedOut == 0)
      #expect(seen == [1, 2])
      // The cached statement was reset.
      #expect(try await table.order { $0.id }.fetchAll(in: database) == Person.some)
    }
  }

  @Test("the same query can run inside its own iteration")
  func nested() async throws {
    try await withPeople { database, table throws in
      let pairs = try await database.read { db in
        var pairs = 0
        try table.forEach(in: db) { _ in try table.forEach(in: db) { _ in pairs += 1 } }
        return pairs
      }
      #expect(pairs == 25)
    }
  }
}
