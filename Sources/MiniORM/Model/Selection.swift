/// A value that is read from a row: a model, or a struct with `@Selection`, whose rows are results
/// of a query and belong to no table.
public protocol Selection: Sendable {
  /// The columns: those of a table, or the expressions that `select` gives the properties of a
  /// `@Selection`.
  associatedtype Columns: RowColumns where Columns.Projected == Self

  /// Returns the columns of a named table or subquery, whose rows are of this type.
  /// - Parameter table: The name.
  static func columns(of table: String) -> Columns

  /// Creates a value from a row whose columns are in the order of the properties.
  /// - Parameter row: The row.
  /// - Throws: ``DatabaseError`` with the operation `read` if a value is not of its property's
  ///   type.
  init(row: borrowing Row) throws(DatabaseError)

  /// Binds the values to consecutive parameters. `@Selection` writes this method.
  /// - Parameters:
  ///   - statement: The statement.
  ///   - next: The number of the first parameter, which becomes that of the parameter after the
  ///     last.
  /// - Throws: ``DatabaseError`` with the operation `bind` if a value cannot be stored.
  func _bind(to statement: borrowing Statement, at next: inout Int32) throws(DatabaseError)
}

extension Selection where Columns: SelectionColumns {
  /// Returns the columns of a named subquery, whose rows are of this type.
  /// - Parameter table: The name.
  public static func columns(of table: String) -> Columns { Columns(of: table) }
}

extension Selection where Columns: ModelColumns {
  /// Returns the columns of a named table, whose rows are of this type.
  /// - Parameter table: The name.
  public static func columns(of table: String) -> Columns {
    TableName.$current.withValue(table) { Columns() }
  }
}
