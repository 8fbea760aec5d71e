/// The entry point of a model's queries. Each function calls a function of ``Table``:
/// `Company.where { … }` is `Table<Company>().where { … }`.
extension Model {
  /// All rows of the model's table that the ``defaultScope`` includes.
  @inlinable
  public static var all: Table<Self> { Table() }

  /// Returns the rows for which a condition is true.
  @inlinable
  public static func `where`(_ condition: (Columns) -> any SQLCondition) -> Table<Self> {
    Table().where(condition)
  }
}
