/// Columns to set, and to what.
///
/// A column takes a value, `$0.name = "Acme"`, or an expression over the row as it was,
/// `$0.employeeCount += 1`.
@dynamicMemberLookup
public struct Assignments<T: Model>: Sendable {
  private(set) var columns: [(name: String, value: SQL)] = []
  /// A mistake that no type could tell.
  private(set) var problem: DatabaseError?
  /// What the columns are read as.
  private let source: T.Columns

  /// What a closure assigns.
  /// - Parameter table: The table whose columns it is given.
  static func made(for table: Table<T>, by changes: (inout Assignments) -> Void) -> Assignments {
    table.calling { columns in
      var assignments = Assignments(source: columns)
      changes(&assignments)
      return assignments
    }
  }

  private init(source: T.Columns) { self.source = source }

  /// A column, to read its old value and to assign an expression.
  ///
  /// A date is stored as its column stores dates, also where the expression's column does it in
  /// another way.
  /// - Parameter column: The column.
  public subscript<Value>(dynamicMember column: KeyPath<T.Columns, Expression<Value>>)
    -> Expression<Value>
  {
    get { source[keyPath: column] }
    set {
      let column = T.columns[keyPath: column]
      set(column, newValue.stored(asIn: column.coding))
    }
  }

  // Disfavoured, so that `+=` means the column's and not that of its values.
  /// A column, to assign a value.
  /// - Parameter column: The column.
  @_disfavoredOverload
  public subscript<Value>(dynamicMember column: KeyPath<T.Columns, Expression<Value>>) -> Value {
    @available(
      *, unavailable,
      message: """
        A column has no value here: write $0.column = $0.column + 1, $0.column = $0.other ?? 0 where \
        the other can be NULL, or $0.column = $0.other.optional where the column can
        """
    )
    get { preconditionFailure("The compiler refuses every call") }
    set {
      let column = T.columns[keyPath: column]
      set(column, column.binding(newValue))
    }
  }

  private mutating func set<Value>(_ column: Expression<Value>, _ value: SQL?) {
    let name = column.columnName
    columns.removeAll { $0.name == name }
    if let value {
      columns.append((name, value))
    } else {
      problem = problem ?? .form(of: column.schema, in: T.schema.name)
    }
  }

  /// A mistake where nothing was assigned: `==` for `=` compares, and changes nothing.
  func problem(of call: String) -> DatabaseError? {
    problem ?? (columns.isEmpty ? .nothingAssigned(call) : nil)
  }

  /// `"column" = value, "column" = value`.
  var sql: SQL {
    .joined(columns.map { SQL(raw: "\($0.name) = ").appending($0.value) }, separator: ", ")
  }
}

extension DatabaseError {
  /// A closure that was to assign to columns, and did not.
  static func nothingAssigned(_ call: String, _ remedy: String = "") -> DatabaseError {
    .query("The closure of \(call) assigns to no column: write $0.column = value\(remedy)")
  }
}
