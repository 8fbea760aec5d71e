/// See [INSERT](https://www.sqlite.org/lang_insert.html).
extension Table {
  /// Inserts a row.
  /// - Parameters:
  ///   - row: A draft, whose rowid the database assigns, or a model with its key.
  ///   - connection: The connection of a transaction.
  /// - Returns: The row as stored, with its key, its defaults and the changes of triggers.
  /// - Throws: ``DatabaseError`` if a constraint is violated, a value cannot be stored, the stored
  ///   row cannot be read, or the table has conditions. The row is then not stored.
  /// - Complexity: O(log *n*) in the number of rows of the table, for each index.
  @inlinable
  @discardableResult
  public func insert<Row: Insertable>(_ row: Row, in connection: isolated Connection)
    throws(DatabaseError) -> T
  where Row.Stored == T {
    try inserting(row, in: connection)
  }

  @inlinable
  func inserting<Row: Insertable>(_ row: Row, in connection: isolated Connection)
    throws(DatabaseError) -> T
  where Row.Stored == T {
    if !isWhole { try checkInsertable() }
    let schema = schema
    let insertion = schema.insertion(of: Row.self)
    return try connection.atomically { () throws(DatabaseError) in
      guard
        let stored = try insertedRow(
          row, schema, insertion.one, insertion.oneReturning, in: connection)
      else { throw Self.notStored() }
      return stored
    }
  }

  /// Reads the stored row after all triggers have run. Returns nil if no row was inserted.
  @inlinable
  func insertedRow<Row: Insertable>(
    _ row: Row, _ schema: TableSchema, _ text: StatementText, _ returningText: StatementText,
    in connection: isolated Connection
  ) throws(DatabaseError) -> T? where Row.Stored == T {
    let statement = try connection.statement(text)
    // RETURNING also gives the key, but is slower: SQLite stores the result in a temporary table.
    guard try statement.insertsByRowID else {
      let returning = try connection.statement(returningText)
      try row.bind(to: returning, at: 1)
      return try changedRow(returning, schema, in: connection)
    }
    try row.bind(to: statement, at: 1)
    try statement.run()
    // SQLite recompiles the statement if the schema has changed.
    guard try statement.insertsByRowID else { throw Self.changedMeanwhile() }
    guard let rowID = statement.insertedRowID else { return nil }
    _ = consume statement
    let stored = try connection.statement(schema.selectByRowID)
    try stored.bind(rowID, at: 1)
    guard let model = try stored.fetchOne(T.self) else { throw Self.notStored() }
    return model
  }

  /// Reads the changed row by its key, because RETURNING returns the row before AFTER triggers run.
  /// Returns nil if no row was changed.
  @inlinable
  func changedRow(
    _ statement: consuming Statement, _ schema: TableSchema, in connection: isolated Connection
  ) throws(DatabaseError) -> T? {
    guard try statement.step() else { return nil }
    guard let key = try statement.returnedKey(schema) else {
      // A view or a virtual table, which have no AFTER triggers, or a model without a key.
      let row = try statement.read(T.self)
      try statement.run()
      return row
    }
    try statement.run()
    _ = consume statement
    let stored = try connection.statement(schema.selectByKey)
    try stored.bind(key)
    guard let model = try stored.fetchOne(T.self) else { throw Self.notStored() }
    return model
  }

  @usableFromInline
  static func notStored() -> DatabaseError {
    DatabaseError(
      .step,
      "The row was not stored: a trigger or an ON CONFLICT clause may have ignored it, or a trigger deleted it or changed its key. Check the triggers and constraints of the table",
      table: T.schema.name)
  }

  @usableFromInline
  static func changedMeanwhile() -> DatabaseError {
    DatabaseError(
      .step, code: .schemaChanged,
      "Another connection changed the table during the insert, so nothing was stored: insert the row again",
      table: T.schema.name)
  }

  /// Inserts rows: all of them, or after an error none.
  ///
  /// ```swift
  /// let count = try companies.insert(contentsOf: drafts, in: db)
  /// ```
  /// - Parameters:
  ///   - rows: Drafts or models. May be empty.
  ///   - connection: The connection of a transaction.
  /// - Returns: The number of rows inserted, without rows that a trigger or an ON CONFLICT clause
  ///   ignored.
  /// - Throws: ``DatabaseError`` if a constraint is violated, a value cannot be stored, or the
  ///   table has conditions. No row is then inserted.
  /// - Complexity: O(*m* log *n*) in the numbers of rows inserted and stored, for each index.
  @inlinable
  @discardableResult
  public func insert<Rows: Collection>(
    contentsOf rows: Rows, in connection: isolated Connection
  ) throws(DatabaseError) -> Int where Rows.Element: Insertable, Rows.Element.Stored == T {
    if !isWhole { try checkInsertable() }
    guard !rows.isEmpty else { return 0 }
    let insertion = schema.insertion(of: Rows.Element.self)
    let count = try connection.run(
      insertion.ofRows, of: rows, width: Int(insertion.columnCount)
    ) { (row, statement) throws(DatabaseError) in try row.bind(to: statement, at: 1) }
    if let count { return count }
    let only = rows.count == 1 ? insertion.one : nil
    return try connection.atomically(only: only) { () throws(DatabaseError) in
      try insertEach(rows, insertion, in: connection)
    }
  }

  @inlinable
  func insertEach<Rows: Collection>(
    _ rows: Rows, _ insertion: Insertion, in connection: isolated Connection
  ) throws(DatabaseError) -> Int where Rows.Element: Insertable, Rows.Element.Stored == T {
    var index = rows.startIndex
    var count = 0
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
        count += try connection.changedRows(by: statement, ofView: chunk)
        statement.reset()
        remaining -= chunk
      }
    }
    guard remaining > 0 else { return count }
    let statement = try connection.statement(insertion.one)
    while remaining > 0 {
      try rows[index].bind(to: statement, at: 1)
      count += try connection.changedRows(by: statement)
      statement.reset()
      rows.formIndex(after: &index)
      remaining -= 1
    }
    return count
  }
}

// Each function runs on the writing connection, in a transaction of its own.
extension Table {
  /// Inserts a row in a transaction of its own, and returns the row as stored.
  @inlinable
  @discardableResult
  public func insert<Row: Insertable>(_ row: Row, in database: Database) async throws
    -> T
  where Row.Stored == T {
    try await database.writeOperation { try inserting(row, in: $0) }
  }

  /// Inserts rows in a transaction of its own, and returns the number of rows.
  @inlinable
  @discardableResult
  public func insert<Rows: Collection & Sendable>(
    contentsOf rows: Rows, in database: Database
  ) async throws -> Int where Rows.Element: Insertable, Rows.Element.Stored == T {
    try await database.writeOperation { try insert(contentsOf: rows, in: $0) }
  }
}

extension Statement {
  /// Returns the primary key in a row of RETURNING; nil if no key identifies the row.
  @usableFromInline
  func returnedKey(_ schema: TableSchema) throws(DatabaseError) -> [any ColumnValue]? {
    guard !schema.primaryKey.isEmpty, try changesByKey else { return nil }
    var values: [any ColumnValue] = []
    for key in schema.primaryKey {
      guard let index = schema.columns.firstIndex(where: { $0.name.hasSameBytes(as: key.name) })
      else { return nil }
      values.append(try DatabaseValue(cell: Cell(pointer, Int32(index))))
    }
    return values
  }
}
