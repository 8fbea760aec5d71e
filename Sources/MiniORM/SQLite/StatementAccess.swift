import CSQLCipher

/// What a prepared statement reads and writes, and what it has done since it was last looked at.
///
/// SQLite compiles a statement anew by itself when the schema has changed. What was recorded may then
/// be another statement's, in effect, and is recorded again.
final class StatementAccess {
  private let pointer: OpaquePointer
  private let sql: String
  private var recorded: RecordedAccess
  private var knownReads: ReadSet?
  private var knownWrites: WriteSet?
  private var knownTables: [SchemaTable: WrittenTable]?
  @exclusivity(unchecked) private var isPlainInsertion: Bool?
  /// The columns of the model whose rows it is known to store as they are bound, of several that may insert by it, and of
  /// the one whose rows it is known not to.
  @exclusivity(unchecked) private var kept: ObjectIdentifier?
  private var keptColumns: KeptColumns?
  // Not of the prepared statement, which every run pays for if its properties move.
  /// The part of a transaction in which it is known to store rows as they are bound.
  @exclusivity(unchecked) var keptPart = 0
  /// Whether a value was bound as another one that is equal to it.
  @exclusivity(unchecked) var hasOtherValue = false
  private var unkept: KeptColumns?
  /// The table whose rows it reads, where there is no other, and the column that is its rowid.
  private var knownSource: (table: SchemaTable, rowID: ExactText)??
  /// How often SQLite had compiled it anew when it was recorded.
  @exclusivity(unchecked) private var preparations: Int32
  /// How often it had run, and how many rows the connection had changed.
  @exclusivity(unchecked) private var runs: Int32 = 0
  @exclusivity(unchecked) private var changes: Int64 = 0
  /// How many levels the transaction had, and how many rows were in the log of the last.
  @exclusivity(unchecked) var logged = (level: 0, rows: 0)

  /// What is to be done when it has run.
  enum Kind { case reading, writing, control, schema }
  let kind: Kind

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
      // What writes and asks for nothing is VACUUM, which may give rows other rowids.
      kind = sqlite3_stmt_readonly(pointer) == 0 && !recorded.isPragma ? .schema : .reading
    }
  }

  var control: RecordedAccess.Control? { recorded.control }
  var savepoint: ExactText { recorded.savepoint }

  // MARK: Runs

  private var database: OpaquePointer? { sqlite3_db_handle(pointer) }
  private var runsNow: Int32 { sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_RUN, 0) }

  /// Notes how things stand before it runs.
  func begin() {
    runs = runsNow
    changes = sqlite3_total_changes64(database)
  }

  var hasRun: Bool { runsNow != runs }

  /// Returns how many rows it has changed since it was asked last.
  func takeChanges() -> Int64 {
    let now = sqlite3_total_changes64(database)
    defer { changes = now }
    return now &- changes
  }

  // MARK: What it reads and writes

  /// Returns the columns that it reads.
  func reads(askedBy authorizer: Authorizer?) -> ReadSet {
    refresh(authorizer)
    if let knownReads { return knownReads }
    let schema = SchemaReader(database)
    let reads = recorded.readSet(in: schema)
    guard !schema.hasFailed else { return .anything }
    knownReads = reads
    return reads
  }

  /// Returns the columns that it reads in a run that reads only some rows.
  /// - Returns: `nil` where the rows are not chosen by the rowid of its one table.
  func reads(_ chosen: ChosenRows, askedBy authorizer: Authorizer?) -> ReadSet? {
    let reads = reads(askedBy: authorizer)
    // Not what the values of an IN come from.
    var source = knownSource
    if source == nil {
      let schema = SchemaReader(database)
      source = .some(recorded.source(in: schema, besides: ValueList.moduleName))
      guard !schema.hasFailed else { return nil }
      knownSource = source
    }
    guard let source = source ?? nil, source.table.table.folded == chosen.table,
      source.rowID == chosen.column
    else { return nil }
    return reads.limited(to: chosen.values, of: source.table)
  }

  /// Returns the columns that it may change.
  func writes(askedBy authorizer: Authorizer?) -> WriteSet {
    refresh(authorizer)
    if let knownWrites { return knownWrites }
    let schema = SchemaReader(database)
    let writes = recorded.writeSet(of: sql, in: schema)
    guard !schema.hasFailed else { return .everything }
    knownWrites = writes
    return writes
  }

  /// Returns the tables that it may change.
  func tables(askedBy authorizer: Authorizer?) -> [SchemaTable: WrittenTable] {
    refresh(authorizer)
    if let knownTables { return knownTables }
    let schema = SchemaReader(database)
    let tables = recorded.tables(of: sql, in: schema)
    guard !schema.hasFailed else {
      return tables.mapValues { table in
        var table = table
        table.isKnown = false
        return table
      }
    }
    knownTables = tables
    return tables
  }

  /// Whether it has been found to insert plainly, and has not been compiled anew since.
  var isKnownToInsertPlainly: Bool {
    isPlainInsertion == true && isAsRecorded
  }

  /// Whether it inserts into one table that keeps its rows by rowids, and no trigger takes part: then SQLite
  /// tells by which rowid a row was stored, and whether it was.
  func insertsPlainly(askedBy authorizer: Authorizer?) throws(DatabaseError) -> Bool {
    refresh(authorizer)
    if let isPlainInsertion { return isPlainInsertion }
    var isPlain = false
    if let table = recorded.insertedTable {
      guard let hasRowIDs = SchemaReader(database).hasRowIDs(table) else {
        // The failure may have ended the transaction: nothing more is to be done in it.
        throw DatabaseError(.step, code: sqlite3_errcode(database), from: database, sql: sql)
      }
      isPlain = hasRowIDs
    }
    isPlainInsertion = isPlain
    return isPlain
  }

  /// Whether it has been found to store rows as they are bound, and has not been compiled anew since.
  /// - Parameter columns: The ID of what its table has to be like for that.
  func isKnownToKeepValues(_ columns: ObjectIdentifier) -> Bool {
    kept == columns && isAsRecorded
  }

  /// Whether it stores rows as they are bound: it inserts plainly, into a table that is as it has to be for that.
  /// - Parameter columns: What its table has to be like.
  func keepsValues(_ columns: KeptColumns, askedBy authorizer: Authorizer?) throws(DatabaseError)
    -> Bool
  {
    guard try insertsPlainly(askedBy: authorizer), let table = recorded.insertedTable,
      unkept?.id != columns.id
    else { return false }
    guard let areIn = columns.areIn(table, SchemaReader(database)) else {
      throw DatabaseError(.step, code: sqlite3_errcode(database), from: database, sql: sql)
    }
    if areIn { (kept, keptColumns) = (columns.id, columns) } else { unkept = columns }
    return areIn
  }

  /// Whether SQLite has not compiled it anew since it was recorded.
  var isAsRecorded: Bool { Self.preparations(of: pointer) == preparations }

  private static func preparations(of pointer: OpaquePointer) -> Int32 {
    sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_REPREPARE, 0)
  }

  private func refresh(_ authorizer: Authorizer?) {
    let now = Self.preparations(of: pointer)
    guard now != preparations, let authorizer, let database else { return }
    preparations = now
    var copy: OpaquePointer?
    let code = authorizer.preparing(sql) {
      sqlite3_prepare_v3(database, sql, -1, 0, &copy, nil)
    }
    sqlite3_finalize(copy)
    if code == SQLITE_OK {
      recorded = authorizer.recorded
      (knownReads, knownWrites, knownTables, knownSource) = (nil, nil, nil, nil)
      (isPlainInsertion, kept, unkept) = (nil, nil, nil)
    } else {
      (knownReads, knownWrites, knownSource) = (.anything, .everything, .some(nil))
      (isPlainInsertion, kept) = (false, nil)
    }
  }
}
