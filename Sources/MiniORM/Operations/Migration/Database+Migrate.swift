#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Database {
  /// Upgrades a file of any earlier version to the models, and checks the result.
  ///
  /// ```swift
  /// try await database.migrate(DatabaseSchema(version: 3, Company.self, City.self))
  /// ```
  /// In a file without tables, this method creates the models' tables and runs no steps. In an
  /// older file, each missing step runs in order, in a transaction of its own. A last transaction
  /// makes the changes that follow from the models: new tables, columns and indexes, declared
  /// renames, and tables rebuilt for changed constraints. Every row is kept, or the error names the
  /// rows that cannot be kept. An up-to-date file is only read.
  ///
  /// If another process is migrating the file, this method waits, and then finds the file up to
  /// date. If the task is cancelled or the process killed, the current transaction is rolled back.
  /// - Parameters:
  ///   - schema: The models, their version and the steps.
  ///   - allowingDrops: True to drop columns that no model has, or that `.rebuildTable` does not
  ///     list, with their contents. Tables are dropped only by a step.
  ///   - progress: Called after each part of a long copy, on the connection's executor.
  /// - Throws: ``DatabaseError`` with the operation `migrate` if the schema contradicts itself; if
  ///   the file is newer, has tables but no version, or has skipped a step; if rows cannot be kept;
  ///   or if the result differs from the models. ``DatabaseError/sql`` is the failed statement.
  ///   Completed steps remain committed.
  /// - Complexity: O(*n*) in the rows of tables that are rebuilt or filled in.
  public func migrate(
    _ schema: DatabaseSchema, allowingDrops: Bool = false,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws {
    try await withConnection(.writer) { db in
      try db.lend { db in try db.migrate(schema, allowingDrops, progress) }
    }
  }

  /// Returns the transactions that ``migrate(_:allowingDrops:progress:)`` would run.
  ///
  /// The steps run on an empty copy of the file's tables, without calling closures. The file is
  /// only read.
  /// - Parameters:
  ///   - schema: The models, their version and the steps.
  ///   - allowingDrops: True to drop columns that no model has, or that `.rebuildTable` does not
  ///     list, with their contents.
  /// - Throws: ``DatabaseError`` as `migrate`, except for errors that depend on rows.
  public func migrationPlan(
    for schema: DatabaseSchema, allowingDrops: Bool = false
  ) async throws -> MigrationPlan {
    try await withConnection(.reader) { db in try db.migrationPlan(schema, allowingDrops) }
  }

  /// Compares the file with the models. The file may be read-only.
  /// - Parameters:
  ///   - schema: The models.
  ///   - checksRows: True to read every row of every model, and report rows for which `fetchAll`
  ///     throws: ``SchemaReport/Difference/unreadable(table:column:rows:reason:)``. Also reports
  ///     dates, UUIDs and decimals whose texts MiniORM would write differently:
  ///     ``SchemaReport/Difference/otherSpellings(table:column:rows:type:)``.
  /// - Returns: The differences. The report is empty if the file matches the models.
  /// - Throws: ``DatabaseError`` if the file cannot be read, or the schema contradicts itself.
  /// - Complexity: O(1) in the number of rows, or O(*n*) if `checksRows` is true.
  public func schemaReport(
    for schema: DatabaseSchema, checkingRows checksRows: Bool = false
  ) async throws -> SchemaReport {
    try await withConnection(.reader) { db in try db.schemaReport(schema, checksRows) }
  }

  /// Declares the version of a file that MiniORM has not created, for example of another program,
  /// or of a release of your app without MiniORM.
  ///
  /// ```swift
  /// try await database.adopt(
  ///   version: 1, formats: ["event": ["at": .unixSeconds], "item": ["price": .decimal(scale: 2)]])
  /// ```
  /// `migrate` then runs the steps after this version, and rebuilds tables that differ from their
  /// models. `migrate` also reads the rows to prove that each column has the model's format. An
  /// integer does not show its unit: pass the formats of columns with times and scaled decimals.
  /// - Parameters:
  ///   - version: The version, from 1.
  ///   - formats: The formats of columns in the file, by the names of tables and columns.
  /// - Throws: ``DatabaseError`` with the operation `migrate` if the version is below 1, MiniORM
  ///   already manages the file, or a column does not exist.
  public func adopt(version: Int32, formats: [String: [String: ColumnStorage]] = [:]) async throws {
    try await withConnection(.writer) { db in try db.adopt(version: version, formats) }
  }

  /// Declares that a file of another program, or of a release of your app without MiniORM, stores
  /// its dates, UUIDs and decimals as the models declare.
  ///
  /// ```swift
  /// try await database.adopt(version: 52, as: schema)
  /// try await database.migrate(schema)
  /// ```
  /// Call this method at each launch: a file without tables is new and is not adopted, and after
  /// the first change by `migrate`, this method only reads the file. Until then, each call replaces
  /// the formats that earlier calls have declared, and the version of the first call counts. Tables
  /// and columns that an older file lacks are ignored.
  ///
  /// Pass the models of the given version. If a later model stores a column in a different
  /// format, pass a schema with a copy of the old model, so that `migrate` converts the values.
  /// `migrate` reads the rows to check the formats, but an integer does not show its unit.
  /// - Parameters:
  ///   - version: The version of the file's tables, from 1.
  ///   - schema: The models of this version. Steps have no effect.
  /// - Throws: ``DatabaseError`` with the operation `migrate` if the version is below 1, or the
  ///   schema contradicts itself.
  public func adopt(version: Int32, as schema: DatabaseSchema) async throws {
    try await withConnection(.writer) { db in try db.adopt(version: version, as: schema) }
  }

  /// Declares the formats of columns for which the file has no records.
  ///
  /// ```swift
  /// try await database.adopt(formats: ["event": ["at": .unixSeconds]])
  /// ```
  /// Records are missing if another program changed the table. Formats that the file already records
  /// have no effect. `migrate` reads the rows to prove the formats of the other columns.
  /// - Parameter formats: The formats of columns in the file, by the names of tables and columns.
  /// - Throws: ``DatabaseError`` with the operation `migrate` if MiniORM does not manage the file,
  ///   a column does not exist, or the file records a different format for a column.
  public func adopt(formats: [String: [String: ColumnStorage]]) async throws {
    try await withConnection(.writer) { db in try db.adopt(version: nil, formats) }
  }

  /// Returns the migrations of the file, the oldest first; an empty array if the file was never
  /// migrated.
  /// - Throws: ``DatabaseError`` if the file cannot be read.
  public func migrationHistory() async throws -> [MigrationRecord] {
    try await withConnection(.reader) { db in try db.migrationRecords() }
  }
}

extension Connection {
  fileprivate func migrate(
    _ schema: DatabaseSchema, _ allowingDrops: Bool,
    _ progress: (@Sendable (MigrationProgress) -> Void)?
  ) throws(DatabaseError) {
    let (migrated, formats) = (state.migratedVersion, state.formats.set(nil))
    state.migratedVersion = nil
    do throws(DatabaseError) {
      let migrator = try Migrator(schema, allowsDrops: allowingDrops, progress: progress)
      try migrator.run(on: self)
      state.migratedVersion = schema.version
      state.formats.set(migrator.declared.formatComparison)
    } catch {
      state.formats.set(formats)
      // Earlier steps may be committed.
      state.migratedVersion = migrated.map { max($0, schema.version) }
      throw error.adding(operation: .migrate, path: path)
    }
  }

  fileprivate func migrationPlan(_ schema: DatabaseSchema, _ allowingDrops: Bool)
    throws(DatabaseError)
    -> MigrationPlan
  {
    let state = try migrationState()
    var configuration = configuration
    configuration.isReadOnly = false
    configuration.createsFile = true
    // The copy has no rows, so the order of an index has no effect.
    configuration.standsInForCollations = true
    let copy = Connection(path: ":memory:", configuration: configuration)
    let outcome = copy.sync { copy in
      Result { () throws(DatabaseError) in
        try copy.open(nil, isReadOnly: false)
        try copy.declare(state)
        let migrator = try Migrator(schema, allowsDrops: allowingDrops, isPlanning: true)
        try migrator.run(on: copy)
        return MigrationPlan(version: state.version, transactions: migrator.planned)
      }
    }
    do throws(DatabaseError) {
      return try outcome.get()
    } catch {
      throw error.adding(operation: .migrate, path: path)
    }
  }

  private func declare(_ state: Migrator.State) throws(DatabaseError) {
    for object in state.file.objects where !object.sql.isEmpty {
      // CREATE VIRTUAL TABLE has already created the shadow tables. A trigger may have the name of
      // a table.
      let exists = try value(
        Int.self,
        "SELECT count(*) FROM sqlite_schema WHERE type = \(object.type) AND name = \(object.name)")
      guard exists == 0 else { continue }
      do throws(DatabaseError) {
        try withSyntaxOfFile { () throws(DatabaseError) in
          _ = try query(SQL(raw: object.statement))
        }
      } catch {
        guard error.code.primary == .error, object.type == "table" else { throw error }
        // The module or the tokenizer of a virtual table is not registered. The migration does not
        // use the table, but SQLite reserves the names of its shadow tables.
        try withWritableSchema { database throws(DatabaseError) in
          let sql =
            object.root == 0
            ? "INSERT INTO sqlite_schema VALUES ('table', \(object.name.quotedLiteral), "
              + "\(object.name.quotedLiteral), 0, \(object.sql.quotedLiteral))"
            : object.sql
          _ = try Self.text(sql, database)
        }
      }
    }
    if let history = state.history {
      _ = try query(SQL(raw: Migrator.historySQL))
      try write(history.records)
      var records = state.file.records
      records.begin(in: state.file)
      try write(records, in: state.file)
    }
    _ = try query(SQL(raw: "PRAGMA user_version = \(state.version)"))
  }

  fileprivate func schemaReport(_ schema: DatabaseSchema, _ checksRows: Bool)
    throws(DatabaseError) -> SchemaReport
  {
    let declared = try schema.declared()
    try declared.check()
    let file = try migrationState().file
    let report = file.report(declared)
    guard checksRows else { return report }
    try register(FormatFunctions.all(for: declared))
    var differences = report.differences
    for (type, model) in zip(schema.models, declared.tables) {
      guard let table = try? file.definition(model.name) else { continue }
      if model.create.columns.allSatisfy({ table.column($0.name) != nil }) {
        differences += try type.unreadableRows(in: self)
      }
      for column in model.create.columns where table.column(column.name) != nil {
        guard let format = column.format, let type = format.spelledType else { continue }
        let name = column.name.quotedIdentifier
        let rows = try value(
          Int.self,
          SQL(
            raw: "SELECT count(*) FROM \(model.name.quotedIdentifier) WHERE \(column.isRead) "
              + "AND \(name) COLLATE BINARY IS NOT \(format.canonical(name))"))
        guard let rows, rows > 0 else { continue }
        differences.append(
          .otherSpellings(
            table: model.name, column: column.name, rows: rows,
            type: "\(type)\(column.isNullable ? "?" : "")"))
      }
    }
    return SchemaReport(differences: differences)
  }

  /// - Parameters:
  ///   - version: The version; nil for a file that MiniORM manages.
  ///   - schema: The models with the formats, for a file with or without a history; or nil.
  fileprivate func adopt(
    version: Int32?, _ formats: [String: [String: ColumnStorage]] = [:],
    as schema: DatabaseSchema? = nil
  ) throws(DatabaseError) {
    do throws(DatabaseError) {
      guard version ?? 1 > 0 else { throw DatabaseSchema.misuse("A version must be at least 1") }
      let declared = try schema?.declared()
      try declared?.check()
      // A launch of a migrated file takes no lock.
      if declared != nil { guard try migrationState().acceptsModels else { return } }
      try beginWaiting()
      do throws(DatabaseError) {
        let state = try migrationState()
        guard declared == nil || state.acceptsModels else { return rollback() }
        guard declared != nil || (state.history == nil) == (version != nil) else {
          throw DatabaseSchema.misuse(
            version == nil
              ? "The file has no migration history: call adopt(version:formats:)"
              : "The file has a migration history already, with version \(state.version): call adopt(formats:)"
          )
        }
        let isFirst = state.history == nil
        if isFirst {
          try createOwnTable(Migrator.historyTable, Migrator.historySQL)
          _ = try query(SQL(raw: "PRAGMA user_version = \(version ?? 1)"))
        }
        var records = state.file.records
        records.begin(in: state.file)
        let isNew =
          if let declared {
            records.claim(formatsOf: declared.tables, in: state.file)
          } else {
            try records.claim(formats, in: state.file)
          }
        guard isFirst || isNew else { return rollback() }
        let name = isFirst ? "adopted" : MigrationHistory.adoptedFormats
        try execute(
          """
          INSERT INTO \(raw: Migrator.historyTable) (version, name)
          VALUES (\(isFirst ? version ?? 1 : state.version), \(name))
          """)
        try write(records, in: state.file)
      } catch {
        rollback()
        throw error
      }
      try commit()
    } catch {
      throw error.adding(operation: .migrate, path: path)
    }
  }

  fileprivate func migrationRecords() throws(DatabaseError) -> [MigrationRecord] {
    guard try migrationState().history != nil else { return [] }
    return try query(
      """
      SELECT version, name, applied FROM \(raw: Migrator.historyTable) WHERE version > 0 ORDER BY id
      """
    ).map { row throws(DatabaseError) in
      guard case .integer(let version) = row.values[0], case .text(let name) = row.values[1],
        case .text(let applied) = row.values[2], let date = Date(iso8601: applied)
      else {
        throw DatabaseError(
          .read, code: .mismatch,
          "The migration history cannot be read: a row has an invalid version, name or date. Restore a backup of the file",
          table: Migrator.historyTable)
      }
      return MigrationRecord(version: Int32(clamping: version), name: name, date: date)
    }
  }
}

extension Migrator.State {
  /// True until `migrate` has changed or created the file.
  fileprivate var acceptsModels: Bool { history?.isOnlyAdopted ?? !isEmpty }
}
