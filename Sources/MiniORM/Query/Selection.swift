/// A value that is read from a row: a model, or a struct with `@Selection`, whose rows are the
/// result of a query and no table's.
public protocol Selection: Sendable {
  /// The columns: those of a table, or the expressions that `select` gives the properties of a
  /// `@Selection`.
  associatedtype Columns: RowColumns where Columns.Projected == Self

  /// Reads a row whose columns stand in the order of the properties.
  /// - Parameter row: The row.
  /// - Throws: ``DatabaseError`` with the operation `read` when a value is not of its property's
  ///   type.
  init(row: borrowing Row) throws(DatabaseError)
}
