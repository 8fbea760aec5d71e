import Foundation
public import MiniORM
public import Testing

extension SchemaSnapshots {
  /// Migrates a file of each recorded version, and checks the result.
  ///
  /// Each file is created from its snapshot, is encrypted, and has rows with edge values. After the
  /// migration, these checks report failures with the version, the table, the column and the row:
  ///
  /// - The migration ends without an error. No table, column, view, trigger or unique index is lost
  ///   unless a step drops it.
  /// - The result equals a new file: ``MiniORM/Database/schemaReport(for:checkingRows:)`` is empty,
  ///   and no other object is left.
  /// - ``MiniORM/Database/integrityReport()`` is empty, and full-text indexes match their text.
  /// - No row is lost, added or doubled. The values of a column that is in both schemas are equal,
  ///   or are exact equivalents in the new format.
  /// - A second migration changes nothing. A migration that is cancelled and repeated gives the same
  ///   file: each step is cancelled in a file of the newest snapshot before the step.
  /// - Parameters:
  ///   - schema: The schema of the app.
  ///   - allowingDrops: Passed to `migrate`. True also allows tables and columns to be lost.
  ///   - changing: Names of contents that steps change on purpose, by their new names: `"chore"` for
  ///     the rows of a table, `"chore.title"` for a column, the name of a dropped view, trigger or
  ///     unique index.
  ///   - sourceLocation: The place of failures: by default, the call.
  ///   - body: Further checks of a migrated file. Receives the version before the migration.
  /// - Throws: An error of the closure, or of Foundation if a file cannot be read or written.
  public func expectMigrations(
    to schema: DatabaseSchema, allowingDrops: Bool = false, changing: Set<String> = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (_ version: Int32, _ database: Database) async throws -> Void = { _, _ in }
  ) async throws {
    let recorded = try recorded(sourceLocation)
    guard !recorded.isEmpty else {
      return fail(
        "\(folder.path) has no valid snapshot: run a test with expectCurrent first", sourceLocation)
    }
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("MiniORMTesting-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let current = try RecordedSchema(await text(of: schema))
    for (snapshot, next) in zip(recorded, recorded.dropFirst().map(\.version) + [schema.version]) {
      let prefix = "Version \(snapshot.version) → \(schema.version): "
      guard snapshot.version <= schema.version else {
        fail("\(prefix)raise the version, or delete the unreleased snapshot", sourceLocation)
        continue
      }
      let path = directory.appendingPathComponent("\(snapshot.version).db").path
      let check = MigrationCheck(
        snapshots: self, snapshot: snapshot, schema: schema, current: current, path: path,
        next: next, allowsDrops: allowingDrops, changing: Set(changing.map(\.folded)),
        report: { fail(prefix + $0, sourceLocation) })
      do {
        let database = try await check.run()
        try await body(snapshot.version, database)
        try await database.close()
      } catch let error as DatabaseError {
        fail("\(prefix)\(error)", sourceLocation)
      }
    }
  }
}

/// The checks of the migration from one version.
struct MigrationCheck {
  let snapshots: SchemaSnapshots
  let snapshot: RecordedSchema
  let schema: DatabaseSchema
  /// The schema of a new file.
  let current: RecordedSchema?
  let path: String
  /// The version of the next snapshot, or of the schema.
  let next: Int32
  let allowsDrops: Bool
  let changing: Set<ExactText>
  let report: (String) -> Void

  private func open(_ path: String) async throws -> Database {
    let key = Key.raw([UInt8](repeating: 7, count: 32))
    return try await Database(path: path, key: key, configuration: snapshots.configuration)
  }

  /// Returns the migrated file.
  func run() async throws -> Database {
    let database = try await open(path)
    try await snapshot.create(in: database)
    let (problems, before) = try await database.write { [snapshot, snapshots, schema] db in
      var filler = try RowFiller(snapshot, snapshots, schema)
      try filler.fill(db)
      return (filler.problems, try StoredTables(db))
    }
    for problem in problems { report(problem) }
    if !transition.isEmpty { try await database.backup(to: path + ".copy") }
    try await database.migrate(schema, allowingDrops: allowsDrops)
    let history = try await database.migrationHistory()
    try await database.migrate(schema, allowingDrops: allowsDrops)
    if try await database.migrationHistory() != history { report("a second migration has effects") }
    let after = try await database.withWriter { db in try StoredTables(db) }
    let names = NameChanges(before, steps, schema.models)
    RowComparison(changing: changing, allowsDrops: allowsDrops, report: report)
      .compare(before, after, names)
    try await checkSchema(database, names)
    if !transition.isEmpty { try await checkCancellation(database, after) }
    return database
  }

  private var steps: [DatabaseSchema.Step] { schema.steps.filter { $0.version > snapshot.version } }

  /// The steps that no file of a later snapshot runs.
  private var transition: [DatabaseSchema.Step] { steps.filter { $0.version <= next } }

  private func checkSchema(_ database: Database, _ names: NameChanges) async throws {
    let differences = try await database.schemaReport(for: schema, checkingRows: true).differences
    let problems = try await database.integrityReport().problems.map(\.message)
    for problem in differences.map(\.description) + problems { report(problem) }
    let text = try await database.withWriter { db in try db.schemaText() }
    let objects = try RecordedSchema(text)?.objects ?? []
    for index in objects where VirtualTable(index.name, sql: index.sql).module == "fts5" {
      // The integrity check does not compare an index with the text of its table.
      let name = index.name.quotedIdentifier
      let check = "INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)"
      if (try? await database.write { db in try db.execute(SQL(raw: check)) }) == nil {
        report("full-text index \(index.name) does not match its text: fill it again in the step")
      }
    }
    let created = current?.objects ?? []
    let known = changing.union(created.map(\.name.folded))
    for object in objects where !known.contains(object.name.folded) {
      report(
        "\(object.type) \(object.name) is left, but a new file does not have it: drop it in a step")
    }
    let kept = changing.union(created.filter(\.isKept).map(\.name.folded))
    for object in snapshot.objects where object.isKept && !allowsDrops {
      let (type, name) = (object.type, object.name)
      guard !kept.contains(name.folded), !names.drops(name.folded) else { continue }
      report("\(type) \(name) is lost. If this is intended, pass changing: [\"\(name)\"]")
    }
  }

  /// Cancels a migration of a copy within each step of the transition, and repeats it.
  private func checkCancellation(_ database: Database, _ after: StoredTables) async throws {
    let (other, allowsDrops) = (try await open(path + ".copy"), allowsDrops)
    for cancelled in transition.map(schema.cancelling) {
      _ = await Task { try await other.migrate(cancelled, allowingDrops: allowsDrops) }.result
    }
    try await other.migrate(schema, allowingDrops: allowsDrops)
    let (repeated, text) = try await other.withWriter { db in
      (try StoredTables(db), try db.schemaText())
    }
    try await other.close()
    let title = "after a cancellation and a repetition, "
    if try await database.withWriter({ db in try db.schemaText() }) != text {
      report(title + "the schema differs")
    }
    let varying = after.sorted.flatMap { table in
      // The value of CURRENT_TIMESTAMP or of a function may vary.
      table.columns.filter { column in
        (column.defaultValue?.tokens ?? []).contains {
          $0.isSymbol("(") || $0.text.string.startsWithBytes(of: "current_")
        }
      }.map { ExactText("\(table.name.folded).\($0.key)") }
    }
    RowComparison(
      changing: changing.union(varying), allowsDrops: false, report: { report(title + $0) }
    ).compare(after, repeated, NameChanges(after, [], []))
  }
}

extension DatabaseSchema {
  /// The schema with a cancellation of the task at the end of a step.
  fileprivate func cancelling(_ last: Step) -> DatabaseSchema {
    let cancellation = Operation.run { _ in withUnsafeCurrentTask { $0?.cancel() } }
    let steps = steps.map { step in
      Step(
        to: step.version, step.name, foreignKeysEnabled: step.foreignKeysEnabled,
        operations: step.operations + (step.version == last.version ? [cancellation] : []))
    }
    return DatabaseSchema(version: version, models, objects: objects, steps: steps)
  }
}
