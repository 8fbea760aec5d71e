/// An INSERT: of rows, of the rows of a query, or of nothing but defaults.
///
/// ```swift
/// try await archive.insert(from: companies.where { $0.size == 0 }).or(.ignore).run(in: database)
/// ```
///
/// See [INSERT](https://www.sqlite.org/lang_insert.html).
public struct Insert<T: Model>: Change {
  enum Source: Sendable {
    /// `(?, ?)` for each row.
    case values([SQL])
    case select(SelectClauses)
    /// DEFAULT VALUES, for so many rows.
    case defaults(Int)
  }

  /// The table, with the name of its database where that is another.
  let target: String
  /// The columns that get values, quoted.
  let columns: [String]
  let source: Source
  var resolution: ConflictResolution?
  var conflicts: [SQL] = []
  var problem: DatabaseError?

  init(
    into schema: TableSchema, _ columns: [ColumnSchema], _ source: Source,
    problem: DatabaseError? = nil
  ) {
    target = schema.source
    self.columns = columns.map(\.name.quotedIdentifier)
    self.source = source
    self.problem = problem
  }

  /// What a row that violates a constraint does: OR IGNORE and the like.
  ///
  /// Where an `onConflict` names what is violated, that holds instead.
  /// - Parameter resolution: What it does.
  public func or(_ resolution: ConflictResolution) -> Insert {
    var insert = self
    insert.resolution = resolution
    return insert
  }

  /// What runs.
  public var asStatement: ChangeStatement<T> {
    var statement = ChangeStatement<T>(parts: [], resolution: resolution, problem: problem)
    let head = "INSERT \(resolution.map { "OR \($0.rawValue) " } ?? "")INTO \(target)"
    let list = columns.isEmpty ? "" : " (\(columns.joined(separator: ", ")))"
    let tail = SQL.joined(conflicts, separator: "")
    switch source {
    case .defaults(let count):
      if !conflicts.isEmpty {
        statement.problem =
          statement.problem
          ?? .query("SQLite has no ON CONFLICT for DEFAULT VALUES: use or(_:)")
      }
      statement.parts = Array(repeating: SQL(raw: "\(head) DEFAULT VALUES"), count: count)
    case .values(let rows):
      for rows in Self.split(rows, besides: tail.parameters.count) {
        statement.parts.append(
          SQL(raw: "\(head)\(list) VALUES ").appending(.joined(rows, separator: ", "), tail))
      }
    case .select(var clauses):
      if !conflicts.isEmpty { clauses.endBeforeConflict() }
      statement.problem = statement.problem ?? clauses.problem
      statement.parts = [SQL(raw: "\(head)\(list) ").appending(clauses.sql, tail)]
    }
    return statement
  }

  /// As many rows a statement as there is room for parameters.
  private static func split(_ rows: [SQL], besides others: Int) -> [[SQL]] {
    // What every build of SQLite allows, and RETURNING may have a few of its own.
    let limit = 32_000 - others
    var parts: [[SQL]] = []
    var count = limit
    for row in rows {
      count += row.parameters.count
      if count > limit {
        parts.append([])
        count = row.parameters.count
      }
      parts[parts.count - 1].append(row)
    }
    return parts
  }
}

extension SelectClauses {
  /// Ends the text with something that ON CONFLICT can follow: after a table's name, SQLite would
  /// take it for the ON of a join. See "Parsing Ambiguity" in
  /// [UPSERT](https://www.sqlite.org/lang_upsert.html).
  fileprivate mutating func endBeforeConflict() {
    guard ordering.isEmpty, limit == nil else { return }
    if !compounds.isEmpty {
      var outer = SelectClauses(from: SQL(raw: "(").appending(sql, SQL(raw: ")")))
      outer.columns = [ResultColumn(SQL(raw: "*"), name: nil)]
      outer.problem = problem
      self = outer
    }
    if condition == nil, grouping.isEmpty, having == nil { condition = SQL(raw: "TRUE") }
  }
}

extension Table {
  /// An insertion of a row, for `run(in:)` or `returning` to make.
  ///
  /// ```swift
  /// try await companies.insert(Company.Draft(name: "Acme"))
  ///   .onConflict { $0.name } update: { row, new in row.size = new.size }
  ///   .run(in: database)
  /// ```
  /// ``insert(_:in:)-(_,Database)`` inserts a row at once.
  /// - Parameter row: A draft, whose rowid the database assigns, or a model with its key.
  public func insert<Row: Insertable>(_ row: Row) -> Insert<T> where Row.Stored == T {
    insert(contentsOf: CollectionOfOne(row))
  }

  /// An insertion of rows, for `run(in:)` or `returning` to make.
  ///
  /// The values are in the statement, and more of them than SQLite has room for in several. For many
  /// rows ``insert(contentsOf:in:)-(_,Database)`` is faster.
  /// - Parameter rows: Drafts or models. None is no failure.
  /// - Complexity: O(*n*) in the number of values, which are kept.
  public func insert<Rows: Collection>(contentsOf rows: Rows) -> Insert<T>
  where Rows.Element: Insertable, Rows.Element.Stored == T {
    let columns = schema.insertion(omitsRowID: Rows.Element.omitsRowID).columns
    guard !columns.isEmpty else { return Insert(into: schema, [], .defaults(rows.count)) }
    do throws(DatabaseError) {
      let values = try Statement.values(count: columns.count, of: rows) {
        (row, statement) throws(DatabaseError) in try row.bind(to: statement, at: 1)
      }
      return Insert(
        into: schema, columns,
        .values(
          values.map { row in
            SQL.list(zip(columns, row).map { column, value in column.inserted(value) })
          }))
    } catch {
      return Insert(
        into: schema, columns, .values([]),
        problem: error.adding(table: T.schema.name, rowType: String(describing: Rows.Element.self)))
    }
  }

  /// An insertion of a row of nothing but the defaults that the table declares: DEFAULT VALUES.
  public func insertDefaultValues() -> Insert<T> { Insert(into: schema, [], .defaults(1)) }

  /// An insertion of the rows of a query: INSERT … SELECT.
  ///
  /// ```swift
  /// try await Table<Company>(in: "archive").insert(from: companies.where { $0.size == 0 })
  ///   .run(in: database)
  /// ```
  /// The rows do not pass through Swift. Generated columns are computed anew.
  /// - Parameters:
  ///   - query: A query of the model's rows.
  ///   - assignsRowIDs: Whether the database assigns each row a new rowid, as for a draft, instead of
  ///     storing that of the query. Of no effect where the key is none.
  public func insert(from query: some Query<T>, assigningRowIDs assignsRowIDs: Bool = false)
    -> Insert<T>
  {
    let columns = schema.insertion(omitsRowID: assignsRowIDs).columns
    var clauses = query.asSelect.clauses
    if columns.count < schema.columns.count {
      if clauses.isDistinct || !clauses.compounds.isEmpty {
        // Fewer columns would make other rows equal.
        clauses = clauses.nested(as: T.schema.name)
        clauses.columns = columns.map { ResultColumn($0.name, of: T.schema.name) }
      } else {
        let names = Set(columns.map(\.name))
        clauses.columns = zip(schema.columns, clauses.columns).compactMap { column, result in
          names.contains(column.name) ? result : nil
        }
      }
    }
    return Insert(into: schema, columns, .select(clauses))
  }

  /// An insertion of the values of a query into one column. The others take their defaults.
  /// - Parameters:
  ///   - column: A closure from the table's columns to the column.
  ///   - query: A query of one value a row, of the column's type.
  public func insert<Value>(
    into column: (T.Columns) -> Expression<Value>, from query: Select<Value>
  ) -> Insert<T> {
    insert([InsertedColumn(column(T.columns))], query.clauses)
  }

  // Better than the compiler's own message, which is that it has none.
  /// Not there: the column and the values have the same type.
  @available(
    *, unavailable,
    message: "the column is of another type than the query's values; '.optional' makes an optional"
  )
  public func insert<Value, Other>(
    into column: (T.Columns) -> Expression<Value>, from query: Select<Other>
  ) -> Insert<T> {
    insert([InsertedColumn(column(T.columns))], query.clauses)
  }

  /// An insertion of the tuples of a query into some columns. The others take their defaults.
  ///
  /// ```swift
  /// try await archive
  ///   .insert(into: { ($0.name, $0.size) }, from: companies.select { ($0.name, $0.size) })
  ///   .run(in: database)
  /// ```
  /// The types have to be the same: for a column that can be NULL, write `$0.size.optional`. A date is
  /// stored as its column stores dates, also where the query's column does it in another way.
  /// - Parameters:
  ///   - columns: A closure from the table's columns to a tuple of them.
  ///   - query: A query of tuples.
  public func insert<First, Second, each Rest>(
    into columns: (T.Columns) -> (
      Expression<First>, Expression<Second>, repeat Expression<each Rest>
    ),
    from query: Select<(First, Second, repeat each Rest)>
  ) -> Insert<T> {
    insert(inserted(columns), query.clauses)
  }

  private func inserted<each Value>(
    _ columns: (T.Columns) -> (repeat Expression<each Value>)
  ) -> [InsertedColumn] {
    var inserted: [InsertedColumn] = []
    repeat inserted.append(InsertedColumn(each columns(T.columns)))
    return inserted
  }

  private func insert(_ columns: [InsertedColumn], _ query: SelectClauses) -> Insert<T> {
    var query = query
    do throws(DatabaseError) {
      return Insert(
        into: schema, try InsertedColumn.match(columns, to: &query, in: T.schema), .select(query))
    } catch {
      return Insert(into: schema, columns.compactMap(\.column), .select(query), problem: error)
    }
  }
}

/// A column that a query's column is inserted into.
private struct InsertedColumn {
  /// `nil` for an expression that is no column.
  let column: ColumnSchema?
  /// What is stored of a query's column; `nil` where it is kept in a form that this column's is not.
  let stored: (ResultColumn) -> SQL?

  init<Value>(_ expression: Expression<Value>) {
    column = expression.column
    stored = { result in
      guard let coding = result.coding as? Coding<Value> else { return result.sql }
      return Expression(result.sql, coding).stored(asIn: expression.coding)
    }
  }

  /// The columns, after making the query give what they store.
  static func match(
    _ columns: [InsertedColumn], to query: inout SelectClauses, in table: TableSchema
  ) throws(DatabaseError) -> [ColumnSchema] {
    var schemas: [ColumnSchema] = []
    guard columns.count == query.columns.count else {
      throw .query("A query of \(query.columns.count) columns is inserted into \(columns.count)")
    }
    for (index, target) in columns.enumerated() {
      guard let column = target.column else {
        throw .query("Values are inserted into columns, and not into an expression of them")
      }
      guard column.generated == nil else {
        throw .query(
          "\(table.name).\(column.name) is generated by the database: nothing is inserted into it")
      }
      guard !schemas.contains(where: { $0.name == column.name }) else {
        throw .query("\(table.name).\(column.name) is inserted into twice")
      }
      schemas.append(column)
      let result = query.columns[index]
      guard let stored = target.stored(result) else { throw .form(of: column, in: table.name) }
      guard stored.text != result.sql.text else { continue }
      // Rows that are equal before need not be so after.
      guard !query.isDistinct, query.compounds.isEmpty else {
        throw .form(of: column, in: table.name)
      }
      query.columns[index] = ResultColumn(stored, name: result.name)
    }
    return schemas
  }
}

extension ColumnSchema {
  /// A value in VALUES.
  fileprivate func inserted(_ value: DatabaseValue) -> SQL {
    let sql = SQL(binding: value)
    guard isDefaultedByDatabase else { return sql }
    return .call("ifnull", [sql, SQL(raw: "(\(defaultSQL ?? "NULL"))")])
  }
}
