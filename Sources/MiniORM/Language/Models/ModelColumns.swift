/// The columns of a model's table. `@Table` generates the conformance.
public protocol ModelColumns: RowColumns {
  // Underscored, because a name without an underscore would hide a column with that name.
  /// The table's name in the query.
  var _table: TableName { get }

  /// Creates the table's columns.
  @_documentation(visibility: internal)
  init()
}

extension ModelColumns {
  /// Returns the columns, qualified with an alias.
  @_documentation(visibility: internal)
  public static func renamed(_ columns: Self, as table: String) -> Self {
    TableName.$current.withValue(table) { Self() }
  }
}

extension ModelColumns where Projected: Model {
  /// Returns the columns of the table.
  @_documentation(visibility: internal)
  public static func resultColumns(_ projection: Self) -> [ResultColumn] {
    Projected.schema.columns.map { ResultColumn($0.name, of: projection._table.name) }
  }
}
