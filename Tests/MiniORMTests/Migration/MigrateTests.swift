import Foundation
import Testing

@testable import MiniORM

@Table("note") private struct Note: Equatable {
  let id: Int64
  var text: String
  @Column(.default(sql: "  ( 1 + 2 ) ")) var number: Int
  @Column(.default(.now)) var created: Date
  var quote = "it's \"x\""
  var ratio = 1e21
  var bits = -1
}
@Table("note") private struct OtherNote: Equatable {
  let id: Int64
  @Column(.primaryKey) let text: String
  var number: Double?
  var extra = 5
  @Column(.generated("extra + 1")) var created: Int
}
@Table("bad") private struct BadDefault: Equatable {
  let id: Int64
  @Column(.default(Double.nan)) var value: Double
}

@Suite("Migration")
struct MigrateTests {
  private func version(_ database: Database) async throws -> Int32? {
    try await database.read { db in try db.value(Int32.self, "PRAGMA user_version") }
  }

  @Test("a row that already violates a foreign key does not prevent a migration")
  func oldViolation() async throws {
    try await withTemporaryPath { path throws in
      var configuration = Configuration()
      configuration.foreignKeysEnabled = false
      let before = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: configuration)
      try await before.migrate(DatabaseSchema(version: 1, Person.self))
      try await before.write { db in
        try db.execute(
          script: """
            CREATE TABLE parent(a PRIMARY KEY); CREATE TABLE child(a REFERENCES parent);
            INSERT INTO child VALUES (1);
            """)
      }
      try await before.close()
      let database = try await Database(path: path, key: .raw(testKeyBytes))
      try await database.migrate(DatabaseSchema(version: 2, Person.self, Note.self))
      #expect(try await Table<Note>().count(in: database) == 0)
      try await database.close()
    }
  }

  @Test("migrate creates missing tables, writes the version, and then does nothing")
  func creates() async throws {
    let file = TemporaryFile()
    for round in 1...2 {
      let database = try await file.open()
      #expect(try await version(database) == 0)
      try await database.migrate(DatabaseSchema(version: 3, City.self, Company.self))
      #expect(try await version(database) == 3)
      try await Table<City>().insert(City.Draft(name: "Reims"), in: database)
      try await database.migrate(DatabaseSchema(version: 3, City.self, Company.self))
      #expect(try await Table<City>().count(in: database) == 1)
      #expect(
        try await database.schemaReport(for: DatabaseSchema(City.self, Company.self))
          == SchemaReport(differences: []))
      try await database.close()
      if round == 1 {
        let again = try await file.open()
        #expect(try await version(again) == 3)
        #expect(try await Table<City>().count(in: again) == 1)
        try await again.close()
        // The version is stored in the file.
        try Database.delete(path: file.path)
      }
    }
  }

  @Test("a schema takes its models from arrays")
  func arrays() async throws {
    let parts: [[any Model.Type]] = [[City.self], [Company.self]]
    let all = parts.flatMap { $0 }
    try await withFile(DatabaseSchema(all)) { database throws in
      #expect(
        try await database.schemaReport(for: DatabaseSchema(City.self, Company.self))
          == SchemaReport(differences: []))
      let step = DatabaseSchema.Step(
        to: 2, "a city", .sql("INSERT INTO city (name) VALUES ('Reims')"))
      try await database.migrate(DatabaseSchema(version: 2, all, steps: [step]))
      #expect(try await Table<City>().fetchAll(in: database).map(\.name) == ["Reims"])
      #expect(DatabaseSchema(version: 2, all, objects: []).version == 2)
    }
  }

  @Test("a new model's table is created beside existing tables")
  func adds() async throws {
    try await withFile(DatabaseSchema(City.self)) { database throws in
      try await database.migrate(DatabaseSchema(City.self, Company.self, Note.self))
      #expect(try await Table<Note>().insert(Note.Draft(text: "n"), in: database).number == 3)
      try await database.migrate(DatabaseSchema(Note.self))
      #expect(try await Table<City>().count(in: database) == 0)
    }
  }

  @Test("a newer file and a file without a version are refused, and nothing changes")
  func refuses() async throws {
    try await withFile(DatabaseSchema(version: 2, City.self)) { database throws in
      let newer = try await failure {
        try await database.migrate(DatabaseSchema(version: 1, City.self, Note.self))
      }
      #expect(
        newer.summary
          == "migrate 21 -.- -: The file has version 2, which is newer than this program's 1: update the program"
      )
      for number in [Int32(0), -1, .min] {
        let zero = try await failure { try await database.migrate(DatabaseSchema(version: number)) }
        #expect(zero.summary == "migrate 21 -.- -: A schema's version must be at least 1")
      }
      #expect(try await version(database) == 2)
      #expect(
        try await database.schemaReport(for: DatabaseSchema(Note.self)).differences == [
          .missingTable("note")
        ])
    }
    let file = TemporaryFile()
    let database = try await file.open()
    try await database.write { db in try db.execute(script: "CREATE TABLE other (x)") }
    let unversioned = try await failure { try await database.migrate(DatabaseSchema(City.self)) }
    #expect(
      unversioned.summary
        == "migrate 21 -.- -: The file contains tables but no version: user_version is 0. If an "
        + "earlier version of this program, or another library, created them, call "
        + "adopt(version: 1) before migrate"
    )
    #expect(unversioned.path == file.path)
    #expect(try await version(database) == 0)
    try await database.close()
  }

  @Test("a table that differs from its model is refused, with every difference")
  func differs() async throws {
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      let error = try await failure {
        try await database.migrate(DatabaseSchema(City.self, OtherNote.self))
      }
      #expect(
        error.summary
          == "migrate 21 note.created -: Columns note.created, note.quote, note.ratio, note.bits would "
          + "be lost: the model does not have them, or computes them. To drop the data, write a step "
          + "with .dropColumn(\"created\", from: \"note\"), or call migrate with allowingDrops. "
          + "If a column was renamed, declare the property with renamedFrom: \"created\"")
      #expect(
        try await database.schemaReport(for: DatabaseSchema(City.self)).differences == [
          .missingTable("city")
        ])
    }
  }

  @Test("a default that cannot be stored throws an error with table and column")
  func badDefault() async throws {
    try await withFile { database throws in
      let error = try await failure {
        try await database.migrate(DatabaseSchema(City.self, BadDefault.self))
      }
      #expect(
        error.summary
          == "migrate 20 bad.value -: NaN cannot be stored: SQLite would turn it into NULL. "
          + "Use an Optional for a missing number")
      #expect(
        try await database.schemaReport(for: DatabaseSchema(City.self)).differences == [
          .missingTable("city")
        ])
    }
  }

  @Test("two databases of the same file can migrate at the same time")
  func concurrent() async throws {
    let file = TemporaryFile()
    let (first, second) = (try await file.open(), try await file.open())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for database in [first, second, first, second] {
        group.addTask {
          try await database.migrate(DatabaseSchema(City.self, Company.self, Note.self))
        }
      }
      try await group.waitForAll()
    }
    for database in [first, second] {
      #expect(
        try await database.schemaReport(for: DatabaseSchema(City.self, Company.self, Note.self))
          .isEmpty)
      try await database.close()
    }
  }
}
