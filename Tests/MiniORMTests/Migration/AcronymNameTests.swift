import Testing

@testable import MiniORM

@Table("tour", columns: .snakeCase)
private struct Tour: Equatable {
  let id: Int64
  @Column(.unique, renamedFrom: "city_i_ds") var cityIDs: String
  @Column(renamedFrom: "page_ur_ls") var pageURLs: String?
}

/// Names that split the acronyms.
@Table("tour")
private struct OldTour {
  let id: Int64
  @Column("city_i_ds", .unique) var cityIDs: String
  @Column("page_ur_ls") var pageURLs: String?
}

/// A model in which a column has a name that splits the acronym of another column.
@Table("trip", columns: .snakeCase)
private struct Trip: Equatable {
  let id: Int64
  var cityIDs: String
  @Column("city_i_ds") var others: String
}

@Suite("Column names with adjacent acronyms")
struct AcronymNameTests {
  @Test("columns that split the acronyms are renamed by their former names and keep their values")
  func renames() async throws {
    try await withFile(DatabaseSchema(OldTour.self)) { database throws in
      try await database.write { db in
        try db.execute("INSERT INTO tour VALUES (1, 'a', 'x'), (2, 'b', NULL)")
        try db.execute("CREATE VIEW cities AS SELECT city_i_ds AS name FROM tour")
      }
      let schema = DatabaseSchema(Tour.self)
      let plan = try await database.migrationPlan(for: schema)
      #expect(
        plan.description == """
          -- version 1: changes that follow from the models
          PRAGMA foreign_keys = OFF;
          ALTER TABLE "tour" RENAME COLUMN "city_i_ds" TO "city_ids";
          ALTER TABLE "tour" RENAME COLUMN "page_ur_ls" TO "page_urls";
          INSERT INTO miniorm_migrations (version, name) VALUES (1, 'changes that follow from the models');
          PRAGMA user_version = 1;
          PRAGMA foreign_keys = ON;
          """)
      try await database.migrate(schema)
      let rows = try await Table<Tour>().order { $0.cityIDs }.fetchAll(in: database)
      #expect(
        rows == [
          Tour(id: 1, cityIDs: "a", pageURLs: "x"), Tour(id: 2, cityIDs: "b", pageURLs: nil),
        ])
      #expect(try await database.values("SELECT name FROM cities") == [.text("a"), .text("b")])
      #expect(try await database.schemaReport(for: schema).isEmpty)
    }
  }

  @Test("two names that differ in the split of an acronym are two columns")
  func taken() async throws {
    #expect(Trip.schema.columns.map(\.name) == ["id", "city_ids", "city_i_ds"])
    #expect(Trip.schema.columns.map(\.formerNames) == [[], [], []])
    #expect(Tour.schema.columns.map(\.formerNames) == [[], ["city_i_ds"], ["page_ur_ls"]])
  }
}
