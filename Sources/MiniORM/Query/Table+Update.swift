/// See [UPDATE](https://www.sqlite.org/lang_update.html).
extension Table {
  /// Updates the row that has a model's key.
  /// - Parameters:
  ///   - row: The model. All its columns but the key are set.
  ///   - connection: The connection of a transaction.
  /// - Returns: Whether there is such a row.
  /// - Throws: ``DatabaseError`` when a constraint is violated, or a value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @inlinable
  @discardableResult
  public func update(_ row: T, in connection: isolated Connection) throws(DatabaseError) -> Bool
  where T: KeyedModel {
    let statement = try connection.statement(schema.updateByKey)
    try row.bind(to: statement, at: 1)
    try statement.run()
    return try connection.changes() > 0
  }

  /// Updates the rows that have the models' keys, all or none of them.
  /// - Parameters:
  ///   - rows: The models. None is no failure.
  ///   - connection: The connection of a transaction.
  /// - Returns: How many of them there are: a model whose row is missing is passed over.
  /// - Throws: ``DatabaseError`` when a constraint is violated or a value cannot be stored: then
  ///   nothing is changed.
  @inlinable
  @discardableResult
  public func update<Rows: Collection<T>>(
    contentsOf rows: Rows, in connection: isolated Connection
  ) throws(DatabaseError) -> Int where T: KeyedModel {
    guard !rows.isEmpty else { return 0 }
    var count = 0
    try connection.begin()
    do throws(DatabaseError) {
      let statement = try connection.statement(schema.updateByKey)
      for row in rows {
        try row.bind(to: statement, at: 1)
        try statement.run()
        count += try connection.changes()
        statement.reset()
      }
    } catch {
      connection.rollback()
      throw error
    }
    try connection.commit()
    return count
  }

  /// An update of the selected rows, for `run(in:)` to make.
  ///
  /// ```swift
  /// try await companies
  ///   .where { $0.cityID == nil }
  ///   .update { $0.employeeCount += 1 }
  ///   .run(in: database)
  /// ```
  /// - Parameter changes: A closure that assigns to columns. A column that it does not name stays.
  public func update(_ changes: (inout Assignments<T>) -> Void) -> Update<T> {
    var assignments = Assignments<T>()
    changes(&assignments)
    return Update(table: self, assignments: assignments)
  }
}

/// Columns to set, and to what.
///
/// A column takes a value, `$0.name = "Acme"`, or an expression over the row as it was,
/// `$0.employeeCount += 1`.
@dynamicMemberLookup
public struct Assignments<T: Model> {
  private(set) var columns: [(name: String, value: SQL)] = []

  /// A column, to read its old value and to assign an expression.
  /// - Parameter column: The column.
  public subscript<Value>(dynamicMember column: KeyPath<T.Columns, Expression<Value>>)
    -> Expression<Value>
  {
    get { T.columns[keyPath: column] }
    set { set(T.columns[keyPath: column].columnName, newValue.sql) }
  }

  // Disfavoured, so that `+=` means the column's and not that of its values.
  /// A column, to assign a value.
  /// - Parameter column: The column.
  @_disfavoredOverload
  public subscript<Value>(dynamicMember column: KeyPath<T.Columns, Expression<Value>>) -> Value {
    @available(
      *, unavailable,
      message: "A column has no value here: for this type write $0.column = $0.column + 1"
    )
    get { preconditionFailure("The compiler refuses every call") }
    set {
      let column = T.columns[keyPath: column]
      set(column.columnName, column.binding(newValue))
    }
  }

  private mutating func set(_ name: String, _ value: SQL) {
    columns.removeAll { $0.name == name }
    columns.append((name, value))
  }
}

/// An UPDATE of several rows.
public struct Update<T: Model>: Sendable {
  let table: Table<T>
  /// The SQL and the values bound to it; nil when nothing is assigned.
  let statement: SQL?

  init(table: Table<T>, assignments: Assignments<T>) {
    self.table = table
    guard !assignments.columns.isEmpty else {
      statement = nil
      return
    }
    var sql = SQL(raw: "UPDATE \(table.schema.source) SET ")
    for (index, assignment) in assignments.columns.enumerated() {
      if index > 0 { sql.append(", ") }
      sql.append("\(assignment.name) = ")
      sql.append(assignment.value)
    }
    table.appendSelection(to: &sql)
    statement = sql
  }

  /// The SQL and the values bound to it, without running it; empty when nothing is assigned.
  public var sql: SQL { statement?.statement ?? SQL(raw: "") }

  /// Makes the update.
  /// - Parameter connection: The connection of a transaction.
  /// - Returns: The number of rows changed.
  /// - Throws: ``DatabaseError`` when a constraint is violated, or a value cannot be stored.
  @discardableResult
  public func run(in connection: isolated Connection) throws(DatabaseError) -> Int {
    guard let statement else { return 0 }
    return try connection.execute(statement)
  }
}
