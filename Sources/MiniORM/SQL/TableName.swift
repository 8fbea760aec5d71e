/// What a model's table is called in a query. `@Table` writes one into the model's columns.
public struct TableName: Sendable {
  /// The name that columns are made with, instead of their table's own.
  @TaskLocal static var current: String?

  let name: String

  /// Makes a name. `@Table` calls this.
  /// - Parameter name: The table's own name, which a query may use another one for.
  public init(_ name: String) { self.name = Self.current ?? name }
}

/// The columns of a model's table. `@Table` writes the conformance.
public protocol ModelColumns: RowColumns {
  // Underscored: a name without would hide a column of that name.
  /// What the table is called.
  var _table: TableName { get }

  /// Makes the columns.
  init()
}

extension ModelColumns {
  /// The columns of a table of another name.
  /// - Parameters:
  ///   - columns: The columns.
  ///   - table: The name.
  public static func renamed(_ columns: Self, as table: String) -> Self {
    TableName.$current.withValue(table) { Self() }
  }
}

extension ModelColumns where Projected: Model {
  /// The columns of the table.
  public static func resultColumns(_ projection: Self) -> [ResultColumn] {
    Projected.schema.columns.map { ResultColumn($0.name, of: projection._table.name) }
  }
}

extension SQL {
  /// A table or the like in FROM.
  init(table name: String) {
    self.init(segments: [.table(source: name.quotedIdentifier, name: name, alias: name)])
  }
}
