/// A value that is read from a row: a model, or a struct with `@Selection`, whose rows are the
/// result of a query and no table's.
public protocol Selection: Sendable {
  /// The columns: those of a table, or the expressions that `select` gives the properties of a
  /// `@Selection`.
  associatedtype Columns: RowColumns where Columns.Projected == Self

  /// The columns of a table or a subquery of a name, whose rows are of this type.
  /// - Parameter table: The name.
  static func columns(of table: String) -> Columns

  /// Reads a row whose columns stand in the order of the properties.
  /// - Parameter row: The row.
  /// - Throws: ``DatabaseError`` with the operation `read` when a value is not of its property's
  ///   type.
  init(row: borrowing Row) throws(DatabaseError)

  /// Binds the values to consecutive parameters. `@Selection` writes it.
  /// - Parameters:
  ///   - statement: The statement.
  ///   - next: The number of the first parameter, and then that of the one after the last.
  /// - Throws: ``DatabaseError`` with the operation `bind` when a value cannot be stored.
  func _bind(to statement: borrowing Statement, at next: inout Int32) throws(DatabaseError)
}

extension Selection where Columns: SelectionColumns {
  /// The columns of a subquery of a name, whose rows are of this type.
  /// - Parameter table: The name.
  public static func columns(of table: String) -> Columns { Columns(of: table) }
}

extension Selection where Columns: ModelColumns {
  /// The columns of a table of a name, whose rows are of this type.
  /// - Parameter table: The name.
  public static func columns(of table: String) -> Columns {
    TableName.$current.withValue(table) { Columns() }
  }
}
