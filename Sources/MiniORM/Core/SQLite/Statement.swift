public import CSQLCipher

/// A prepared statement, checked out of its connection's cache until the end of its scope.
///
/// Models bind their values with ``bind(_:at:)``, in code that `@Table` generates.
///
/// See [Prepared Statement Object](https://www.sqlite.org/c3ref/stmt.html).
@_documentation(visibility: internal)
public struct Statement: ~Copyable {
  @usableFromInline let pointer: OpaquePointer
  @usableFromInline let storage: PreparedStatement
  // Keeps the cache alive if the connection is released while the statement is in use.
  @usableFromInline let owner: StatementCache

  init(_ storage: PreparedStatement, of owner: StatementCache) {
    pointer = storage.pointer
    self.storage = storage
    self.owner = owner
  }

  deinit {
    owner.checkIn(storage)
  }

  static func sql(_ pointer: OpaquePointer) -> String? {
    sqlite3_sql(pointer).map { String(cString: $0) }  // NUL-terminated by contract
  }

  // `&+` needs no overflow check: after an overflow the index is negative, and SQLite reports it as
  // out of range.
  // One overload per number of values: the compiler does not specialize a call with a parameter
  // pack, and would look up each type's metadata at run time.

  /// Binds a value to a parameter.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - index: The parameter's number, from 1.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the value cannot be stored, or the
  ///   statement has no such parameter.
  @inlinable
  public func bind<A: ColumnValue>(_ value: A, at index: Int32) throws(DatabaseError) {
    try bindOne(value, index)
  }

  /// Binds two values to consecutive parameters, beginning at `index`.
  @inlinable
  public func bind<A: ColumnValue, B: ColumnValue>(
    _ a: A, _ b: B, at index: Int32
  ) throws(DatabaseError) {
    try bindOne(a, index)
    try bindOne(b, index &+ 1)
  }

  /// Binds three values to consecutive parameters, beginning at `index`.
  @inlinable
  public func bind<A: ColumnValue, B: ColumnValue, C: ColumnValue>(
    _ a: A, _ b: B, _ c: C, at index: Int32
  ) throws(DatabaseError) {
    try bindOne(a, index)
    try bindOne(b, index &+ 1)
    try bindOne(c, index &+ 2)
  }

  /// Binds four values to consecutive parameters, beginning at `index`.
  @inlinable
  public func bind<A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue>(
    _ a: A, _ b: B, _ c: C, _ d: D, at index: Int32
  ) throws(DatabaseError) {
    try bindOne(a, index)
    try bindOne(b, index &+ 1)
    try bindOne(c, index &+ 2)
    try bindOne(d, index &+ 3)
  }

  /// Integers avoid `bind(to:)`, because the optimizer (6.3) does not inline a call with a typed
  /// error. In a specialized function, the casts cost nothing.
  @inlinable
  @inline(__always)
  func bindOne<A: ColumnValue>(_ value: A, _ index: Int32) throws(DatabaseError) {
    if let value = value as? Int64 {
      try parameter(index).bind(value)
    } else if let value = value as? Int {
      try parameter(index).bind(Int64(value))
    } else {
      try value.bind(to: parameter(index))
    }
  }

  @inlinable
  func parameter(_ index: Int32) -> Parameter {
    Parameter(pointer, index)
  }

  @usableFromInline
  func bind(_ values: [any ColumnValue]) throws(DatabaseError) {
    var index: Int32 = 1
    for value in values {
      try value.bind(to: parameter(index))
      index += 1
    }
  }

  @inlinable
  func step() throws(DatabaseError) -> Bool {
    let code = sqlite3_step(pointer)
    guard code == SQLITE_ROW || code == SQLITE_DONE else { return try stepAgain(after: code) }
    if owner.hasCompiled { try owner.checkFormats(of: storage) }
    return code == SQLITE_ROW
  }

  @usableFromInline
  @inline(never)
  func stepAgain(after code: Int32) throws(DatabaseError) -> Bool {
    guard let database = sqlite3_db_handle(pointer),
      code == HotJournal.code || CurrentSchema.readShadowTriggers(on: database, after: code)
        || readStrings(after: code, on: database)
    else { throw error(after: code) }
    let undo = owner.undoJournal
    let code = HotJournal.retrying(undo: undo) { sqlite3_step(pointer) }
    guard code == SQLITE_ROW || code == SQLITE_DONE else { throw error(after: code) }
    if owner.hasCompiled { try owner.checkFormats(of: storage) }
    return code == SQLITE_ROW
  }

  /// The schema has changed, and a trigger or a view now has a string in double quotes.
  /// - Returns: True if the statement has no names in double quotes, so that it can be recompiled.
  private func readStrings(after code: Int32, on database: OpaquePointer) -> Bool {
    guard StringsInSchema.areRefused(on: database, code) else { return false }
    guard storage.access.kind == .schema || !storage.sql.utf8.contains(UInt8(ascii: "\"")) else {
      owner.drop(storage)
      return false
    }
    owner.readStrings(true, on: database)
    owner.removeAll()
    return true
  }

  @inlinable
  func run() throws(DatabaseError) {
    while try step() {}
  }

  var changes: Int { Int(sqlite3_changes64(sqlite3_db_handle(pointer))) }

  @usableFromInline
  var insertsByRowID: Bool {
    get throws(DatabaseError) {
      if storage.access.isKnownToInsertByRowID { return true }
      // The check reads the schema. After a read, a deferred transaction cannot wait for the write
      // lock.
      guard sqlite3_txn_state(sqlite3_db_handle(pointer), nil) == SQLITE_TXN_WRITE else {
        return false
      }
      return try rowIdentity == .rowID
    }
  }

  /// True if a key identifies a changed row: false for views and virtual tables.
  var changesByKey: Bool {
    get throws(DatabaseError) { try rowIdentity != .none }
  }

  @usableFromInline
  var runsTriggers: Bool { storage.access.runsTriggers(askedBy: owner.authorizer) }

  private var rowIdentity: RowIdentity {
    get throws(DatabaseError) {
      let access = storage.access
      return try access.rowIdentity(askedBy: owner.authorizer)
    }
  }

  @usableFromInline
  var insertedRowID: Int64? {
    let database = sqlite3_db_handle(pointer)
    return sqlite3_changes64(database) == 0 ? nil : sqlite3_last_insert_rowid(database)
  }

  @inlinable
  func reset() { sqlite3_reset(pointer) }

  @inline(__always)
  var controlsTransaction: Bool {
    storage.access.kind == .control
  }

  var isRecorded: Bool { owner.isRecording }

  /// Records the rows that the run can read; nil for all rows.
  func choose(_ rows: @autoclosure () -> ChosenRows?) {
    guard isRecorded else { return }
    let rows = rows()
    owner.watch?.choose(rows, by: storage)
  }

  var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }

  var columnCount: Int32 { sqlite3_column_count(pointer) }

  var values: [DatabaseValue] {
    get throws(DatabaseError) { try Self.values(pointer) }
  }

  /// Returns the values of a statement's current row.
  static func values(_ pointer: OpaquePointer) throws(DatabaseError) -> [DatabaseValue] {
    try (0..<sqlite3_column_count(pointer)).map { index throws(DatabaseError) in
      try DatabaseValue(cell: Cell(pointer, index))
    }
  }

  func columnName(_ index: Int32) -> String {
    sqlite3_column_name(pointer, index).map { String(cString: $0) } ?? ""
  }

  @usableFromInline
  func error(after code: Int32) -> DatabaseError {
    var error = DatabaseError(
      .step, code: code, from: sqlite3_db_handle(pointer), sql: Self.sql(pointer)
    ).hidingValues(of: pointer)
    // In a query, SQLite requires integers only for the limit and the offset.
    if sqlite3_stmt_readonly(pointer) != 0, error.message.hasSameBytes(as: "datatype mismatch") {
      error = error.adding(
        message: "the limit must be an integer of 0 or more, and the offset an integer")
    }
    error = owner.authorizer?.explain(error) ?? error
    error = FailedCommit.checking(error, of: storage, owner.watch)
    owner.watch?.noteFailure(error)
    return error
  }
}
