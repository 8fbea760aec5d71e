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
    let scope = try connection.beginInsertion()
    let stored: T
    do throws(DatabaseError) {
      stored = try insert(row, schema, scope, in: connection)
    } catch {
      connection.undo(scope)
      throw error
    }
    try connection.end(scope)
    return stored
  }

  @inlinable
  func insert<Row: Insertable>(
    _ row: Row, _ schema: TableSchema, _ scope: InsertionScope, in connection: isolated Connection
  ) throws(DatabaseError) -> T where Row.Stored == T {
    let insertion = schema.insertion(of: Row.self)
    // Reading the row takes a fifth of what RETURNING does, for which SQLite makes a table in memory each time.
    let statement = try connection.statement(insertion.one)
    guard scope.canUndo, try statement.insertsPlainly else {
      return try insertReturning(row, insertion, in: connection)
    }
    try row.bind(to: statement, at: 1)
    try statement.run()
    guard try statement.insertsPlainly else {
      // Somebody has made a trigger just now.
      try connection.again(scope)
      return try insertReturning(row, insertion, in: connection)
    }
    guard let rowID = statement.insertedRowID else { throw Self.notStored() }
    _ = consume statement
    let inserted = try connection.followingStatement(schema.selectByRowID)
    try inserted.bind(rowID, at: 1)
    let stored = try inserted.fetchOne(T.self)
    guard let stored else { throw Self.notStored() }
    return stored
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

extension Connection {
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
