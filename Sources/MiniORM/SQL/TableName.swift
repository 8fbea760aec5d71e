/// The name of a model's table in a query. `@Table` writes one into the model's columns.
public struct TableName: Sendable {
  /// The name that columns are created with, instead of their table's own.
  @TaskLocal static var current: String?

  let name: String

  /// Creates a name. `@Table` calls this.
  /// - Parameter name: The table's own name, which a query may replace with another one.
  public init(_ name: String) { self.name = Self.current ?? name }
}

extension SQL {
  /// Creates a table or similar source in FROM.
  init(table name: String) {
    self.init(segments: [.name(.table(source: name.quotedIdentifier, name: name, alias: name))])
  }
}
