public import MiniORM
import Testing

@Table struct EntryCity: Identifiable, Hashable {
  let id: Int64
  @Column(.unique) var name: String
  var population = 0
  @Column(.default(sql: "'none'")) var note: String
}

/// A model that is its own draft, with public members.
@Table public struct EntryTag: Sendable, Hashable {
  /// The key.
  @Column(.primaryKey) public var code: String
  /// An optional column.
  public var label: String?
}

typealias EntryKey = Int
@Table struct EntryAlias: Identifiable, Hashable {
  let id: EntryKey
  var name: String
}

@Table(primaryKey: ["row", "column"]) struct EntrySeat: Hashable {
  var row: Int
  var column: Int
  var guest: String?
}

@Suite("A model's type as the entry point")
struct ModelTypeTests {
  private func withDatabase(_ body: (Database) async throws -> Void) async throws {
    try await withTemporaryDatabase { database in
      try await database.migrate(
        DatabaseSchema(EntryCity.self, EntryTag.self, EntryAlias.self, EntrySeat.self))
      try await body(database)
    }
  }

  @Test("insert, where and find on the type equal the calls on its table")
  func calls() async throws {
    try await withDatabase { database in
      let reims = try await EntryCity.insert(
        .init(name: "Reims", population: 180_000), in: database)
      #expect(reims.note == "none")
      let metz = try await database.write { db in
        try EntryCity.insert(.init(name: "Metz", note: "east"), in: db)
      }
      let tables = Table<EntryCity>()
      let nancy = try await tables.insert(.init(name: "Nancy"), in: database)
      #expect(try await EntryCity.all.fetchAll(in: database) == [reims, metz, nancy])
      #expect(
        try await EntryCity.where { $0.population > 0 }.fetchAll(in: database) == [reims])
      #expect(try await EntryCity.find(metz.id, in: database) == metz)
      #expect(try await database.read { try EntryCity.find(99, in: $0) } == nil)
      let whole = EntryCity(id: 50, name: "Lyon", population: 1, note: "")
      #expect(try await EntryCity.insert(whole, in: database) == whole)
    }
  }

  @Test("a model that is its own draft can be inserted without its type's name")
  func ownDraft() async throws {
    try await withDatabase { database in
      let tag = try await EntryTag.insert(.init(code: "a", label: nil), in: database)
      #expect(try await EntryTag.find("a", in: database) == tag)
      let seat = try await Table<EntrySeat>().insert(.init(row: 1, column: 2), in: database)
      #expect(try await EntrySeat.find((1, 2), in: database) == seat)
    }
  }

  @Test("a draft of a row has the row's values, without the key that the database assigns")
  func copies() async throws {
    try await withDatabase { database in
      let reims = try await EntryCity.insert(.init(name: "Reims", population: 7), in: database)
      var draft = EntryCity.Draft(reims)
      #expect(draft == EntryCity.Draft(name: "Reims", population: 7, note: "none"))
      draft.name = "Reims-2"
      let copy = try await EntryCity.insert(draft, in: database)
      #expect(copy == EntryCity(id: reims.id + 1, name: "Reims-2", population: 7, note: "none"))
      let named = try await EntryAlias.insert(.init(name: "x"), in: database)
      #expect(EntryAlias.Draft(named) == EntryAlias.Draft(name: "x"))
      let tag = EntryTag(code: "a", label: "b")
      #expect(EntryTag.Draft(tag) == tag)
    }
  }

  @Test("upsert without a target uses the primary key")
  func upserts() async throws {
    try await withDatabase { database in
      let seats = EntrySeat.all
      for (guest, expected) in [("Ann", "inserted"), ("Bo", "updated"), ("Bo", "unchanged")] {
        let seat = EntrySeat(row: 1, column: 1, guest: guest)
        let outcome = try await seats.upsert(seat, in: database)
        #expect(outcome.row == seat)
        #expect("\(outcome)".hasPrefix(expected))
      }
      let reims = try await EntryCity.insert(.init(name: "Reims"), in: database)
      try await EntryCity.insert(.init(name: "Metz"), in: database)
      let renamed = EntryCity(id: reims.id, name: "Metz", population: 0, note: "")
      let conflict = await #expect(throws: DatabaseError.self) {
        try await EntryCity.all.upsert(renamed, in: database)
      }
      #expect(conflict?.code == .constraintUnique)
    }
  }

  @Test("upsert takes the initializer of a draft without its type's name")
  func draftedUpserts() async throws {
    try await withDatabase { database in
      let cities = Table<EntryCity>()
      let reims = try await cities.upsert(
        .init(name: "Reims", population: 7, note: "old"), onConflict: { $0.name }, in: database)
      #expect("\(reims)".hasPrefix("inserted"))
      let second = try await cities.upsert(
        .init(name: "Reims", population: 8, note: "new"), onConflict: { $0.name },
        updating: { $0.population }, in: database)
      #expect(second.row == EntryCity(id: reims.row.id, name: "Reims", population: 8, note: "old"))
      let (third, fourth) = try await database.write { db in
        (
          try cities.upsert(.init(name: "Reims", population: 8), onConflict: { $0.name }, in: db),
          try cities.upsert(
            .init(name: "Reims", note: "x"), onConflict: { $0.name }, updating: { $0.note },
            in: db)
        )
      }
      #expect(third.row.population == 8)
      #expect(
        fourth.row == EntryCity(id: reims.row.id, name: "Reims", population: 8, note: "x"))
      // A model that is its own draft, as a value and as an initializer, with and without a target.
      let tags = Table<EntryTag>()
      let tag = EntryTag(code: "a", label: "b")
      let outcomes = [
        try await tags.upsert(tag, onConflict: { $0.code }, in: database),
        try await tags.upsert(.init(code: "a", label: "b"), onConflict: { $0.code }, in: database),
        try await tags.upsert(.init(code: "a", label: "b"), in: database),
        try await tags.upsert(tag, in: database),
      ]
      let rows = outcomes.map(\.row)
      #expect(rows == [tag, tag, tag, tag])
    }
  }

  @Test("a frequent error says what to do")
  func remedies() async throws {
    try await withTemporaryDatabase(script: "CREATE TABLE EntryTag (code TEXT PRIMARY KEY)") {
      database in
      let missing = await #expect(throws: DatabaseError.self) {
        try await EntryCity.all.fetchAll(in: database)
      }
      #expect(missing?.recoverySuggestion?.contains("migrate") == true)
      #expect("\(missing!)".contains("Call migrate"))
      let older = await #expect(throws: DatabaseError.self) {
        try await EntryTag.all.fetchAll(in: database)
      }
      #expect(older?.recoverySuggestion?.contains("migrate") == true)
      let column = await #expect(throws: DatabaseError.self) {
        try await EntryTag.insert(.init(code: "a", label: nil), in: database)
      }
      #expect(column?.recoverySuggestion?.contains("migrate") == true)
      let reading = await #expect(throws: DatabaseError.self) {
        try await database.read { try $0.execute("DELETE FROM EntryTag") }
      }
      #expect(reading?.recoverySuggestion?.contains("write") == true)
      #expect(DatabaseError(.step, code: .full, "x").recoverySuggestion == nil)
    }
  }
}
