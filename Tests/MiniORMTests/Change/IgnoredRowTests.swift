import Testing

@testable import MiniORM

@Suite("Rows ignored by a trigger")
struct IgnoredRowTests {
  private func withTrigger(_ body: (Database) async throws -> Void) async throws {
    try await withStock { database throws in
      try await database.write { db in
        try db.execute(
          script: """
            CREATE TRIGGER small BEFORE INSERT ON stock WHEN NEW.size < 0 BEGIN
              SELECT RAISE(IGNORE);
            END;
            """)
      }
      try await body(database)
      #expect(try await stock.order { $0.id }.fetchAll(in: database) == Stock.some)
    }
  }

  private let refusal =
    "step 1 stock.- -: The row was not stored: a trigger or an ON CONFLICT clause may have ignored it, or a trigger deleted it or changed its key. Check the triggers and constraints of the table"

  @Test("an insertion that returns the row throws, and an insertion that counts rows returns 0")
  func inserted() async throws {
    try await withTrigger { database throws in
      let row = Stock.Draft(name: "Elm", size: -1)
      let error = try await failure { try await stock.insert(row, in: database) }
      #expect(error.summary == refusal)
      #expect(try await stock.insert(row).run(in: database) == 0)
      #expect(try await stock.insert(row).returning().fetchAll(in: database).isEmpty)
    }
  }

  @Test("an upsert of an ignored row throws, with any columns to update")
  func upserted() async throws {
    try await withTrigger { database throws in
      let row = Stock.Draft(name: "Elm", size: -1)
      let all = try await failure {
        try await stock.upsert(row, onConflict: { $0.name }, in: database)
      }
      #expect(all.summary == refusal)
      let one = try await failure {
        try await stock.upsert(
          row, onConflict: { $0.name }, updating: { $0.size }, in: database)
      }
      #expect(one.summary == refusal)
    }
  }
}
