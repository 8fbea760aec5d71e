import Foundation
import Testing

@testable import MiniORM

@Table("contact", options: []) private struct Contact: Equatable {
  let id: Int64
  var name: String
  @Column(.type("DATETIME"), .default(sql: "CURRENT_TIMESTAMP"), as: .textSeconds)
  var created: Date?
}
@Table("stamp") private struct Stamp: Equatable {
  let id: Int64
  @Column(.default(.now), as: .textSeconds) var whole: Date
  var text: Date
  @Column(as: .iso8601) var iso: Date
  @Column(as: .unixMilliseconds) var milliseconds: Date
}
@Table("stamp") private struct WholeStamp: Equatable {
  let id: Int64
  @Column(.default(.now)) var whole: Date
  @Column(as: .textSeconds) var text: Date
  @Column(as: .textSeconds) var iso: Date
  @Column(as: .textSeconds) var milliseconds: Date
}

private let contacts = Table<Contact>()
private let stamps = Table<Stamp>()
private let moment = Date(timeIntervalSince1970: 1_700_000_000)

@Suite("Dates as text with whole seconds")
struct TextSecondsTests {
  @Test(
    "a date is stored as the last whole second that is not later",
    arguments: [
      (0, "1970-01-01 00:00:00"), (1_700_000_000, "2023-11-14 22:13:20"),
      (1_700_000_000.5, "2023-11-14 22:13:20"), (1_700_000_000.999, "2023-11-14 22:13:20"),
      (1_700_000_000.999_999_9, "2023-11-14 22:13:21"), (-0.25, "1969-12-31 23:59:59"),
      (-62_167_219_200, "0000-01-01 00:00:00"), (253_402_300_799.9, "9999-12-31 23:59:59"),
    ] as [(Double, String)])
  func stored(seconds: Double, text: String) throws {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(try DatabaseValue(date, as: .textSeconds) == .text(text))
    let read = try DatabaseValue.text(text).value(as: TextSeconds.self).value
    #expect(read.timeIntervalSince1970 == (seconds + 5e-7).rounded(.down))
  }

  @Test(
    "a date without such a text is refused",
    arguments: [-62_167_219_200.5, 253_402_300_800, .infinity, -.infinity, .nan, 1e300])
  func refused(seconds: Double) throws {
    let date = Date(timeIntervalSince1970: seconds)
    let error = #expect(throws: DatabaseError.self) { try DatabaseValue(date, as: .textSeconds) }
    #expect(error?.message.contains("outside the years 0 to 9999") ?? false)
  }

  @Test("DEFAULT CURRENT_TIMESTAMP of an existing table is a Date, and no cell or object changes")
  func existing() async throws {
    let script = """
      CREATE TABLE contact (
        id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, created DATETIME DEFAULT CURRENT_TIMESTAMP);
      INSERT INTO contact (id, name) VALUES (1, 'a');
      INSERT INTO contact VALUES (2, 'b', '2023-11-14 22:13:20'), (3, 'c', NULL);
      """
    try await withTemporaryDatabase(script: script) { database in
      let contents = { () async throws -> [DatabaseValue] in
        try await database.values("SELECT id || quote(name) || quote(created) FROM contact")
      }
      let sql = try await database.values("SELECT sql FROM sqlite_schema WHERE name = 'contact'")
      let cells = try await contents()
      try await database.adopt(version: 1)
      let schema = DatabaseSchema(Contact.self)
      #expect(try await database.schemaReport(for: schema, checkingRows: true).isEmpty)
      try await database.migrate(schema)
      let rows = try await contacts.order { $0.id }.fetchAll(in: database)
      #expect(rows.dropFirst().map(\.created) == [moment, nil])
      for row in rows { try await contacts.update(row, in: database) }
      #expect(try await contents() == cells)
      #expect(
        try await database.values("SELECT sql FROM sqlite_schema WHERE name = 'contact'") == sql)
      // The database's default, and a date of the program, equal their texts.
      let start = Date()
      try await contacts.insert(Contact.Draft(name: "d"), in: database)
      try await contacts.insert(Contact.Draft(name: "e", created: moment + 0.5), in: database)
      let added = try await contacts.where { $0.id > 3 }.order { $0.id }.fetchAll(in: database)
      let created = try #require(added.first?.created)
      #expect(created > start - 1 && created <= Date())
      #expect(added.last?.created == moment)
      #expect(try await contacts.where { $0.created == created }.count(in: database) >= 1)
      #expect(try await contacts.where { $0.created == moment }.count(in: database) == 2)
      #expect(try await contacts.where { $0.created <= moment + 0.5 }.count(in: database) == 2)
      #expect(try await contacts.where { $0.created > moment + 0.5 }.count(in: database) == 2)
      #expect(try await contacts.where { $0.created == moment + 0.5 }.count(in: database) == 0)
    }
  }

  @Test("texts with a fraction or a zone are read, reported, and rewritten by a step")
  func spellings() async throws {
    try await withFile(DatabaseSchema(Contact.self)) { database throws in
      try await database.write { db in
        try db.execute(
          script: """
            INSERT INTO contact VALUES (1, 'a', '2023-11-14 22:13:20'), (2, 'b', '2023-11-14T22:13:20Z'),
              (3, 'c', '2023-11-14 22:13:20.500');
            """)
      }
      let rows = try await contacts.order { $0.id }.fetchAll(in: database)
      #expect(rows.map(\.created) == [moment, moment, moment + 0.5])
      let schema = DatabaseSchema(Contact.self)
      #expect(
        try await database.schemaReport(for: schema, checkingRows: true).differences == [
          .otherSpellings(table: "contact", column: "created", rows: 2, type: "TextSeconds?")
        ])
      let found = try await contacts.where { $0.created == moment + 0.5 }.fetchAll(in: database)
      #expect(found.map(\.id) == [3])
      let step = DatabaseSchema.Step(
        to: 2, "one spelling", .convertColumn("created", to: TextSeconds?.self, in: "contact"))
      let later = DatabaseSchema(version: 2, Contact.self, steps: [step])
      try await database.migrate(later)
      #expect(
        try await database.values("SELECT DISTINCT created FROM contact")
          == [.text("2023-11-14 22:13:20")])
      #expect(try await database.schemaReport(for: later, checkingRows: true).isEmpty)
    }
  }

  @Test("SQL converts between this format and the others as binding does")
  func assigned() async throws {
    try await withFile(DatabaseSchema(Stamp.self)) { database throws in
      for fraction in [0, 0.25, 0.999] as [Double] {
        let date = moment + fraction
        try await stamps.deleteAll(in: database)
        try await stamps.insert(
          Stamp(id: 1, whole: .distantPast, text: date, iso: date, milliseconds: date),
          in: database)
        let sources: [KeyPath<Stamp.Columns, MiniORM.SQLExpression<Date>>] = [
          \.text, \.iso, \.milliseconds,
        ]
        for source in sources {
          try await stamps.update { $0.whole = Stamp.columns[keyPath: source] }.run(in: database)
          #expect(
            try await database.values("SELECT whole FROM stamp") == [.text("2023-11-14 22:13:20")])
          let isEqual = try await stamps.where { $0.whole == $0[keyPath: source] }.exists(
            in: database)
          #expect(isEqual == (fraction == 0))
          #expect(
            try await stamps.where { $0.whole <= $0[keyPath: source] }.exists(in: database))
        }
        try await stamps.update {
          $0.text = $0.whole
          $0.iso = $0.whole
          $0.milliseconds = $0.whole
          $0.whole = Stamp.columns.whole.applying(.days(1)) ?? Stamp.columns.whole
        }.run(in: database)
        #expect(
          try await stamps.fetchAll(in: database) == [
            Stamp(id: 1, whole: moment + 86_400, text: moment, iso: moment, milliseconds: moment)
          ])
        let day = try await stamps.select { $0.whole.date() }.fetchAll(in: database)
        #expect(day == ["2023-11-15"])
      }
    }
  }

  @Test("a migration converts whole seconds exactly, and refuses a fraction", arguments: [0, 0.5])
  func migrated(fraction: Double) async throws {
    try await withFile(DatabaseSchema(Stamp.self)) { database throws in
      let date = moment + fraction
      let row = Stamp(id: 1, whole: moment, text: date, iso: date, milliseconds: date)
      try await stamps.insert(row, in: database)
      #expect(
        try await database.values("SELECT format FROM miniorm_columns WHERE col = 'whole'")
          == [.text("textSeconds")])
      let schema = DatabaseSchema(version: 2, WholeStamp.self)
      guard fraction == 0 else {
        let error = try await failure { try await database.migrate(schema) }
        #expect(error.message.contains("has no exact equivalent as textSeconds"), "\(error)")
        return
      }
      try await database.migrate(schema)
      #expect(
        try await database.values(
          "SELECT concat(whole, '|', text, '|', iso, '|', milliseconds) FROM stamp") == [
            .text(
              "2023-11-14 22:13:20.000|2023-11-14 22:13:20|2023-11-14 22:13:20|2023-11-14 22:13:20")
          ])
      try await database.migrate(DatabaseSchema(version: 3, Stamp.self))
      #expect(try await stamps.fetchAll(in: database) == [row])
    }
  }
}
