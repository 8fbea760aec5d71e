#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Database {
  /// Brings a file of any earlier version up to date, and checks that it matches the models.
  ///
  /// A file without tables gets the models' tables at once and runs no step. An older file runs the
  /// steps that it lacks, in order, each in a transaction of its own. All other changes follow from
  /// the models, in one transaction: new tables, columns and indexes, declared renames, and tables
  /// rebuilt for changed constraints. Every row is kept, or the error says which rows cannot be. A
  /// file that is up to date is only read.
  ///
  /// If another process is migrating the same file, this method waits and then finds it up to date.
  /// If the task is canceled, or the process killed, the current transaction leaves no trace.
  ///
  /// - Parameters:
  ///   - schema: The models, their version and the steps.
  ///   - allowingDrops: Whether to drop columns that are in no model, with their contents. Tables
  ///     are only ever dropped by a step.
  ///   - progress: A closure that is called after each part of a long copy, on the connection's
  ///     executor.
  /// - Throws: ``DatabaseError`` with the operation `migrate` if the schema contradicts itself or
  ///   lists a step that the file has gone past without running it, or if the file is newer, holds
  ///   tables that it does not know, has rows that cannot be kept, or differs from the models in
  ///   the end. The message says how, and ``DatabaseError/sql`` is the statement that failed. Steps
  ///   before the one that failed remain done.
  /// - Complexity: O(*n*) in the rows of tables that are rebuilt or filled in.
  public func migrate(
    _ schema: DatabaseSchema, allowingDrops: Bool = false,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws {
    try await withConnection(.writer) { db in
      try db.lend { db in try db.migrate(schema, allowingDrops, progress) }
    }
  }

  /// Returns what ``migrate(_:allowingDrops:progress:)`` would do, without doing it.
  ///
  /// The steps run on an empty copy of the file's tables, without calling their closures. The file
  /// is only read.
  /// - Parameters:
  ///   - schema: The models, their version and the steps.
  ///   - allowingDrops: Whether to drop columns that are in no model, with their contents.
  /// - Returns: The plan.
  /// - Throws: ``DatabaseError`` as `migrate` does, except for what depends on rows.
  public func migrationPlan(
    for schema: DatabaseSchema, allowingDrops: Bool = false
  ) async throws -> MigrationPlan {
    try await withConnection(.reader) { db in try db.migrationPlan(schema, allowingDrops) }
  }

  /// Compares the file with the models, without changing anything. It works on a read-only file.
  /// - Parameter schema: The models.
  /// - Returns: The differences; none when file and models agree.
  /// - Throws: ``DatabaseError`` when the file cannot be read, or the schema contradicts itself.
  public func schemaReport(for schema: DatabaseSchema) async throws -> SchemaReport {
    try await withConnection(.reader) { db in try db.schemaReport(schema) }
  }

  /// Declares that the tables of a file, which another program created, or an earlier one of yours
  /// without MiniORM, are those of a version.
  ///
  /// Nothing else changes: `migrate` then runs the steps after that version, and rebuilds tables
  /// that differ from their models.
  ///
  /// `migrate` reads the rows to prove that a column is stored as its model says. An integer does not
  /// tell its unit, so name the columns that hold times and scaled decimals:
  ///
  /// ```swift
  /// try await database.adopt(
  ///   version: 1, formats: ["event": ["at": .unixSeconds], "item": ["price": .decimal(scale: 2)]])
  /// ```
  /// - Parameters:
  ///   - version: The version, from 1.
  ///   - formats: How columns store their values now, by the names of tables and columns.
  /// - Throws: ``DatabaseError`` with the operation `migrate` when the version is below 1, the file is
  ///   MiniORM's already, or it has no such column.
  public func adopt(version: Int32, formats: [String: [String: ColumnStorage]] = [:]) async throws {
    try await withConnection(.writer) { db in try db.adopt(version: version, formats) }
  }

  /// Says how columns of a file store their values, where the file does not record it: a MiniORM
  /// version without records migrated it, or another program changed the table.
  ///
  /// ```swift
  /// try await database.adopt(formats: ["event": ["at": .unixSeconds]])
  /// ```
  /// Other columns need not be named: `migrate` reads the rows to prove how they are stored. Formats that
  /// the file records already change nothing.
  /// - Parameter formats: How columns store their values now, by the names of tables and columns.
  /// - Throws: ``DatabaseError`` with the operation `migrate` when the file is not MiniORM's, has no
  ///   such column, or records another format for it.
  public func adopt(formats: [String: [String: ColumnStorage]]) async throws {
    try await withConnection(.writer) { db in try db.adopt(version: nil, formats) }
  }

  /// Returns what was done to the file's schema, and when, the oldest first.
  /// - Returns: The records; none for a file that was never migrated.
  /// - Throws: ``DatabaseError`` when the file cannot be read.
  public func migrationHistory() async throws -> [MigrationRecord] {
    try await withConnection(.reader) { db in try db.migrationRecords() }
  }
}

extension Connection {
  fileprivate func migrate(
    _ schema: DatabaseSchema, _ allowingDrops: Bool,
    _ progress: (@Sendable (MigrationProgress) -> Void)?
  ) throws(DatabaseError) {
    let migrated = state.migratedVersion
    state.migratedVersion = nil
    do throws(DatabaseError) {
      try Migrator(schema, allowsDrops: allowingDrops, progress: progress).run(on: self)
      state.migratedVersion = schema.version
    } catch {
      // Steps may have been committed before.
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
    let copy = Connection(path: ":memory:", configuration: configuration)
    let outcome = copy.sync { copy -> Result<MigrationPlan, DatabaseError> in
      do throws(DatabaseError) {
        try copy.open(nil, isReadOnly: false)
        try copy.declare(state)
        let migrator = try Migrator(schema, allowsDrops: allowingDrops, isPlanning: true)
        try migrator.run(on: copy)
        return .success(
          MigrationPlan(version: state.version, transactions: migrator.planned))
      } catch {
        return .failure(error)
      }
    }
    do throws(DatabaseError) {
      return try outcome.get()
    } catch {
      throw error.adding(operation: .migrate, path: path)
    }
  }

  /// Declares what a file declares, in an empty database.
  private func declare(_ state: Migrator.State) throws(DatabaseError) {
    for object in state.file.objects where !object.sql.isEmpty {
      // A virtual table has already created the tables behind it.
      let exists = try value(
        Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = \(object.name)")
      if exists == 0 { _ = try query(SQL(raw: object.sql)) }
    }
    if let history = state.history {
      _ = try query(SQL(raw: Migrator.historySQL))
      try write(history.records)
    }
    if state.file.records.areCurrent { try write(state.file.records, in: state.file) }
    _ = try query(SQL(raw: "PRAGMA user_version = \(state.version)"))
  }

  fileprivate func schemaReport(_ schema: DatabaseSchema) throws(DatabaseError) -> SchemaReport {
    let declared = try schema.declared()
    try declared.check()
    return try migrationState().file.report(declared)
  }

  /// - Parameter version: The version of a file of another program; nil for a file of MiniORM's.
  fileprivate func adopt(version: Int32?, _ formats: [String: [String: ColumnStorage]])
    throws(DatabaseError)
  {
    do throws(DatabaseError) {
      guard version ?? 1 > 0 else { throw DatabaseSchema.misuse("A version is at least 1") }
      try beginWaiting()
      do throws(DatabaseError) {
        let state = try migrationState()
        guard (state.history == nil) == (version != nil) else {
          throw DatabaseSchema.misuse(
            version == nil
              ? "The file is not MiniORM's: call adopt(version:formats:)"
              : "The file is MiniORM's already, and has version \(state.version)")
        }
        if version != nil {
          try createOwnTable(Migrator.historyTable, Migrator.historySQL)
          _ = try query(SQL(raw: "PRAGMA user_version = \(version ?? 1)"))
        }
        var records = state.file.records
        // Objects of another program are not MiniORM's, whatever their comments say.
        records.begin(in: state.file, for: version == nil ? nil : DeclaredSchema())
        let isNew = try records.claim(formats, in: state.file)
        guard version != nil || isNew else { return rollback() }
        let name = version == nil ? MigrationHistory.adoptedFormats : "adopted"
        try execute(
          """
          INSERT INTO \(raw: Migrator.historyTable) (version, name)
          VALUES (\(version ?? state.version), \(name))
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
          .read, code: .mismatch, "The history of the file is damaged",
          table: Migrator.historyTable)
      }
      return MigrationRecord(version: Int32(clamping: version), name: name, date: date)
    }
  }
}
