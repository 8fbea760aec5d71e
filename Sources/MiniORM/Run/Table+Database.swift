// The same methods for a database, outside a transaction: reads go to its reading connection,
// writes to its writing one, each a transaction of its own. They are inlinable so that what they
// call is specialised for the model.
extension Table {
  /// All the rows.
  /// - Parameter database: The database.
  /// - Returns: The rows; none is an empty array.
  /// - Throws: ``DatabaseError`` when the table does not exist, or a value is not of its property's
  ///   type.
  /// - Complexity: O(*n*) in the number of rows, beside the search.
  @inlinable
  public func fetchAll(in database: Database) async throws(DatabaseError) -> [T] {
    try await fetchAll(in: database.reader)
  }

  /// The first row.
  /// - Parameter database: The database.
  /// - Returns: The row, or `nil` when there is none.
  /// - Throws: ``DatabaseError`` when the table does not exist, or a value is not of its property's
  ///   type.
  @inlinable
  public func fetchOne(in database: Database) async throws(DatabaseError) -> T? {
    try await fetchOne(in: database.reader)
  }

  /// The row with a primary key, among those selected.
  /// - Parameters:
  ///   - key: The primary key; a tuple where it has several columns.
  ///   - database: The database.
  /// - Returns: The row, or `nil` when there is none.
  /// - Throws: ``DatabaseError`` when the table does not exist, or a value is not of its property's
  ///   type.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @inlinable
  public func find(_ key: T.PrimaryKey, in database: Database) async throws(DatabaseError) -> T?
  where T: PrimaryKeyedModel {
    try await find(key, in: database.reader)
  }

  /// Calls a closure with each row in turn, holding one in memory.
  /// - Parameters:
  ///   - database: The database.
  ///   - body: What to do with a row, on the connection's executor. When it throws, the reading
  ///     ends.
  /// - Throws: What the closure throws, or ``DatabaseError``.
  /// - Complexity: O(*n*) in the number of rows; O(1) memory.
  @inlinable
  public func forEach(in database: Database, _ body: @Sendable (T) throws -> Void) async throws {
    try await forEach(in: database.reader, body)
  }

  /// The number of rows.
  /// - Parameter database: The database.
  /// - Throws: ``DatabaseError`` when the table does not exist.
  /// - Complexity: O(*n*) in the number of rows: SQLite keeps no count.
  public func count(in database: Database) async throws(DatabaseError) -> Int {
    try await count(in: database.reader)
  }

  /// Whether there is a row.
  /// - Parameter database: The database.
  /// - Throws: ``DatabaseError`` when the table does not exist.
  public func exists(in database: Database) async throws(DatabaseError) -> Bool {
    try await exists(in: database.reader)
  }

  /// The least value of an expression, NULL left out.
  /// - Parameters:
  ///   - expression: A closure from the table's columns to the expression.
  ///   - database: The database.
  /// - Returns: The value, or `nil` when there is none.
  /// - Throws: ``DatabaseError`` when the table does not exist, or the value is not of the type.
  public func min<Value: SQLComparable>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws(DatabaseError) -> Value.SQLUnwrapped?
  where Value.SQLUnwrapped: Sendable {
    try await min(of: expression, in: database.reader)
  }

  /// The greatest value of an expression, NULL left out.
  /// - Parameters:
  ///   - expression: A closure from the table's columns to the expression.
  ///   - database: The database.
  /// - Returns: The value, or `nil` when there is none.
  /// - Throws: ``DatabaseError`` when the table does not exist, or the value is not of the type.
  public func max<Value: SQLComparable>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws(DatabaseError) -> Value.SQLUnwrapped?
  where Value.SQLUnwrapped: Sendable {
    try await max(of: expression, in: database.reader)
  }

  /// The sum of an expression, NULL left out.
  /// - Parameters:
  ///   - expression: A closure from the table's columns to the expression.
  ///   - database: The database.
  /// - Returns: The sum, or `nil` when there is nothing to add.
  /// - Throws: ``DatabaseError`` when the table does not exist, or the sum does not fit its type.
  public func sum<Value: SQLSummable>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws(DatabaseError) -> Value.Unwrapped? {
    try await sum(of: expression, in: database.reader)
  }

  /// The average of an expression, NULL left out.
  /// - Parameters:
  ///   - expression: A closure from the table's columns to the expression.
  ///   - database: The database.
  /// - Returns: The average, or `nil` when there is nothing to average.
  /// - Throws: ``DatabaseError`` when the table does not exist.
  public func average<Value: SQLNumeric>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws(DatabaseError) -> Double? {
    try await average(of: expression, in: database.reader)
  }

  /// Inserts a row.
  /// - Parameters:
  ///   - row: A draft, whose rowid the database assigns, or a model with its key.
  ///   - database: The database.
  /// - Returns: The row as it is stored, with its key and its defaults.
  /// - Throws: ``DatabaseError`` when a constraint is violated, or a value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table, for each index.
  @inlinable
  @discardableResult
  public func insert<Row: Insertable>(_ row: Row, in database: Database) async throws(DatabaseError)
    -> T
  where Row.Stored == T {
    try await insert(row, in: database.writer)
  }

  /// Inserts rows, all or none of them.
  /// - Parameters:
  ///   - rows: Drafts or models. None is no failure.
  ///   - database: The database.
  /// - Returns: The number of rows inserted.
  /// - Throws: ``DatabaseError`` when a constraint is violated or a value cannot be stored: then no
  ///   row is.
  /// - Complexity: O(*m* log *n*) in the numbers of rows inserted and stored, for each index.
  @inlinable
  @discardableResult
  public func insert<Rows: Collection & Sendable>(
    contentsOf rows: Rows, in database: Database
  ) async throws(DatabaseError) -> Int where Rows.Element: Insertable, Rows.Element.Stored == T {
    try await insert(contentsOf: rows, in: database.writer)
  }

  /// Updates the row that has a model's key, if it is among those selected.
  /// - Parameters:
  ///   - row: The model. All its columns but the key are set.
  ///   - database: The database.
  /// - Returns: Whether there is such a row.
  /// - Throws: ``DatabaseError`` when a constraint is violated, or a value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @inlinable
  @discardableResult
  public func update(_ row: T, in database: Database) async throws(DatabaseError) -> Bool
  where T: PrimaryKeyedModel {
    try await update(row, in: database.writer)
  }

  /// Updates the rows that have the models' keys, all or none of them. Of a table with conditions
  /// only those that are selected are updated.
  /// - Parameters:
  ///   - rows: The models. None is no failure.
  ///   - database: The database.
  /// - Returns: How many of them there are: a model whose row is missing, or not selected, is passed
  ///   over.
  /// - Throws: ``DatabaseError`` when a constraint is violated or a value cannot be stored: then
  ///   nothing is changed.
  @inlinable
  @discardableResult
  public func update<Rows: Collection<T> & Sendable>(
    contentsOf rows: Rows, in database: Database
  ) async throws(DatabaseError) -> Int where T: PrimaryKeyedModel {
    try await update(contentsOf: rows, in: database.writer)
  }

  /// Deletes the row with a primary key, if it is among those selected.
  /// - Parameters:
  ///   - key: The primary key; a tuple where it has several columns.
  ///   - database: The database.
  /// - Returns: Whether there was such a row.
  /// - Throws: ``DatabaseError`` when a foreign key forbids it.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @inlinable
  @discardableResult
  public func delete(_ key: T.PrimaryKey, in database: Database) async throws(DatabaseError) -> Bool
  where T: PrimaryKeyedModel {
    try await delete(key, in: database.writer)
  }

  /// Deletes the row that has a model's key, if it is among those selected.
  /// - Parameters:
  ///   - row: The model.
  ///   - database: The database.
  /// - Returns: Whether there was such a row.
  /// - Throws: ``DatabaseError`` when a foreign key forbids it.
  @inlinable
  @discardableResult
  public func delete(_ row: T, in database: Database) async throws(DatabaseError) -> Bool
  where T: PrimaryKeyedModel {
    try await delete(row, in: database.writer)
  }

  /// Deletes the rows with primary keys, all or none of them. Of a table with conditions only those
  /// that are selected are deleted.
  /// - Parameters:
  ///   - keys: The primary keys. None is no failure.
  ///   - database: The database.
  /// - Returns: How many of them there were.
  /// - Throws: ``DatabaseError`` when a foreign key forbids it: then nothing is deleted.
  @inlinable
  @discardableResult
  public func delete<Keys: Collection<T.PrimaryKey> & Sendable>(
    keys: Keys, in database: Database
  ) async throws(DatabaseError) -> Int where T: PrimaryKeyedModel {
    try await delete(keys: keys, in: database.writer)
  }

  /// Deletes the selected rows: all of the table, where nothing was selected.
  /// - Parameter database: The database.
  /// - Returns: The number of rows deleted.
  /// - Throws: ``DatabaseError`` when a foreign key forbids it.
  @discardableResult
  public func deleteAll(in database: Database) async throws(DatabaseError) -> Int {
    try await deleteAll(in: database.writer)
  }

  /// Deletes every row, also those that the model's ``Model/defaultScope`` leaves out, and begins to
  /// count rowids from 1 again, also with AUTOINCREMENT.
  /// - Parameter database: The database.
  /// - Returns: The number of rows deleted.
  /// - Throws: ``DatabaseError`` when a foreign key forbids it: then nothing is deleted; and for a
  ///   table with conditions.
  @discardableResult
  public func truncate(in database: Database) async throws(DatabaseError) -> Int {
    try await truncate(in: database.writer)
  }

  /// Inserts a row, or updates the one that has the same values in a unique set of columns.
  ///
  /// An existing row keeps its primary key.
  /// - Parameters:
  ///   - row: A draft or a model.
  ///   - target: A closure from the table's columns to the column, or the tuple of columns, that a
  ///     UNIQUE constraint, a unique index or the primary key holds.
  ///   - overwritesWithNil: Whether a `nil` of `row` replaces a value; if not, that column stays.
  ///   - database: The database.
  /// - Returns: What was done, with the stored row.
  /// - Throws: ``DatabaseError`` when the columns are not unique together, another constraint is
  ///   violated, or a value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @discardableResult
  public func upsert<Row: Insertable, each Value>(
    _ row: Row, onConflict target: @Sendable (T.Columns) -> (repeat SQLExpression<each Value>),
    overwritesWithNil: Bool = true, in database: Database
  ) async throws(DatabaseError) -> UpsertOutcome<T> where Row.Stored == T {
    try await upsert(
      row, onConflict: target, overwritesWithNil: overwritesWithNil, in: database.writer)
  }

  /// Inserts a row, or updates some columns of the one that has the same values in a unique set of
  /// columns.
  ///
  /// - Parameters:
  ///   - row: A draft or a model.
  ///   - target: A closure from the table's columns to the column, or the tuple of columns, that a
  ///     UNIQUE constraint, a unique index or the primary key holds.
  ///   - updated: A closure from the table's columns to the column, or the tuple of columns, to
  ///     update.
  ///   - overwritesWithNil: Whether a `nil` of `row` replaces a value; if not, that column stays.
  ///   - database: The database.
  /// - Returns: What was done, with the stored row.
  /// - Throws: ``DatabaseError`` when the columns are not unique together, another constraint is
  ///   violated, or a value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @discardableResult
  public func upsert<Row: Insertable, each Value, each Updated>(
    _ row: Row, onConflict target: @Sendable (T.Columns) -> (repeat SQLExpression<each Value>),
    updating updated: @Sendable (T.Columns) -> (repeat SQLExpression<each Updated>),
    overwritesWithNil: Bool = true,
    in database: Database
  ) async throws(DatabaseError) -> UpsertOutcome<T> where Row.Stored == T {
    try await upsert(
      row, onConflict: target, updating: updated, overwritesWithNil: overwritesWithNil,
      in: database.writer)
  }
}
