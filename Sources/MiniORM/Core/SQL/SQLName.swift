enum SQLName: Sendable {
  /// A column, with its table's name in the query.
  case column(ColumnName)
  /// A table in FROM: its SQL, its own name, and its name in the query.
  indirect case table(source: String, name: String, alias: String)
  case alias(String)

  var text: String {
    switch self {
    case .column(let column): column.text
    case .table(let source, let name, let alias):
      alias.hasSameBytes(as: name) ? source : "\(source) AS \(alias.quotedIdentifier)"
    case .alias(let name): " AS " + name.quotedIdentifier
    }
  }
}

/// A column with its quoted text, which is computed once for many queries.
final class ColumnName: Sendable {
  let table: String
  let name: String
  let text: String

  init(_ name: String, of table: String) {
    (self.name, self.table) = (name, table)
    text = table.quotedIdentifier + "." + name.quotedIdentifier
  }
}

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
