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
    if let known = connection.keepingStatement(insertion.one.place) {
      return try insert(row, schema, insertion, known, in: connection)
    }
    if let alone = connection.aloneStatement(insertion.one.place, keeping: insertion.keepingID),
      let stored = try insertAlone(row, schema, alone, in: connection)
    {
      return stored
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
    if isKept { connection.noteKeeping(insertion.one, insertion.keepingID) }
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

  /// Inserts a row by a statement that is known to store rows as they are bound, and is a transaction by itself.
  /// - Returns: The row; nil where nothing is stored, since it has to be read before it is committed.
  @inlinable
  func insertAlone<Row: Insertable>(
    _ row: Row, _ schema: TableSchema, _ statement: consuming Statement,
    in connection: isolated Connection
  ) throws(DatabaseError) -> T? where Row.Stored == T {
    // Another type may insert by the same statement, with rows that are not given back, and an Int of 32 bits may not hold
    // each rowid: once the row is committed it is too late to refuse it.
    guard row._stored(.max) != nil else { return nil }
    statement.lookForOtherValues()
    try row.bind(to: statement, at: 1)
    guard !statement.hasOtherValue, try statement.commitsAsCompiled() else { return nil }
    guard let rowID = statement.insertedRowID else { throw Self.notStored() }
    if let stored = row._stored(rowID) { return stored }
    _ = consume statement
    return try inserted(rowID, schema, in: connection)
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
