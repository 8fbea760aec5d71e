import Foundation
import Testing

@testable import MiniORM

@Table("status", options: []) private struct Status: Equatable {
  let id: Int64
  @Column(.type("DATE"), as: .unixSecondsReal) var arrived: Date
}
@Table("status") private struct LaterStatus: Equatable {
  let id: Int64
  var arrived: Date
}
@Table("status") private struct CountedStatus: Equatable {
  let id: Int64
  @Column(as: .unixMilliseconds) var arrived: Date
}

@Suite("Adopted formats in steps")
struct AdoptedFormatStepTests {
  private static let script = """
    CREATE TABLE status (id INTEGER PRIMARY KEY NOT NULL, arrived DATE NOT NULL);
    INSERT INTO status VALUES (1, 1700000000), (2, 1700000000.25);
    """

  private func withStatuses(
    _ format: ColumnStorage = .unixSecondsReal, _ body: (Database) async throws -> Void
  ) async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      try await database.adopt(version: 1, formats: ["status": ["arrived": format]])
      try await body(database)
    }
  }

  private static let insertions = [
    DatabaseSchema.Operation.sql("INSERT INTO status VALUES (3, 1700000001)"),
    .run { db in try db.execute("INSERT INTO status VALUES (3, 1700000001.0)") },
  ]

  @Test("rows that a step inserts have the adopted format", arguments: insertions)
  func insertion(operation: DatabaseSchema.Operation) async throws {
    let step = DatabaseSchema.Step(to: 2, "more", operation)
    let dates = [1_700_000_000, 1_700_000_000.25, 1_700_000_001].map {
      Date(timeIntervalSince1970: $0)
    }
    try await withStatuses { database in
      try await database.migrate(DatabaseSchema(version: 2, Status.self, steps: [step]))
      let rows = try await Table<Status>().order { $0.id }.fetchAll(in: database)
      #expect(rows.map(\.arrived) == dates)
    }
    try await withStatuses { database in
      try await database.migrate(DatabaseSchema(version: 2, LaterStatus.self, steps: [step]))
      let rows = try await Table<LaterStatus>().order { $0.id }.fetchAll(in: database)
      #expect(rows.map(\.arrived) == dates)
    }
  }

  @Test(
    "after a deletion or a replacement, the format of inserted rows is unknown",
    arguments: [
      "UPDATE status SET arrived = arrived * 1000",
      "REPLACE INTO status SELECT id, arrived * 1000 FROM status",
      "INSERT OR REPLACE INTO status SELECT id, arrived * 1000 FROM status",
      """
      CREATE TEMP TABLE copy AS SELECT * FROM status; DELETE FROM status;
      INSERT INTO status SELECT id, arrived * 1000 FROM copy; DROP TABLE copy
      """,
    ])
  func replacement(sql: String) async throws {
    try await withStatuses { database in
      let before = try await database.values("SELECT quote(arrived) FROM status")
      let steps = [DatabaseSchema.Step(to: 2, "milliseconds", .sql(sql))]
      let error = try await failure {
        try await database.migrate(DatabaseSchema(version: 3, CountedStatus.self, steps: steps))
      }
      #expect(error.message.contains("convert it in a step"), "\(error)")
      // The step is committed, and the values are not multiplied again.
      let after = try await database.values("SELECT quote(arrived) FROM status")
      #expect(before.count == 2 && after == [.text("1700000000000"), .text("1700000000250")])
    }
  }

  @Test("a rebuild with a plain integer keeps the adopted unit")
  func rebuild() async throws {
    try await withStatuses(.unixSeconds) { database in
      try await database.write { _ = try $0.execute("DELETE FROM status WHERE id = 2") }
      let step = DatabaseSchema.Step(
        to: 2, "strict",
        .rebuildTable(
          "status", .column("id", Int64.self, .primaryKey), .column("arrived", Int64.self)))
      try await database.migrate(DatabaseSchema(version: 3, CountedStatus.self, steps: [step]))
      #expect(
        try await Table<CountedStatus>().fetchAll(in: database)
          == [CountedStatus(id: 1, arrived: Date(timeIntervalSince1970: 1_700_000_000))])
    }
  }
}
