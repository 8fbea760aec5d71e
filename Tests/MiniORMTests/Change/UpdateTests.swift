import Testing

@testable import MiniORM

@Suite("UPDATE")
struct UpdateTests {
  @Test("updating a row by key returns false if the row is missing")
  func byKey() async throws {
    try await withPeople { database, table throws in
      var ada = Person.some[0]
      ada.age = 37
      ada.nickname = nil
      #expect(try await table.update(ada, in: database))
      #expect(try await table.fetchAll(in: database) == [ada] + Person.some.dropFirst())
      #expect(try await table.update(ada, in: database), "the row is there, if unchanged")
      #expect(try await table.update(Person(id: 99, name: "x"), in: database) == false)
      #expect(try await table.count(in: database) == 5)
    }
  }

  @Test("several rows are updated by key, or none of them")
  func contents() async throws {
    try await withPeople { database, table throws in
      #expect(try await table.update(contentsOf: [], in: database) == 0)
      var people = Person.some
      for index in people.indices { people[index].age += 1 }
      let absent = Person(id: 99, name: "absent")
      #expect(try await table.update(contentsOf: people + [absent], in: database) == 5)
      #expect(try await table.fetchAll(in: database) == people)
      var failing = people
      failing[0].name = "changed"
      failing[4].score = .nan
      let error = try await failure { [failing] in
        try await table.update(contentsOf: failing, in: database)
      }
      #expect(error.operation == .bind)
      #expect(try await table.fetchAll(in: database) == people)
    }
  }

  @Test("rows are updated by a condition; unassigned columns keep their values")
  func byCondition() async throws {
    try await withPeople { database, table throws in
      let update = table.where { $0.age == 20 && $0.name.isIn(["Bob", "Cid", "Eve"]) }.update {
        $0.age += 1
        $0.nickname = nil
        $0.score = 2.5
        $0.name = $0.name.upper()
        $0.level = 7
      }
      #expect(try await update.run(in: database) == 2)
      #expect(
        try await table.where { $0.id.isIn([2, 3]) }.fetchAll(in: database) == [
          Person(id: 2, name: "BOB", age: 21, score: 2.5, isActive: false, level: 7),
          Person(id: 3, name: "CID", age: 21, score: 2.5, isActive: true, level: 7),
        ])
      #expect(try await table.where { $0.age > 100 }.update { $0.age = 0 }.run(in: database) == 0)
      #expect(try await table.update { $0.isActive = !$0.isActive }.run(in: database) == 5)
      #expect(
        try await table.where { $0.isActive }.order { $0.id }.fetchAll(in: database).map(\.id)
          == [2, 4])
    }
  }

  @Test("the SQL of an update")
  func sql() throws {
    let update = Table<Person>().where { $0.age < 3 }.order { $0.id.descending }.limit(2).update {
      $0.age -= 1
      $0.nickname = "n"
      $0.age *= 2
    }
    #expect(
      update.sql.text == """
        UPDATE "person" SET "nickname" = ?, "age" = ("person"."age" * ?) \
        WHERE ("id") IN (SELECT "id" FROM "person" WHERE ("person"."age" < ?) \
        ORDER BY "person"."id" DESC LIMIT ?)
        """)
    #expect(try update.sql.values == [.text("n"), .integer(2), .integer(3), .integer(2)])
  }

  @Test("a closure without assignments throws")
  func nothingAssigned() async throws {
    let refusal =
      "prepare 21 -.- -: The closure of update assigns to no column: write $0.column = value"
    #expect(Table<Person>().update { _ in }.sql.text == "")
    try await withPeople { database, table throws in
      // The comparison == was written instead of the assignment =.
      let changes: [Update<Person>] = [
        table.update { _ in }, table.where { $0.id == 1 }.update { _ = $0.age == 1 },
        table.update(from: table.alias("p"), on: { $0.id == $1.id }) { _ = $0.age == $1.age },
      ]
      for change in changes {
        #expect(try await failure { try await change.run(in: database) }.summary == refusal)
        #expect(
          try await failure { try await change.returning().fetchAll(in: database) }.summary
            == refusal)
      }
      let insert = try await failure {
        try await table.insert { _ = $0.name == "x" }.run(in: database)
      }
      #expect(
        insert.summary
          == "prepare 21 -.- -: The closure of insert assigns to no column: write $0.column = value; "
          + "insertDefaultValues() inserts the defaults")
      let conflict = try await failure {
        try await table.insert(Person.some[0])
          .onConflict {
            $0.id
          } update: { row, new in
            _ = row.age == new.age
          }.run(in: database)
      }
      #expect(
        conflict.summary
          == "prepare 21 -.- -: The closure of onConflict assigns to no column: write $0.column = value"
      )
      #expect(try await table.fetchAll(in: database) == Person.some)
    }
  }

  @Test("a limit and an order select the updated rows")
  func limited() async throws {
    try await withPeople { database, table throws in
      let oldest = table.order { $0.age.descending }.limit(2)
      #expect(try await oldest.update { $0.level = 100 }.run(in: database) == 2)
      #expect(
        try await table.where { $0.level == 100 }.order { $0.id }.fetchAll(in: database).map(\.id)
          == [4, 5])
      #expect(try await table.limit(0).update { $0.level = 5 }.run(in: database) == 0)
      let middle = table.order { $0.id }.limit(1, offset: 2)
      #expect(try await middle.update { $0.name = "third" }.run(in: database) == 1)
      #expect(try await table.find(3, in: database)?.name == "third")
    }
  }

  @Test("an update that violates a constraint changes nothing")
  func constraint() async throws {
    try await withPeople { database, table throws in
      let error = try await failure {
        try await table.update { $0.id = 7 }.run(in: database)
      }
      #expect(error.summary == "step 1555 person.id -: UNIQUE constraint failed: person.id")
      #expect(try await table.fetchAll(in: database) == Person.some)
    }
  }
}
