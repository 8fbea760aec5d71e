/// A model's type is the entry point of its queries. Each function is a function of ``Table``, so
/// `Company.where { … }` is `Table<Company>().where { … }`.
extension Model {
  /// A table with all rows of the model except the rows that its ``defaultScope`` excludes.
  @inlinable
  public static var all: Table<Self> { Table() }

  /// Returns the rows for which a condition is true.
  /// - Parameter condition: A closure that takes the table's columns and returns the condition.
  @inlinable
  public static func `where`(_ condition: (Columns) -> any SQLCondition) -> Table<Self> {
    Table().where(condition)
  }
}
