/// The assignments of an update or an insertion: columns and their new values.
///
/// A column takes a value, `$0.name = "Acme"`, or an expression of the row's old values,
/// `$0.employeeCount += 1`.
@dynamicMemberLookup
public struct Assignments<T: Model>: Sendable {
  // `AssignedColumns` is not generic, because generic code looks up its type at each step.
  @usableFromInline var assigned: AssignedColumns
  /// The columns to read, or nil for the table's own columns, which saves a copy.
  @usableFromInline let source: T.Columns?

  static func made(for table: Table<T>, by changes: (inout Assignments) -> Void) -> AssignedColumns
  {
    guard table.hasAlias else {
      return EnclosingQueries.calling(with: T.schema.tables) { made(from: nil, by: changes) }
    }
    return table.calling { made(from: $0, by: changes) }
  }

  @inlinable
  static func made(
    from source: T.Columns?, by changes: (inout Assignments) -> Void
  ) -> AssignedColumns {
    var assignments = Assignments(source: source)
    changes(&assignments)
    return assignments.assigned
  }

  @inlinable
  init(source: T.Columns?) {
    assigned = AssignedColumns()
    self.source = source
  }

  /// Accesses a column, to read its old value or assign an expression.
  ///
  /// A date is stored in the column's date format, even if the expression's column has a different
  /// format.
  public subscript<Value>(dynamicMember column: KeyPath<T.Columns, SQLExpression<Value>>)
    -> SQLExpression<Value>
  {
    // Inlinable, so that the compiler sees a constant key path and reads the property directly.
    @inlinable get {
      if let source { return source[keyPath: column] }
      return T.columns[keyPath: column]
    }
    @inlinable set { _assign(T.columns[keyPath: column], newValue) }
  }

  // Disfavored, so that `+=` resolves to the column's operator, not to the operator of its values.
  /// Accesses a column, to assign a value.
  @_disfavoredOverload
  public subscript<Value>(dynamicMember column: KeyPath<T.Columns, SQLExpression<Value>>) -> Value {
    @available(
      *, unavailable,
      message: """
        A column cannot be read here: write $0.column = $0.column + 1, $0.column = $0.other ?? 0 if \
        the other column can be NULL, or $0.column = $0.other.optional if the assigned column can
        """
    )
    // Unreachable: the compiler rejects every use of the getter.
    get { preconditionFailure("The compiler refuses every call") }
    @inlinable set { _assign(T.columns[keyPath: column], value: newValue) }
  }

  @usableFromInline
  mutating func _assign<Value>(
    _ column: SQLExpression<Value>, _ value: consuming SQLExpression<Value>
  ) {
    set(column, value.assignedPart(to: column.coding))
  }

  @usableFromInline
  mutating func _assign<Value>(_ column: SQLExpression<Value>, value: Value) {
    set(column, SQLPart(column.binding(value)))
  }

  mutating func set<Value>(_ column: SQLExpression<Value>, _ value: consuming SQLPart?) {
    if let problem = column.column?.generatedProblem(in: T.schema.name) { record(problem) }
    if let value {
      set(column.columnName, value)
    } else {
      record(.form(of: column.schema, in: T.schema.name))
    }
  }

  mutating func set(_ name: String, _ value: SQLPart) { assigned.set(name, value) }

  mutating func record(_ problem: DatabaseError?) { assigned.record(problem) }
}

/// The assigned columns and values, independent of the model type.
@usableFromInline
struct AssignedColumns: Sendable {
  struct Column: Sendable {
    let name: String
    let value: SQLPart
  }

  private(set) var columns: [Column] = []
  private(set) var problem: DatabaseError?

  @usableFromInline
  init() {}

  mutating func set(_ name: String, _ value: SQLPart) {
    if !columns.isEmpty { columns.removeAll { $0.name.hasSameBytes(as: name) } }
    columns.append(Column(name: name, value: value))
  }

  mutating func record(_ problem: DatabaseError?) { self.problem = self.problem ?? problem }

  /// The first error, or an error if nothing was assigned, as with `==` in place of `=`.
  func problem(of call: String) -> DatabaseError? {
    problem ?? (columns.isEmpty ? .nothingAssigned(call) : nil)
  }

  var sql: SQL {
    var sql = SQL(capacity: columns.count * 4)
    append(to: &sql)
    return sql
  }

  func append(to sql: inout SQL) {
    for index in columns.indices {
      if index > 0 { sql.append(", ") }
      sql.append(columns[index].name)
      sql.append(" = ")
      sql.append(columns[index].value)
    }
  }
}

extension ColumnSchema {
  func generatedProblem(in table: @autoclosure () -> String) -> DatabaseError? {
    guard generated != nil else { return nil }
    let table = table()
    return DatabaseError(
      .prepare, code: .misuse,
      "\(table).\(name) is a generated column: leave it out of inserts and updates",
      table: table, column: name)
  }
}

extension DatabaseError {
  static func form(of column: ColumnSchema, in table: String) -> DatabaseError {
    .query(
      "\(table).\(column.name) stores values in another format than the assigned column: declare "
        + "both with the same @Column(as:)")
  }

  static func nothingAssigned(_ call: String, _ remedy: String = "") -> DatabaseError {
    .query("The closure of \(call) assigns to no column: write $0.column = value\(remedy)")
  }
}
