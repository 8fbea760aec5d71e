/// The columns of a model's table. `@Table` writes the conformance.
public protocol ModelColumns: RowColumns {
  // Underscored: a name without would hide a column of that name.
  /// What the table is called.
  var _table: TableName { get }

  /// Makes the columns.
  init()
}

extension ModelColumns {
  /// Returns the columns of a table of another name.
  /// - Parameters:
  ///   - columns: The columns.
  ///   - table: The name.
  public static func renamed(_ columns: Self, as table: String) -> Self {
    TableName.$current.withValue(table) { Self() }
  }
}

extension ModelColumns where Projected: Model {
  /// Returns the columns of the table.
  public static func resultColumns(_ projection: Self) -> [ResultColumn] {
    Projected.schema.columns.map { ResultColumn($0.name, of: projection._table.name) }
  }
}
