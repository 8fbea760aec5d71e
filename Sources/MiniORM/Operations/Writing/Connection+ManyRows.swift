extension Connection {
  /// A smaller number of rows is not worth the conversions.
  private static var manyRows: Int { 1_000 }

  /// Changes many rows with a single statement. Returns nil, with nothing changed, if a statement
  /// must run for each row.
  ///
  /// A statement with foreign keys or triggers keeps the pages that it changes in SQLite's statement
  /// journal. In a savepoint, the journal is a list in memory that grows from statement to statement,
  /// and each statement walks the list when it ends. A statement for each row would therefore take
  /// quadratic time. Without a savepoint, each statement empties the list.
  ///
  /// - Parameters:
  ///   - text: A statement that reads ``BoundRows``.
  ///   - table: The table whose rows the statement searches; nil for an insertion. With old statistics,
  ///     SQLite may prefer to scan a table that was small, once for each row.
  ///   - expected: The number of changed rows, if known. After another number, the result is nil: a
  ///     row is missing, or a key occurs twice.
  @usableFromInline
  func run<Rows: Collection>(
    _ text: @autoclosure () -> StatementText, searching table: String? = nil, of rows: Rows,
    width: Int, expecting expected: Int? = nil,
    _ bind: @escaping (Rows.Element, borrowing Statement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) -> Int? {
    guard rows.count >= Self.manyRows, (1...BoundRows.maximumWidth).contains(width),
      !isAutocommitting, !isTransactionOfOperation
    else { return nil }
    do throws(DatabaseError) {
      return try atomically { () throws(DatabaseError) in
        let text = text()
        if let table, try queryPlan(SQL(raw: text.sql), [nil]).scans(table) {
          throw DatabaseError(.step, "The statement scans \(table)")
        }
        let statement = try statement(text)
        let before = try allChanges()
        try statement.parameter(1).bind(pointer: BoundRows(rows, width: width, bind: bind))
        let count = try runToEnd(statement)
        guard expected == nil || count == expected else {
          throw DatabaseError(.step, "\(count) rows instead of \(expected ?? 0)")
        }
        // SQLite does not count the rows of a view, which triggers change.
        let isUnchanged = try allChanges() == before
        guard count > 0 || isUnchanged else {
          throw DatabaseError(.step, "Not a table")
        }
        return count
      }
    } catch {
      // A statement for each row throws the error of its row, or none: it changes the rows in the
      // given order, which matters if rows exchange unique values.
      switch error.code.primary {
      case .constraint, .error, .mismatch: return nil
      default: throw error
      }
    }
  }
}

extension Connection {
  /// Runs a statement and returns the number of rows that it changed.
  /// - Parameter rows: The result if the statement changes a view.
  @usableFromInline
  func changedRows(by statement: borrowing Statement, ofView rows: Int = 1) throws(DatabaseError)
    -> Int
  {
    let before = try allChanges()
    try statement.run()
    return try changes(by: statement, since: before, ofView: rows)
  }
}

extension Table {
  /// Runs a single statement for many rows, or a statement for each row. Returns the number of
  /// changed rows.
  @inlinable
  func runEach<Rows: Collection>(
    _ byKey: StatementText, _ ofRows: @autoclosure () -> StatementText, of rows: Rows, width: Int,
    expecting expected: Int? = nil, in connection: isolated Connection,
    _ bind: @escaping (Rows.Element, borrowing Statement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) -> Int {
    let count = try connection.run(
      ofRows(), searching: schema.name, of: rows, width: width, expecting: expected, bind)
    if let count { return count }
    return try connection.atomically(only: rows.count == 1 ? byKey : nil) {
      () throws(DatabaseError) in
      var count = 0
      let statement = try connection.statement(byKey)
      for row in rows {
        try bind(row, statement)
        count += try connection.changedRows(by: statement)
        statement.reset()
      }
      return count
    }
  }
}
