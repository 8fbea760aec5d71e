extension Table {
  /// Returns an insertion of the rows of a query: INSERT … SELECT.
  ///
  /// ```swift
  /// try await Table<Company>(in: "archive").insert(from: companies.where { $0.size == 0 })
  ///   .run(in: database)
  /// ```
  /// The rows do not pass through Swift. Generated columns are computed again.
  /// - Parameters:
  ///   - query: A query of the model's rows.
  ///   - assignsRowIDs: Whether each row gets a new rowid. No effect if the primary key is not a
  ///     rowid.
  public func insert(
    from query: some SelectStatement<T>, assigningRowIDs assignsRowIDs: Bool = false
  )
    -> Insert<T>
  {
    let columns = schema.insertion(omitsRowID: assignsRowIDs, isModel: true).columns
    var clauses = query.asSelect.clauses
    if columns.count < schema.columns.count {
      if clauses.isDistinct || !clauses.compounds.isEmpty || clauses.isWhole {
        // A selection of fewer columns would change which rows are distinct.
        clauses = clauses.nested(as: T.schema.name)
        clauses.columns = columns.map { ResultColumn($0.name, of: T.schema.name) }
      } else {
        let names = Set(columns.map { ExactText($0.name) })
        clauses.columns = zip(schema.columns, clauses.columns).compactMap { column, result in
          names.contains(ExactText(column.name)) ? result : nil
        }
      }
    }
    return Insert(into: self, columns, .select(clauses))
  }

  /// Returns an insertion of a query's values into a column. The other columns take the defaults.
  ///
  /// The types must be the same: for a column that can be NULL, select `$0.size.optional`.
  public func insert<Value>(
    into column: (T.Columns) -> SQLExpression<Value>, from query: Select<Value>
  ) -> Insert<T> {
    insert([InsertedColumn(column(T.columns))], query.clauses)
  }

  // Replaces the compiler's message, which only says that no overload matches.
  /// Unavailable: the column and the values must have the same type.
  @available(
    *, unavailable,
    message:
      "the column and the query's values have different types: '.optional' makes a value optional"
  )
  public func insert<Value, Other>(
    into column: (T.Columns) -> SQLExpression<Value>, from query: Select<Other>
  ) -> Insert<T> {
    insert([InsertedColumn(column(T.columns))], query.clauses)
  }

  /// Returns an insertion of a query's tuples into some columns. The other columns take the
  /// defaults.
  ///
  /// ```swift
  /// try await archive
  ///   .insert(into: { ($0.name, $0.size) }, from: companies.select { ($0.name, $0.size) })
  ///   .run(in: database)
  /// ```
  /// The types must be the same: for a column that can be NULL, write `$0.size.optional`. A date is
  /// stored in the column's date format, even if the query's column has a different format.
  public func insert<First, Second, each Rest>(
    into columns: (T.Columns) -> (
      SQLExpression<First>, SQLExpression<Second>, repeat SQLExpression<each Rest>
    ),
    from query: Select<(First, Second, repeat each Rest)>
  ) -> Insert<T> {
    insert(inserted(columns), query.clauses)
  }

  /// Unavailable: the columns and the values must have the same types.
  @available(
    *, unavailable,
    message: """
      the columns and the query's values have different types: '.optional' makes a value optional, as in \
      select { ($0.name, $0.size.optional) }
      """
  )
  public func insert<
    First, Second, each Rest, OtherFirst, OtherSecond, each OtherRest
  >(
    into columns: (T.Columns) -> (
      SQLExpression<First>, SQLExpression<Second>, repeat SQLExpression<each Rest>
    ),
    from query: Select<(OtherFirst, OtherSecond, repeat each OtherRest)>
  ) -> Insert<T> {
    insert(inserted(columns), query.clauses)
  }

  private func inserted<each Value>(
    _ columns: (T.Columns) -> (repeat SQLExpression<each Value>)
  ) -> [InsertedColumn] {
    var inserted: [InsertedColumn] = []
    repeat inserted.append(InsertedColumn(each columns(T.columns)))
    return inserted
  }

  private func insert(_ columns: [InsertedColumn], _ query: SelectClauses) -> Insert<T> {
    var query = query
    do throws(DatabaseError) {
      return Insert(
        into: self, try InsertedColumn.match(columns, to: &query, in: T.schema), .select(query))
    } catch {
      return Insert(into: self, columns.compactMap(\.column), .select(query), problem: error)
    }
  }
}

private struct InsertedColumn {
  let column: ColumnSchema?
  let stored: (ResultColumn) -> SQL?

  init<Value>(_ expression: SQLExpression<Value>) {
    column = expression.column
    stored = { result in
      guard let coding = result.coding as? Coding<Value> else { return result.sql }
      return SQLExpression(result.sql, coding).converted(to: expression.coding)
    }
  }

  static func match(
    _ columns: [InsertedColumn], to query: inout SelectClauses, in table: TableSchema
  ) throws(DatabaseError) -> [ColumnSchema] {
    var schemas: [ColumnSchema] = []
    guard columns.count == query.columns.count else {
      throw .query(
        "The query selects \(query.columns.count) columns, but the insert names \(columns.count): name a column for each value"
      )
    }
    for (index, target) in columns.enumerated() {
      guard let column = target.column else {
        throw .query("The insert names an expression: name only columns")
      }
      if let problem = column.generatedProblem(in: table.name) { throw problem }
      guard !schemas.contains(where: { $0.name.folded == column.name.folded }) else {
        throw .query("The insert names \(table.name).\(column.name) twice: name each column once")
      }
      schemas.append(column)
      let result = query.columns[index]
      guard let stored = target.stored(result) else { throw .form(of: column, in: table.name) }
      guard !stored.text.hasSameBytes(as: result.sql.text) else { continue }
      // A conversion can change which rows are distinct.
      guard !query.isDistinct, query.compounds.isEmpty, !query.isWhole else {
        throw .form(of: column, in: table.name)
      }
      query.columns[index] = ResultColumn(stored, name: result.name)
    }
    return schemas
  }
}
