import CSQLCipher

/// The reads and writes of a statement, recorded again when SQLite recompiles the statement after a
/// schema change.
final class StatementAccess {
  private let pointer: OpaquePointer
  private let sql: String
  private var recorded: RecordedAccess
  private var knownReads: ReadSet?
  private var knownWrites: WriteSet?
  private var knownTables: [SchemaTable: WrittenTable]?
  private var knownIdentity: RowIdentity?
  private var knownSource: (table: SchemaTable, rowID: ExactText)??
  private var preparations: Int32
  /// The number of runs, and the connection's number of changed rows, at the last check.
  private var runs: Int32 = 0
  private var changes: Int64 = 0
  /// The number of transaction levels, and the number of rows in the log of the last level.
  var logged = (level: 0, rows: 0)

  enum Kind { case reading, writing, control, schema }
  let kind: Kind
  /// False for changes of the schema or the settings, because permission is decided at each
  /// compilation.
  let isKept: Bool

  init(_ pointer: OpaquePointer, _ sql: String, _ recorded: RecordedAccess) {
    self.pointer = pointer
    self.sql = sql
    self.recorded = recorded
    preparations = Self.preparations(of: pointer)
    if sqlite3_stmt_isexplain(pointer) != 0 {
      kind = .reading
    } else if recorded.control != nil {
      kind = .control
    } else if recorded.changesSchema {
      kind = .schema
    } else if !recorded.isReading {
      kind = .writing
    } else {
      // A statement that writes without authorizer calls is VACUUM, which may change rowids.
      kind = sqlite3_stmt_readonly(pointer) == 0 && !recorded.isPragma ? .schema : .reading
    }
    isKept = kind != .schema && !recorded.setsPragma
  }

  var control: RecordedAccess.Control? { recorded.control }
  var savepoint: ExactText { recorded.savepoint }
  var droppedTable: SchemaTable? { recorded.droppedTable }
  var changedColumns: Set<ChangedColumn> {
    recorded.changedColumns(of: sql, in: SchemaReader(database))
  }

  // MARK: Runs

  private var database: OpaquePointer? { sqlite3_db_handle(pointer) }
  private var runsNow: Int32 { sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_RUN, 0) }

  func begin() {
    runs = runsNow
    changes = sqlite3_total_changes64(database)
  }

  var hasRun: Bool { runsNow != runs }

  func takeChanges() -> Int64 {
    let now = sqlite3_total_changes64(database)
    defer { changes = now }
    return now &- changes
  }

  // MARK: Reads and writes

  func reads(askedBy authorizer: Authorizer?) -> ReadSet {
    refresh(authorizer)
    return fact(&knownReads, orElse: { _ in .anything }) { recorded.readSet(in: $0) }
  }

  /// The reads of a run that reads only some rows; nil unless the rowid of the only table selects
  /// the rows.
  func reads(_ chosen: ChosenRows, askedBy authorizer: Authorizer?) -> ReadSet? {
    let reads = reads(askedBy: authorizer)
    // Ignore the table-valued function that supplies the values of IN.
    let source = fact(&knownSource, orElse: { _ in nil }) {
      recorded.source(in: $0, besides: ValueList.moduleName)
    }
    guard let source, source.table.table.folded == chosen.table,
      source.rowID == chosen.column
    else { return nil }
    return reads.limited(to: chosen.values, of: source.table)
  }

  func writes(askedBy authorizer: Authorizer?) -> WriteSet {
    refresh(authorizer)
    return fact(&knownWrites, orElse: { _ in .everything }) { recorded.writeSet(of: sql, in: $0) }
  }

  func tables(askedBy authorizer: Authorizer?) -> [SchemaTable: WrittenTable] {
    refresh(authorizer)
    return fact(&knownTables, orElse: { $0.mapValues(\.unknown) }) {
      recorded.tables(of: sql, in: $0)
    }
  }

  /// Returns what the schema says, and keeps it unless the schema could not be read.
  private func fact<Fact>(
    _ known: inout Fact?, orElse unread: (Fact) -> Fact, _ read: (SchemaReader) -> Fact
  ) -> Fact {
    if let known { return known }
    let schema = SchemaReader(database)
    let fact = read(schema)
    guard !schema.hasFailed else { return unread(fact) }
    known = fact
    return fact
  }

  /// Returns the folded names of the tables of the main file that the statement reads or changes.
  func mainTables(askedBy authorizer: Authorizer?) -> Set<ExactText> {
    refresh(authorizer)
    let items = recorded.reads + recorded.insertions + recorded.updates + recorded.deletions
    return Set(items.filter { $0.schema.map { $0.folded == "main" } ?? true }.map(\.table.folded))
  }

  func runsTriggers(askedBy authorizer: Authorizer?) -> Bool {
    refresh(authorizer)
    return recorded.hasContext
  }

  var isKnownToInsertByRowID: Bool {
    knownIdentity == .rowID && preparations == Self.preparations(of: pointer)
  }

  func rowIdentity(askedBy authorizer: Authorizer?) throws(DatabaseError) -> RowIdentity {
    refresh(authorizer)
    if let knownIdentity { return knownIdentity }
    var identity: RowIdentity? = RowIdentity.none
    if let table = recorded.changedTable {
      identity = SchemaReader(database).rowIdentity(of: table)
    }
    guard let identity else {
      throw DatabaseError(.step, code: sqlite3_errcode(database), from: database, sql: sql)
    }
    knownIdentity = identity
    return identity
  }

  private static func preparations(of pointer: OpaquePointer) -> Int32 {
    sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_REPREPARE, 0)
  }

  private func refresh(_ authorizer: Authorizer?) {
    let now = Self.preparations(of: pointer)
    guard now != preparations, let authorizer, let database else { return }
    preparations = now
    var copy: OpaquePointer?
    let code = authorizer.preparing(sql) {
      sqlite3_finalize(copy)
      return sqlite3_prepare_v3(database, sql, -1, 0, &copy, nil)
    }
    sqlite3_finalize(copy)
    if code == SQLITE_OK {
      recorded = authorizer.recorded
      (knownReads, knownWrites, knownTables, knownSource) = (nil, nil, nil, nil)
      knownIdentity = nil
    } else {
      (knownReads, knownWrites, knownSource) = (.anything, .everything, .some(nil))
      knownIdentity = RowIdentity.none
    }
  }
}

/// The values of a column that a condition allows. The schema shows whether the column is the
/// rowid.
struct ChosenRows: Sendable, Equatable {
  let table: ExactText
  let column: ExactText
  var values: Set<Int64>

  /// Above this number, the whole table is observed.
  static let limit = 1_000
}
