import Foundation
import Testing

@testable import MiniORM

private enum Current {
  @Table("episode") struct Episode: Equatable {
    let id: Int64
    @Column(as: .unixSecondsReal) var published: Date
    @Column(as: .unixSecondsReal) var played: Date?
    @Column(as: .unixMilliseconds) var archived: Date?
    @Column(as: .decimal(scale: 2)) var price: Decimal?
    @Column(as: .uppercaseUUID) var uuid: UUID?
    var title: String
  }
  @Table("folder") struct Folder: Equatable {
    let id: Int64
    @Column(as: .unixSeconds) var added: Date
  }
  static let schema = DatabaseSchema(version: 52, Episode.self, Folder.self)
}

private enum NextModels {
  @Table("show", renamedFrom: "episode") struct Episode: Equatable {
    let id: Int64
    @Column(as: .unixMilliseconds, renamedFrom: "published") var appeared: Date
    var played: Date?
    @Column(as: .unixMilliseconds) var archived: Date?
    @Column(as: .decimal(scale: 3)) var price: Decimal?
    var uuid: UUID?
    var title: String
  }
  static let schema = DatabaseSchema(version: 53, Episode.self, Current.Folder.self)
}

private enum WrongModels {
  @Table("episode") struct Episode {
    let id: Int64
    @Column(as: .unixSeconds) var published: Date
    var title: String
  }
}

private enum RenamedModels {
  @Table("show", renamedFrom: "episode") struct Episode: Equatable {
    let id: Int64
    @Column(as: .unixSecondsReal, renamedFrom: "published") var appeared: Date
  }
  /// A different table now has the former name.
  @Table("episode") struct Other: Equatable {
    let id: Int64
    @Column(as: .unixMilliseconds) var published: Date
  }
}

private enum ConvertedModels {
  @Table("item") struct Item: Equatable {
    let id: Int64
    @Column(as: .unixSeconds) var at: Date
    @Column(as: .decimal(scale: 2)) var price: Decimal
  }
}

extension Database {
  fileprivate func formats() async throws -> [String] {
    try await read { db in
      try db.query(String.self, "SELECT tbl || '.' || col || ' ' || format FROM miniorm_columns")
        .sorted()
    }
  }

  fileprivate var history: [String] {
    get async throws { try await migrationHistory().map { "\($0.version) \($0.name)" } }
  }
}

@Suite("Files adopted as models")
struct AdoptedModelTests {
  /// A file of an older release: no table `folder`, `played` and `archived` are always NULL.
  private static let script = """
    CREATE TABLE episode (
      id INTEGER PRIMARY KEY, published REAL NOT NULL, played DATE, archived INTEGER, price INTEGER,
      uuid TEXT, title TEXT NOT NULL, extra TEXT);
    INSERT INTO episode VALUES
      (1, 1700000000.25, NULL, NULL, 250, '6BA7B810-9DAD-11D1-80B4-00C04FD430C8', 'a', NULL);
    INSERT INTO episode (id, published, title) VALUES (2, 1700000001, 'b');
    PRAGMA user_version = 50;
    """
  private static let uuid = UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")
  private static let dates = [1_700_000_000.25, 1_700_000_001].map {
    Date(timeIntervalSince1970: $0)
  }
  private static let migrated = ["52 adopted", "52 changes that follow from the models"]

  private func withOldFile(_ body: (Database) async throws -> Void) async throws {
    try await withTemporaryDatabase(script: Self.script, body)
  }

  @Test("every launch adopts and migrates, also a file without a table, and NULL-only columns")
  func launches() async throws {
    try await withOldFile { database in
      try await database.adopt(version: 52, as: Current.schema)
      #expect(
        try await database.formats() == [
          "episode.archived ?unixMilliseconds", "episode.played ?unixSecondsReal",
          "episode.price ?decimal(2)", "episode.published ?unixSecondsReal",
          "episode.uuid ?uppercaseUUID",
        ])
      try await database.migrate(Current.schema, allowingDrops: true)
      let rows = try await Table<Current.Episode>().order { $0.id }.fetchAll(in: database)
      #expect(rows.map(\.published) == Self.dates)
      #expect(rows.first?.price == 2.5 && rows.first?.uuid == Self.uuid)
      for _ in 0..<2 {
        try await database.adopt(version: 52, as: Current.schema)
        try await database.migrate(Current.schema)
      }
      #expect(try await database.history == Self.migrated)
      // A later release calls it with later models: the values are converted.
      for _ in 0..<2 {
        try await database.adopt(version: 52, as: NextModels.schema)
        try await database.migrate(NextModels.schema)
      }
      let later = try await Table<NextModels.Episode>().order { $0.id }.fetchAll(in: database)
      #expect(later.map(\.appeared) == Self.dates)
      #expect(later.first?.price == 2.5 && later.first?.uuid == Self.uuid)
      #expect(
        try await database.values(
          "SELECT quote(appeared) || ' ' || price || uuid FROM show LIMIT 1")
          == [.text("1700000000250 25006ba7b810-9dad-11d1-80b4-00c04fd430c8")])
    }
  }

  @Test("a user who skips releases adopts as the old models, which the new models convert")
  func skippedReleases() async throws {
    try await withOldFile { database in
      try await database.adopt(version: 52, as: Current.schema)
      try await database.migrate(NextModels.schema, allowingDrops: true)
      let later = try await Table<NextModels.Episode>().order { $0.id }.fetchAll(in: database)
      #expect(later.map(\.appeared) == Self.dates && later.first?.uuid == Self.uuid)
    }
  }

  @Test("former names of tables and columns are found")
  func formerNames() async throws {
    try await withTemporaryDatabase(
      script: """
        CREATE TABLE episode (id INTEGER PRIMARY KEY, published REAL NOT NULL);
        INSERT INTO episode VALUES (1, 1700000000.25);
        """
    ) { database in
      let schema = DatabaseSchema(RenamedModels.Episode.self, RenamedModels.Other.self)
      try await database.adopt(version: 1, as: schema)
      #expect(try await database.formats() == ["episode.published ?unixSecondsReal"])
      try await database.migrate(schema)
      #expect(
        try await Table<RenamedModels.Episode>().fetchAll(in: database)
          == [RenamedModels.Episode(id: 1, appeared: Self.dates[0])])
      #expect(try await Table<RenamedModels.Other>().fetchAll(in: database).isEmpty)
    }
  }

  @Test("values that the declared type describes are still converted, and not taken for a count")
  func convertedValues() async throws {
    try await withTemporaryDatabase(
      script: """
        CREATE TABLE item (id INTEGER PRIMARY KEY, at TEXT NOT NULL, price REAL NOT NULL);
        INSERT INTO item VALUES (1, '2023-11-14 22:13:20', 10);
        """
    ) { database in
      let schema = DatabaseSchema(ConvertedModels.Item.self)
      try await database.adopt(version: 1, as: schema)
      try await database.migrate(schema)
      let at = Date(timeIntervalSince1970: 1_700_000_000)
      #expect(
        try await Table<ConvertedModels.Item>().fetchAll(in: database)
          == [ConvertedModels.Item(id: 1, at: at, price: 10)])
    }
  }

  @Test("a wrong declaration is refused by the column's name, and a later release corrects it")
  func wrongDeclaration() async throws {
    try await withOldFile { database in
      let schema = DatabaseSchema(version: 52, WrongModels.Episode.self)
      for _ in 0..<2 {
        try await database.adopt(version: 52, as: schema)
        let error = try await failure { try await database.migrate(schema, allowingDrops: true) }
        #expect(error.operation == .migrate && error.code == .mismatch)
        #expect(error.table == "episode" && error.column == "published")
      }
      #expect(try await database.history == ["52 adopted"])
      try await database.adopt(version: 52, as: Current.schema)
      try await database.migrate(Current.schema, allowingDrops: true)
      #expect(
        try await Table<Current.Episode>().order { $0.id }.fetchAll(in: database).map(\.published)
          == Self.dates)
    }
  }

  @Test("an incomplete list of formats is completed by a later release")
  func incompleteList() async throws {
    for formats in [[:], ["episode": ["published": .unixSeconds]]]
      as [[String: [String: ColumnStorage]]]
    {
      try await withOldFile { database in
        try await database.adopt(version: 52, formats: formats)
        _ = try await failure { try await database.migrate(Current.schema, allowingDrops: true) }
        for _ in 0..<2 {
          try await database.adopt(version: 52, as: Current.schema)
          #expect(try await database.history == ["52 adopted", "52 formats adopted"])
        }
        try await database.migrate(Current.schema, allowingDrops: true)
        #expect(
          try await Table<Current.Episode>().order { $0.id }.fetchAll(in: database).map(\.published)
            == Self.dates)
      }
    }
  }

  @Test("a new file, a file that MiniORM created, and a file open for reading stay as they are")
  func unadopted() async throws {
    let file = TemporaryFile()
    let database = try await file.open()
    let error = try await failure { try await database.adopt(version: 0, as: Current.schema) }
    #expect(error.operation == .migrate && error.message == "A version must be at least 1")
    try await database.adopt(version: 52, as: Current.schema)
    #expect(try await database.values("SELECT count(*) FROM sqlite_schema") == [.integer(0)])
    try await database.migrate(Current.schema)
    try await database.adopt(version: 52, as: Current.schema)
    #expect(try await database.history == ["52 created"])
    try await database.close()
    var configuration = Configuration()
    configuration.isReadOnly = true
    let reader = try await file.open(configuration)
    try await reader.adopt(version: 52, as: NextModels.schema)
    try await reader.migrate(Current.schema)
    try await reader.close()
  }

  @Test("after a committed step, formats are only declared by name")
  func afterStep() async throws {
    try await withOldFile { database in
      let step = DatabaseSchema.Step(
        to: 53, "milliseconds", .sql("UPDATE episode SET published = published * 1000"))
      let schema = DatabaseSchema(version: 53, WrongModels.Episode.self, steps: [step])
      try await database.adopt(version: 52)
      _ = try await failure { try await database.migrate(schema, allowingDrops: true) }
      #expect(try await database.history == ["52 adopted", "53 milliseconds"])
      try await database.adopt(version: 52, as: schema)
      let error = try await failure { try await database.migrate(schema, allowingDrops: true) }
      #expect(error.column == "published")
      #expect(try await database.formats().isEmpty)
    }
  }
}
