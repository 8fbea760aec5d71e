/// What a model's table is called in a query. `@Table` writes one into the model's columns.
public struct TableName: Sendable {
  /// The name that columns are made with, instead of their table's own.
  @TaskLocal static var current: String?

  let name: String

  /// Makes a name. `@Table` calls this.
  /// - Parameter name: The table's own name, which a query may use another one for.
  public init(_ name: String) { self.name = Self.current ?? name }
}

extension SQL {
  /// A table or the like in FROM.
  init(table name: String) {
    self.init(segments: [.table(source: name.quotedIdentifier, name: name, alias: name)])
  }
}
