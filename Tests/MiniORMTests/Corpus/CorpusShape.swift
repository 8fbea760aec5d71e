import Foundation

@testable import MiniORM

/// The shape of a file of the corpus: its settings, its tables and its rows.
struct CorpusShape: Sendable {
  let name: String
  var key: Key? = .raw(testKeyBytes)
  var configuration = Configuration()
  /// The schemas that migrate the file in turn. The last one reads the file.
  var schemas: [DatabaseSchema]
  /// A further schema, which changes formats or objects.
  var next: DatabaseSchema?
  let fill: @Sendable (Database) async throws -> Void
  /// Returns a text for each row.
  let rows: @Sendable (Database) async throws -> [String]
  var nextRows: (@Sendable (Database) async throws -> [String])?

  /// A shape with the rows of a table.
  init<T: Model & Sendable>(
    _ name: String, _ schemas: DatabaseSchema..., rowsOf model: T.Type, also objects: String...,
    filledBy script: String
  ) {
    self.name = name
    self.schemas = schemas
    configuration.cipher.pageSize = 1_024
    fill = { database in try await database.write { try $0.execute(script: script) } }
    rows = { database in
      var rows = try await Table<T>().fetchAll(in: database).map { "\($0)" }
      for object in objects {
        rows += try await database.read { db in
          try db.query("SELECT * FROM \(raw: object)").map { "\($0.values)" }
        }
      }
      return rows
    }
  }

  /// A shape with a column in a format, and each edge value that the format accepts.
  init<M: FormatModel>(of model: M.Type) {
    name = "format-\(model)"
    schemas = [DatabaseSchema(version: 2, model)]
    configuration.cipher.pageSize = 1_024
    fill = { database in
      let values = try await M.values()
      try await database.write { db in
        for (id, value) in values.enumerated() {
          try db.execute("INSERT INTO box VALUES (\(id), \(value.stored))")
        }
      }
    }
    rows = { database in
      try await Table<M>().fetchAll(in: database).map { "\($0.id): \(FormatMeaning($0.value))" }
    }
  }

  private func with(_ name: String, _ change: (inout CorpusShape) -> Void) -> CorpusShape {
    var shape = CorpusShape(renaming: self, to: name)
    change(&shape)
    return shape
  }

  private init(renaming shape: CorpusShape, to name: String) {
    self.name = name
    (key, configuration, schemas) = (shape.key, shape.configuration, shape.schemas)
    (next, nextRows, fill, rows) = (shape.next, shape.nextRows, shape.fill, shape.rows)
  }

  /// Creates a file of this shape.
  func write(to path: String) async throws {
    let database = try await Database(path: path, key: key, configuration: configuration)
    for schema in schemas { try await database.migrate(schema) }
    try await fill(database)
    _ = try await database.checkpoint(.truncate)
    try await database.close()
  }

  // MARK: The shapes

  private static let entryRows =
    "INSERT INTO entry VALUES (1, 'Zürich', 1), (2, 'a''b\"c', NULL), (7, '名前', 9)"

  private static let plain = CorpusShape(
    "plain", DatabaseSchema(version: 2, CorpusEntry.self), rowsOf: CorpusEntry.self,
    filledBy: entryRows)

  static let all: [CorpusShape] =
    FormatModels.all.map { CorpusShape(of: $0) } + settings + journals + tables + [migrated]

  private static let settings: [CorpusShape] = [
    plain.with("unencrypted") { $0.key = nil },
    plain.with("default-settings") { $0.configuration.cipher = .sqlcipher4 },
    plain.with("passphrase") {
      $0.key = .passphrase("corpus")
      $0.configuration.cipher.kdfIterations = 1_000
    },
    plain.with("sqlcipher3") { $0.configuration.cipher = .sqlcipher3 },
    plain.with("sqlcipher2") { $0.configuration.cipher = .sqlcipher2 },
    plain.with("sqlcipher1") { $0.configuration.cipher = .sqlcipher1 },
    plain.with("sha256") {
      ($0.configuration.cipher.kdfAlgorithm, $0.configuration.cipher.hmacAlgorithm) = (
        .sha256, .sha256
      )
    },
    plain.with("no-hmac") { $0.configuration.cipher.hmacAlgorithm = nil },
  ]

  private static let journals: [CorpusShape] =
    [Configuration.JournalMode.wal, .delete, .truncate, .persist].map { mode in
      plain.with("journal-\(mode.rawValue)") { $0.configuration.journalMode = mode }
    }

  private static let tables: [CorpusShape] = [
    CorpusShape(
      "strict-without-rowid", DatabaseSchema(version: 2, CorpusDay.self), rowsOf: CorpusDay.self,
      filledBy: "INSERT INTO day VALUES (2026, 331, 'Friday'), (2026, 332, '')"),
    CorpusShape(
      "loose-generated", DatabaseSchema(version: 2, CorpusLoose.self), rowsOf: CorpusLoose.self,
      filledBy: "INSERT INTO loose (id, code) VALUES (1, 'abc'), (2, '')"),
    CorpusShape(
      "column-groups", DatabaseSchema(version: 2, CorpusClient.self), rowsOf: CorpusClient.self,
      filledBy: """
        INSERT INTO client VALUES (1, 'Rue A', 'Reims', NULL, NULL, '["a","b"]');
        INSERT INTO client VALUES (2, 'Rue B', 'Lille', 'Quai', 'Brest', '[]')
        """),
    CorpusShape(
      "foreign-keys", DatabaseSchema(version: 2, CorpusParent.self, CorpusChild.self),
      rowsOf: CorpusChild.self, also: "parent",
      filledBy: """
        INSERT INTO parent VALUES (1, 'one'), (91, 'Top');
        INSERT INTO child VALUES (1, 1, 'x', 3), (2, NULL, 'y', 4)
        """),
    CorpusShape(
      "full-text", DatabaseSchema(version: 2, CorpusEntry.self, objects: [CorpusObjects.text]),
      rowsOf: CorpusEntry.self, also: "entry_text('zurich')", filledBy: entryRows),
    recordedObjects,
    CorpusShape(
      "spatial", DatabaseSchema(version: 2, CorpusPlace.self, objects: [CorpusObjects.map]),
      rowsOf: CorpusPlace.self, also: "place_map",
      filledBy: "INSERT INTO place VALUES (1, -1.5, 2), (2, 0, 180)"),
    recordedFormats,
  ]

  /// The records show that MiniORM has created the view and the trigger, and may drop them.
  private static let recordedObjects: CorpusShape = {
    var shape = CorpusShape(
      "view-and-trigger",
      DatabaseSchema(
        version: 2, CorpusEntry.self, objects: [CorpusObjects.view, CorpusObjects.trigger]),
      rowsOf: CorpusEntry.self, also: "large", filledBy: entryRows)
    shape.next = DatabaseSchema(
      version: 3, CorpusEntry.self, objects: [CorpusObjects.changedView])
    shape.nextRows = { [rows = shape.rows] database in
      let left = try await database.values("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
      return try await rows(database) + left.map { "\($0)" }
    }
    return shape
  }()

  /// The formats of these columns follow from the file's records alone.
  private static let recordedFormats: CorpusShape = {
    var shape = CorpusShape(
      "recorded-formats", DatabaseSchema(version: 2, CorpusValues.self),
      rowsOf: CorpusValues.self,
      filledBy: """
        INSERT INTO value VALUES (1, 1700000000, 999, '550e8400-e29b-41d4-a716-446655440000')
        """)
    shape.next = DatabaseSchema(version: 3, CorpusConvertedValues.self)
    shape.nextRows = { database in
      try await Table<CorpusConvertedValues>().fetchAll(in: database).map {
        "CorpusValues(id: \($0.id), at: \($0.at), price: \($0.price), key: \($0.key))"
      }
    }
    return shape
  }()

  /// A file with a history: created, changed by its model, and changed by a step.
  private static let migrated = CorpusShape(
    "migrated", DatabaseSchema(version: 1, CorpusEntry.self),
    DatabaseSchema(version: 2, CorpusRenamedEntry.self),
    DatabaseSchema(
      version: 3, CorpusRenamedEntry.self,
      steps: [
        DatabaseSchema.Step(to: 3, "first row", .sql("INSERT INTO entry VALUES (5, 'step', 5)"))
      ]),
    rowsOf: CorpusRenamedEntry.self, also: "(SELECT version, name FROM miniorm_migrations)",
    filledBy: entryRows)
}
