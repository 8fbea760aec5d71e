import Testing

@testable import MiniORM

@Suite("EXPLAIN QUERY PLAN")
struct QueryPlanTests {
  private func withIndexedPeople(_ body: (Database, Table<Person>) async throws -> Void)
    async throws
  {
    try await withPeople { database, people throws in
      try await database.write { db throws in
        try db.execute(
          script: """
            CREATE INDEX by_name ON person(name);
            CREATE INDEX "by name and ""age""\" ON person(nickname, age);
            CREATE TABLE other(id INTEGER PRIMARY KEY, person INTEGER);
            """)
      }
      try await body(database, people)
    }
  }

  @Test("a plan distinguishes scans from searches, and names the index")
  func questions() async throws {
    try await withIndexedPeople { database, people throws in
      let cases: [(Table<Person>, detail: [String], scans: Bool, index: String?)] = [
        (people, ["SCAN person"], true, nil),
        (
          people.where { $0.id == 3 }, ["SEARCH person USING INTEGER PRIMARY KEY (rowid=?)"], false,
          nil
        ),
        (
          people.where { $0.name == "Ada" }, ["SEARCH person USING INDEX by_name (name=?)"], false,
          "by_name"
        ),
        (
          people.where { $0.nickname == "C" && $0.age > 3 },
          [#"SEARCH person USING INDEX by name and "age" (nickname=? AND age>?)"#], false,
          #"by name and "age""#
        ),
        (people.order { $0.name }, ["SCAN person USING INDEX by_name"], true, "by_name"),
        (people.order { $0.age }, ["SCAN person", "USE TEMP B-TREE FOR ORDER BY"], true, nil),
      ]
      for (table, details, scans, index) in cases {
        let plan = try await table.queryPlan(in: database)
        #expect(plan.steps.map(\.detail) == details)
        #expect(plan.scans("person") == scans)
        #expect(plan.searches("person") == !scans)
        #expect(!plan.scans("pers") && !plan.searches("pers") && !plan.scans("ORDER"))
        for name in ["by_name", #"by name and "age""#, "by", "by name", "by_nam", ""] {
          #expect(plan.uses(index: name) == (name == index))
        }
      }
    }
  }

  @Test("the plan of a prepared query's SQL")
  func prepared() async throws {
    try await withIndexedPeople { database, people throws in
      let byName = PreparedQuery(String.self) { name in people.where { $0.name == name } }
      let plan = try await database.read { db in try db.queryPlan(byName.sql("Ada")) }
      #expect(plan.uses(index: "by_name") && !plan.scans("person"))
    }
  }

  @Test("a plan is a tree, printed as SQLite's shell does")
  func tree() async throws {
    try await withIndexedPeople { database, people throws in
      let sql: SQL = """
        SELECT p.name, o.person, (SELECT count(*) FROM other) FROM person p LEFT JOIN other o ON o.id = p.age
        WHERE p.name = \("Ada") OR p.id = 5 ORDER BY p.age
        """
      let plan = try await database.read { db in try db.queryPlan(sql) }
      #expect(
        plan.description == """
          QUERY PLAN
          |--MULTI-INDEX OR
          |  |--INDEX 1
          |  |  `--SEARCH p USING INDEX by_name (name=?)
          |  `--INDEX 2
          |     `--SEARCH p USING INTEGER PRIMARY KEY (rowid=?)
          |--SEARCH o USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
          |--SCALAR SUBQUERY 1
          |  `--SCAN other
          `--USE TEMP B-TREE FOR ORDER BY
          """)
      #expect(plan.scans("other") && plan.uses(index: "by_name"))
      #expect(plan.searches("p") && plan.searches("o") && !plan.scans("p"))
      #expect(plan.steps.first?.steps.map(\.detail) == ["INDEX 1", "INDEX 2"])
    }
  }

  @Test("updates, deletions and raw SQL are explained and not run")
  func writes() async throws {
    try await withIndexedPeople { database, people throws in
      let some = people.where { $0.name == "Ada" }
      #expect(some.delete().sql.text == #"DELETE FROM "person" WHERE ("person"."name" = ?)"#)
      #expect(try some.delete().sql.values == [.text("Ada")])
      #expect(people.delete().sql.text == #"DELETE FROM "person""#)
      let plans = try await database.read { db in
        [
          try db.queryPlan(some.update { $0.age += 1 }.sql), try db.queryPlan(some.delete().sql),
          try db.queryPlan("SELECT * FROM person WHERE name = :name", ["name": "Ada"]),
        ]
      }
      for plan in plans { #expect(plan.uses(index: "by_name")) }
      #expect(try await people.fetchAll(in: database) == Person.some)
      let error = try await failure {
        try await database.read { db in try db.queryPlan("SELECT nope") }
      }
      #expect(
        error.facts
          == ErrorFacts(
            .prepare, .error, "no such column: nope", sql: "EXPLAIN QUERY PLAN SELECT nope",
            offset: 26))
    }
  }
}
