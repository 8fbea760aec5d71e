/// See [INSERT](https://www.sqlite.org/lang_insert.html).
extension Table {
  /// Inserts a row.
  /// - Parameters:
  ///   - row: A draft, whose rowid the database assigns, or a model with its key.
  ///   - connection: The connection of a transaction.
  /// - Returns: The row as stored, with its key and its defaults.
  /// - Throws: ``DatabaseError`` if a constraint is violated, a value cannot be stored, or the
  ///   table has conditions.
  /// - Complexity: O(log *n*) in the number of rows of the table, for each index.
  @inlinable
  @discardableResult
  public func insert<Row: Insertable>(_ row: Row, in connection: isolated Connection)
    throws(DatabaseError) -> T
  where Row.Stored == T {
    if !isWhole { try checkInsertable() }
    let schema = schema
    let insertion = schema.insertion(of: Row.self)
    if let known = connection.keepingStatement(insertion.one) {
      return try insert(row, schema, insertion, known, in: connection)
    }
    let scope = try connection.beginInsertion()
    var isKept = false
    let stored: T
    do throws(DatabaseError) {
      stored = try insert(row, schema, insertion, scope, &isKept, in: connection)
    } catch {
      connection.undo(scope)
      throw error
    }
    try connection.end(scope)
    if isKept { connection.noteKeeping(insertion) }
    return stored
  }

  /// Inserts a row by a statement that is known to store rows as they are bound: nothing is to be undone, for nothing
  /// keeps the row from being read.
  @inlinable
  func insert<Row: Insertable>(
    _ row: Row, _ schema: TableSchema, _ insertion: Insertion, _ statement: consuming Statement,
    in connection: isolated Connection
  ) throws(DatabaseError) -> T where Row.Stored == T {
    statement.lookForOtherValues()
    try row.bind(to: statement, at: 1)
    try statement.run()
    do throws(DatabaseError) {
      // SQLite may have compiled it anew.
      guard try statement.keepsValues(insertion) else { throw Self.changedMeanwhile() }
      guard let rowID = statement.insertedRowID else { throw Self.notStored() }
      if !statement.hasOtherValue, let stored = row._stored(rowID) { return stored }
      _ = consume statement
      return try inserted(rowID, schema, in: connection)
    } catch {
      connection.undoWhole(after: error)
      throw error
    }
  }

  @inlinable
  func inserted(
    _ rowID: Int64, _ schema: TableSchema, in connection: isolated Connection
  ) throws(DatabaseError) -> T {
    let inserted = try connection.followingStatement(schema.selectByRowID)
    try inserted.bind(rowID, at: 1)
    guard let stored = try inserted.fetchOne(T.self) else { throw Self.notStored() }
    return stored
  }

  @inlinable
  func insert<Row: Insertable>(
    _ row: Row, _ schema: TableSchema, _ insertion: Insertion, _ scope: InsertionScope,
    _ isKept: inout Bool, in connection: isolated Connection
  ) throws(DatabaseError) -> T where Row.Stored == T {
    // Reading the row takes a fifth of what RETURNING does, for which SQLite makes a table in memory each time.
    let statement = try connection.statement(insertion.one)
    guard scope.canUndo, try statement.insertsPlainly else {
      return try insertReturning(row, insertion, in: connection)
    }
    statement.lookForOtherValues()
    try row.bind(to: statement, at: 1)
    try statement.run()
    guard try statement.insertsPlainly else {
      // Somebody has made a trigger just now.
      try connection.again(scope)
      return try insertReturning(row, insertion, in: connection)
    }
    guard let rowID = statement.insertedRowID else { throw Self.notStored() }
    // A model that is written by hand may make its schema anew each time, which is not compared with a file's then.
    if let stored = row._stored(rowID), try statement.keepsValues(insertion) {
      isKept = true
      if !statement.hasOtherValue { return stored }
    }
    _ = consume statement
    return try inserted(rowID, schema, in: connection)
  }

  @inlinable
  func insertReturning<Row: Insertable>(
    _ row: Row, _ insertion: Insertion, in connection: isolated Connection
  ) throws(DatabaseError) -> T where Row.Stored == T {
    let statement = try connection.statement(insertion.oneReturning)
    try row.bind(to: statement, at: 1)
    let stored = try statement.fetchReturned(T.self)
    guard let stored else { throw Self.notStored() }
    return stored
  }

  @usableFromInline
  static func notStored() -> DatabaseError {
    DatabaseError(
      .step, "The row was not stored: a trigger may have ignored it", table: T.schema.name)
  }

  @usableFromInline
  static func changedMeanwhile() -> DatabaseError {
    DatabaseError(
      .step,
      "The table was changed by something that the database does not know of while rows were inserted",
      table: T.schema.name)
  }

  /// Inserts rows, either all of them or none.
  /// - Parameters:
  ///   - rows: Drafts or models, of which there may be none.
  ///   - connection: The connection of a transaction.
  /// - Returns: The number of rows inserted.
  /// - Throws: ``DatabaseError`` if a constraint is violated or a value cannot be stored, in which
  ///   case no row is inserted, or if the table has conditions.
  /// - Complexity: O(*m* log *n*) in the numbers of rows inserted and stored, for each index.
  @inlinable
  @discardableResult
  public func insert<Rows: Collection>(
    contentsOf rows: Rows, in connection: isolated Connection
  ) throws(DatabaseError) -> Int where Rows.Element: Insertable, Rows.Element.Stored == T {
    if !isWhole { try checkInsertable() }
    guard !rows.isEmpty else { return 0 }
    return try connection.atomically { () throws(DatabaseError) in
      try insertEach(rows, schema.insertion(of: Rows.Element.self), in: connection)
      return rows.count
    }
  }

  @inlinable
  func insertEach<Rows: Collection>(
    _ rows: Rows, _ insertion: Insertion, in connection: isolated Connection
  ) throws(DatabaseError) where Rows.Element: Insertable, Rows.Element.Stored == T {
    var index = rows.startIndex
    var remaining = rows.count
    let chunk = insertion.rowsPerStatement
    let columnCount = insertion.columnCount
    if remaining >= chunk, chunk > 1 {
      let statement = try connection.statement(insertion.many)
      while remaining >= chunk {
        var first: Int32 = 1
        for _ in 0..<chunk {
          try rows[index].bind(to: statement, at: first)
          first += columnCount
          rows.formIndex(after: &index)
        }
        try statement.run()
        statement.reset()
        remaining -= chunk
      }
    }
    guard remaining > 0 else { return }
    let statement = try connection.statement(insertion.one)
    while remaining > 0 {
      try rows[index].bind(to: statement, at: 1)
      try statement.run()
      statement.reset()
      rows.formIndex(after: &index)
      remaining -= 1
    }
  }
}

/// What undoes an insertion whose row cannot be read back, so that it is not stored even if the caller catches
/// the error and continues.
@usableFromInline
enum InsertionScope {
  /// Nothing, in a transaction that SQL has begun.
  case none
  /// A transaction or a savepoint of its own.
  case own
  /// The transaction, of which it is the first statement: it begins anew.
  case first(TransactionKind, changes: Int64)

  @usableFromInline
  var canUndo: Bool { if case .none = self { false } else { true } }
}

extension Statement {
  /// Whether it stores rows of an insertion as they are bound.
  @usableFromInline
  func keepsValues(_ insertion: Insertion) throws(DatabaseError) -> Bool {
    guard let id = insertion.keepingID else { return false }
    if isKnownToKeepValues(id) { return true }
    guard let columns = insertion.keeping else { return false }
    return try keepsValues(columns)
  }
}

extension Connection {
  /// The statement of an insertion that is known to store rows as they are bound; nil where that has to be found out.
  @usableFromInline
  func keepingStatement(_ text: StatementText) -> Statement? {
    let isInTransaction = state.depth > 0
    guard isInTransaction, let opened = state.current,
      opened._withUnsafeGuaranteedRef({ $0.cache.keepsValues(text.place) })
    else { return nil }
    return statement(at: text.place)
  }

  /// Notes that the statement of an insertion stores rows as they are bound, where that has been found out.
  @usableFromInline
  func noteKeeping(_ insertion: Insertion) {
    guard let columns = insertion.keepingID, depth > 0, let opened = state.current else { return }
    opened._withUnsafeGuaranteedRef { $0.cache.noteKeeping(insertion.one.place, columns) }
  }

  @usableFromInline
  func beginInsertion() throws(DatabaseError) -> InsertionScope {
    if depth == 1, let kind = state.freshTransaction {
      let changes = try changeCount()
      if !isAutocommitting { return .first(kind, changes: changes) }
    }
    guard depth > 0 || isAutocommitting else { return .none }
    try begin(.deferred)
    return .own
  }

  @usableFromInline
  func end(_ scope: InsertionScope) throws(DatabaseError) {
    if case .own = scope { try commit() }
  }

  @usableFromInline
  func undo(_ scope: InsertionScope) {
    switch scope {
    case .none: break
    case .own: rollback()
    case .first(let kind, let changes): beginAnew(kind, ifChangedSince: changes)
    }
  }

  /// Undoes an insertion that is then done in another way.
  @usableFromInline
  func again(_ scope: InsertionScope) throws(DatabaseError) {
    undo(scope)
    guard case .own = scope else { return }
    do throws(DatabaseError) {
      try begin(.deferred)
    } catch {
      depth += 1  // for the caller, who undoes it
      throw error
    }
  }
}
