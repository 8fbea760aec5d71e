import Testing

@testable import MiniORM

fileprivate typealias Step = DatabaseSchema.Step

@Table("city") private struct Town: Equatable {
  let id: Int64
  var name: String
  var mayor: String?
  var people: Int?
}

private let id = DatabaseSchema.Column.column("id", Int64.self, .primaryKey)
private let name = DatabaseSchema.Column.column("name", String.self)
private let mayor = DatabaseSchema.Column.column("mayor", String?.self)
private let people = DatabaseSchema.Column.column("people", Int?.self)

@Suite("Steps that would lose columns")
struct DroppedColumnTests {
  private static let script = """
    CREATE TABLE city (
      id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, mayor TEXT, people INTEGER,
      size INTEGER AS (length(name))
    );
    INSERT INTO city VALUES (1, 'Reims', 'Ada', 7), (2, 'Lyon', NULL, 8);
    """

  private func withCities(_ body: (Database) async throws -> Void) async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      try await database.adopt(version: 1)
      try await body(database)
    }
  }

  private func schema(_ operations: [DatabaseSchema.Operation]) -> DatabaseSchema {
    DatabaseSchema(version: 2, steps: [Step(to: 2, "smaller", operations: operations)])
  }

  @Test(
    "a rebuild that omits or computes columns is refused, and changes nothing",
    arguments: [
      (DatabaseSchema.Operation.rebuildTable("city", id, name, people), ["mayor"]),
      (.rebuildTable("CITY", id, name), ["mayor", "people"]),
      (.rebuildTable("city", id, name, values: ["name": "upper(name)"]), ["mayor", "people"]),
      // A text takes over no values.
      (.rebuildTable("city", id, name, people, values: ["name": "'mayor' || name"]), ["mayor"]),
      (
        .rebuildTable(
          "city", id, name, people, .column("mayor", String?.self, .generated("name"))),
        ["mayor"]
      ),
      (.rebuildTable("city", name, mayor, people), ["id"]),
    ])
  fileprivate func refused(rebuild: DatabaseSchema.Operation, lost: [String]) async throws {
    try await withCities { database in
      let before = try await database.read { db in try db.query("SELECT * FROM city").map(\.values)
      }
      let them = lost.count == 1 ? "it" : "them"
      for attempt in [
        { try await database.migrate(schema([rebuild])) },
        { _ = try await database.migrationPlan(for: schema([rebuild])) },
      ] {
        let error = try await failure(attempt)
        #expect(
          error.summary == """
            migrate 21 city.\(lost[0]) -: Step 2 (smaller): \(lost.count == 1 ? "Column" : "Columns") \
            \(lost.map { "city.\($0)" }.joined(separator: ", ")) would be lost: .rebuildTable does \
            not list \(them), or computes \(them). To keep the data, list \(them). To drop the data, \
            write .dropColumn("\(lost[0])", from: "city") before .rebuildTable, or call migrate with \
            allowingDrops
            """)
      }
      let after = try await database.read { db in try db.query("SELECT * FROM city").map(\.values) }
      #expect(after == before)
      // Both remedies work.
      let drops = lost.map { DatabaseSchema.Operation.dropColumn($0, from: "city") }
      _ = try await database.migrationPlan(for: schema([rebuild]), allowingDrops: true)
      if lost != ["id"] { try await database.migrate(schema(drops + [rebuild])) }
    }
  }

  @Test(
    "a rebuild whose expressions take over the omitted columns needs no permission",
    arguments: [
      ["name": "mayor || people"], ["name": "coalesce(\"Mayor\", '') || city.people"],
      ["name": "[mayor]", "id": "people"],
    ])
  func takenOver(values: [String: String]) async throws {
    try await withCities { database in
      try await database.write { db in try db.execute("UPDATE city SET mayor = 'Eve'") }
      try await database.migrate(
        schema([.rebuildTable("city", id, name, values: values)]))
      #expect(
        try await database.values("SELECT name FROM pragma_table_xinfo('city')")
          == [.text("id"), .text("name")])
    }
  }

  @Test("columns of the model survive a step that forgets them")
  func modelColumns() async throws {
    try await withFile(DatabaseSchema(Town.self)) { database throws in
      let city = Town(id: 1, name: "Reims", mayor: "Ada", people: 7)
      try await Table<Town>().insert(city, in: database)
      let schema = DatabaseSchema(
        version: 2, Town.self,
        steps: [Step(to: 2, "checked", .rebuildTable("city", id, name, people))])
      let error = try await failure { try await database.migrate(schema) }
      #expect(error.column == "mayor")
      #expect(try await Table<Town>().fetchAll(in: database) == [city])
    }
  }
}
