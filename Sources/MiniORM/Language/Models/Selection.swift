/// A type that is read from a row: a model, or a struct with `@Selection`.
public protocol Selection: Sendable {
  /// The columns of a table, or the expressions that `select` assigns to the properties of a
  /// `@Selection`.
  associatedtype Columns: RowColumns where Columns.Projected == Self

  /// Returns the columns of the table or subquery named `table`, whose rows have this type.
  @_documentation(visibility: internal)
  static func columns(of table: String) -> Columns

  /// Creates a value from a row, whose columns have the order of the properties.
  /// - Throws: ``DatabaseError`` with the operation `read` if a value's type does not match its
  ///   property.
  init(row: borrowing Row) throws(DatabaseError)

  /// Binds the values to the parameters from number `next`, and advances `next`.
  /// - Throws: ``DatabaseError`` with the operation `bind` if a value cannot be stored.
  func _bind(to statement: borrowing Statement, at next: inout Int32) throws(DatabaseError)
}

extension Selection where Columns: SelectionColumns {
  /// Returns the columns of the subquery named `table`.
  @_documentation(visibility: internal)
  public static func columns(of table: String) -> Columns { Columns(of: table) }
}

extension Selection where Columns: ModelColumns {
  /// Returns the columns of the table named `table`.
  @_documentation(visibility: internal)
  public static func columns(of table: String) -> Columns {
    TableName.$current.withValue(table) { Columns() }
  }
}
