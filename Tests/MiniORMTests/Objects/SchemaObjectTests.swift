import Testing

@testable import MiniORM

@Selection
private struct MakerLine: Equatable {
  let name: String
  let products: Int
}

@Table("tally")
private struct Tally: Equatable {
  let id: Int64
  var name: String
  var count: Int
}

enum Titled {
  @Table("maker")
  struct Maker {
    let id: Int64
    @Column(renamedFrom: "name") var title: String
  }
}

private let someMakers = makers.where { $0.id > 1 }
private let tallies = Table<Tally>()

private let lines = DatabaseView(
  "maker_line",
  as: makers.leftJoin(products).where { maker, product in maker.name != "it's \"?\"" }
    .group { $0.0.id }
    .select { maker, product in
      MakerLine.Columns(name: maker.name, products: product.id.count())
    })

private let counted = Trigger("product_counted", .after, insertInto: products) { new in
  [
    tallies.where { $0.id == new.makerID }.update { $0.count += 1 }.sql,
    "INSERT OR IGNORE INTO tally (id, name, count) VALUES (\(new.makerID), \("it's new"), 1)",
  ]
}

private func schema(version: Int32 = 1, _ objects: any SchemaObject...) -> DatabaseSchema {
  DatabaseSchema(
    version: version, Maker.self, Product.self, Tally.self, objects: objects)
}

private func objects(in database: Database) async throws -> [String] {
  try await database.read { db in
    try db.query(
      "SELECT type || ' ' || name FROM sqlite_schema WHERE type IN ('view', 'trigger') ORDER BY rowid"
    ).map { row in if case .text(let text)? = row.values.first { text } else { "" } }
  }
}

// Not in the arguments of @Test: a macro's arguments cannot see the results of other macros.
private let brokenObjects: [(any SchemaObject, String)] = [
  (
    DatabaseView("broken", as: makers.where(sql: "nonsense = 1")),
    "The view broken does not compile: no such column: nonsense"
  ),
  (
    Trigger("broken", .after, insertInto: makers) { _ in ["DELETE FROM missing"] },
    "The trigger broken does not compile: no such table: main.missing"
  ),
  (
    Trigger("broken", .before, deleteFrom: makers) { old in
      ["UPDATE maker SET x = \(old.name)"]
    },
    "The trigger broken does not compile: no such column: x"
  ),
  (
    Trigger("broken", .after, update: makers, of: { ($0.name, $0.founded) }) { _, new in
      ["SELECT new.x"]
    },
    "The trigger broken does not compile: no such column: new.x"
  ),
  (
    Trigger("broken", .after, update: makers) { old, new in
      ["SELECT old.x"]
    },
    "The trigger broken does not compile: no such column: old.x"
  ),
]

@Suite("Views and triggers of a schema")
struct SchemaObjectTests {
  @Test("a view is created from its query, and read like a table")
  func view() async throws {
    try await withFile(schema(lines)) { database throws in
      try await database.write { db in
        try makers.insert(contentsOf: Maker.some, in: db)
        try products.insert(contentsOf: Product.some, in: db)
      }
      #expect(
        try lines.definitions.map(\.sql) == [
          """
          CREATE VIEW "maker_line" AS SELECT "maker"."name" AS "name", \
          count("product"."id") AS "products" FROM "maker" LEFT JOIN "product" ON \
          ("product"."maker_id" = "maker"."id") WHERE ("maker"."name" <> 'it''s "?"') \
          GROUP BY "maker"."id"
          """
        ])
      try await expect(
        lines.where { $0.products > 0 }.order { $0.products.descending },
        """
        SELECT "maker_line"."name" AS "name", "maker_line"."products" AS "products" \
        FROM "maker_line" WHERE ("maker_line"."products" > ?) \
        ORDER BY "maker_line"."products" DESC
        """, [.integer(0)],
        rows: [MakerLine(name: "Acme", products: 2), MakerLine(name: "Bolt", products: 1)],
        in: database)
      try await expect(
        lines.order { ($0.products, $0.name.descending) }.limit(1),
        """
        SELECT "maker_line"."name" AS "name", "maker_line"."products" AS "products" \
        FROM "maker_line" ORDER BY "maker_line"."products", "maker_line"."name" DESC LIMIT ?
        """, [.integer(1)], rows: [MakerLine(name: "Cog", products: 0)], in: database)
      // A view joins like a table.
      let joined = makers.join(lines) { $0.name == $1.name }.select { ($0.id, $1.products) }
      #expect("\(try await joined.fetchAll(in: database))" == "[(1, 2), (2, 1), (3, 0)]")
      #expect(try await database.schemaReport(for: schema(lines)).isEmpty)
    }
  }

  @Test("a view of model rows returns the model, also with a list in its condition")
  func viewOfModel() async throws {
    let some = DatabaseView("some_makers", as: makers.where { $0.name.isIn(["Acme", "it's"]) })
    try await withFile(schema(some)) { database throws in
      try await makers.insert(contentsOf: Maker.some, in: database)
      #expect(
        try some.definitions.map(\.sql) == [
          """
          CREATE VIEW "some_makers" AS SELECT "maker"."id" AS "id", \
          "maker"."name" AS "name", "maker"."founded" AS "founded" FROM "maker" \
          WHERE ("maker"."name" IN ('Acme', 'it''s'))
          """
        ])
      #expect(try await some.fetchAll(in: database) == [Maker.some[0]])
      #expect(try await some.where { $0.id == 2 }.fetchAll(in: database) == [])
    }
  }

  @Test("a trigger runs its statements once per row")
  func trigger() async throws {
    let renamed = Trigger(
      "maker_renamed", .after, update: makers, of: { $0.name },
      when: { old, new in old.name != new.name }
    ) { old, new in
      ["UPDATE tally SET name = \(old.name) || '>' || \(new.name) WHERE id = \(new.id)"]
    }
    let deleted = Trigger("product_gone", .before, deleteFrom: products) { old in
      [tallies.where { $0.id == old.makerID }.update { $0.count -= 1 }.sql]
    }
    try await withFile(schema(counted, renamed, deleted)) { database throws in
      try await makers.insert(contentsOf: Maker.some, in: database)
      try await products.insert(contentsOf: Product.some, in: database)
      #expect(
        try await tallies.fetchAll(in: database) == [
          Tally(id: 1, name: "it's new", count: 2), Tally(id: 2, name: "it's new", count: 1),
        ])
      try await makers.where { $0.id == 1 }.update { $0.name = "Apex" }.run(in: database)
      try await makers.where { $0.id == 2 }.update { $0.name = "Bolt" }.run(in: database)
      try await products.delete(3, in: database)
      #expect(
        try await tallies.fetchAll(in: database) == [
          Tally(id: 1, name: "Acme>Apex", count: 1), Tally(id: 2, name: "it's new", count: 1),
        ])
      #expect(try await database.schemaReport(for: schema(counted, renamed, deleted)).isEmpty)
    }
  }

  @Test("an INSTEAD OF trigger makes a view writable")
  func insteadOf() async throws {
    let write = Trigger("maker_line_insert", .insteadOf, insertInto: lines) { new in
      ["INSERT INTO maker (name) VALUES (\(new.name))"]
    }
    try await withFile(schema(lines, write)) { database throws in
      try await database.write { db in
        _ = try db.execute("INSERT INTO maker_line (name) VALUES ('Dyno')")
      }
      #expect(
        try await lines.fetchAll(in: database) == [MakerLine(name: "Dyno", products: 0)])
    }
  }

  @Test("undeclared objects are dropped, different objects are replaced, and others stay")
  func changes() async throws {
    try await withFile(schema(lines, counted)) { database throws in
      try await database.write { db in
        _ = try db.query("CREATE VIEW mine AS SELECT * FROM maker")
        _ = try db.query("CREATE TRIGGER my_own AFTER DELETE ON maker BEGIN SELECT 1; END")
      }
      let other = DatabaseView(
        "maker_line", as: makers.select { MakerLine.Columns(name: $0.name, products: SQL.count()) })
      let next = schema(other)
      #expect(
        try await database.schemaReport(for: next).differences == [
          .differentObject(
            type: "view", name: "maker_line", file: try lines.definitions[0].sql,
            model: try other.definitions[0].sql),
          .extraObject(type: "trigger", name: "product_counted"),
        ])
      #expect(
        try await database.migrationPlan(for: next).transactions.map(\.statements) == [
          [
            "PRAGMA foreign_keys = OFF", "DROP VIEW \"maker_line\"",
            "DROP TRIGGER \"product_counted\"", try other.definitions[0].sql,
            "INSERT INTO miniorm_migrations (version, name) VALUES (1, 'changes that follow from the models')",
            "PRAGMA user_version = 1", "PRAGMA foreign_keys = ON",
          ]
        ])
      try await database.migrate(next)
      #expect(try await database.schemaReport(for: next).isEmpty)
      #expect(
        try await objects(in: database) == ["view mine", "trigger my_own", "view maker_line"])
      try await database.migrate(schema(other, counted))
      #expect(
        try await objects(in: database) == [
          "view mine", "trigger my_own", "view maker_line", "trigger product_counted",
        ])
    }
  }

  @Test("a view follows a renamed column, and a dropped table's view is handled")
  func renamed() async throws {
    let before = DatabaseView(
      "names",
      as: makers.where { $0.founded != nil }.select {
        MakerLine.Columns(name: $0.name, products: SQL.count())
      })
    let after = DatabaseView(
      "names",
      as: Table<Titled.Maker>().select { MakerLine.Columns(name: $0.title, products: SQL.count()) })
    let touched = Trigger("touched", .after, update: makers) { _, new in
      ["SELECT \(new.founded)"]
    }
    try await withFile(DatabaseSchema(Maker.self, objects: [before, touched])) { database throws in
      try await makers.insert(contentsOf: Maker.some, in: database)
      try await database.migrate(
        DatabaseSchema(
          version: 2, Titled.Maker.self, objects: [after],
          steps: [
            DatabaseSchema.Step(to: 2, "no founding", .dropColumn("founded", from: "maker"))
          ]))
      #expect(
        try await after.fetchAll(in: database) == [MakerLine(name: "Acme", products: 3)])
      #expect(try await objects(in: database) == ["view names"])
    }
  }

  @Test(
    "invalid objects are found before anything changes",
    arguments: [
      (
        schema(counted, counted), nil,
        "Two triggers of the schema are named product_counted: rename one of them"
      ),
      (
        schema(lines, DatabaseView("MAKER_line", as: makers)), nil,
        "Two tables or views of the schema are named MAKER_line: rename one of them"
      ),
      (
        schema(DatabaseView("maker", as: makers)), nil,
        "Two tables or views of the schema are named maker: rename one of them"
      ),
      (
        schema(DatabaseView("miniorm_view", as: makers)), nil,
        "The name miniorm_view is reserved: choose a name that does not begin with miniorm_"
      ),
      (
        schema(Trigger("empty", .after, insertInto: makers) { _ in [] }), nil,
        "The trigger empty has no statements: add a statement"
      ),
      (
        schema(
          Trigger("none", .after, insertInto: makers) { _ in [tallies.update { _ in }.sql] }), nil,
        "The closure of update assigns to no column: write $0.column = value"
      ),
      (
        schema(
          Trigger("some", .after, insertInto: someMakers) { _ in ["SELECT 1"] }),
        nil,
        "The trigger some is created on filtered rows: use the whole table or view, with unscoped() if the model has a default scope, and pass the condition to when:"
      ),
      (
        schema(DatabaseView("taken", as: makers)), "CREATE TABLE taken (a)",
        "The table taken of the file differs from its declaration, and its rows would be lost: write a step "
          + "that keeps or drops them"
      ),
    ] as [(DatabaseSchema, String?, String)])
  func mistakes(schema: DatabaseSchema, script: String?, message: String) async throws {
    try await withFile(DatabaseSchema(Maker.self, Product.self, Tally.self)) { database throws in
      if let script { try await database.write { try $0.execute(script: script) } }
      let error = await #expect(throws: DatabaseError.self) { try await database.migrate(schema) }
      #expect(error?.message == message)
      #expect(error?.operation == .migrate)
      #expect(error?.code == .misuse)
      #expect(try await objects(in: database) == [])
    }
  }

  @Test(
    "objects that SQLite creates unchecked, but that do not compile, are refused",
    arguments: brokenObjects)
  func broken(object: any SchemaObject, message: String) async throws {
    try await withFile(DatabaseSchema(Maker.self)) { database throws in
      for schema in [
        DatabaseSchema(Maker.self, objects: [object]),
        DatabaseSchema(Maker.self, Part.self, objects: [object]),
      ] {
        let error = await #expect(throws: DatabaseError.self) {
          try await database.migrate(schema)
        }
        #expect(error?.operation == .migrate)
        #expect(error?.message == message)
        #expect(try await objects(in: database) == [])
      }
    }
    try await withTemporaryDatabase { database throws in
      let error = await #expect(throws: DatabaseError.self) {
        try await database.migrate(DatabaseSchema(Maker.self, objects: [object]))
      }
      #expect(error?.message == message)
    }
  }
}
