/// The name of a model's table in a query, for the code of `@Table`.
@_documentation(visibility: internal)
public struct TableName: Sendable {
  @TaskLocal static var current: String?

  let name: String

  /// Creates a name, which a query may replace with an alias.
  public init(_ name: String) { self.name = Self.current ?? name }
}

extension SQL {
  init(table name: String) {
    self.init(segments: [.name(.table(source: name.quotedIdentifier, name: name, alias: name))])
  }
}
