/// An object of a schema besides tables and their indexes: a ``DatabaseView``, a ``Trigger`` and so
/// on.
///
/// ``DatabaseSchema`` lists them. `migrate` creates each one, replaces it if its declaration has
/// changed, and drops it if it is no longer listed. Only MiniORM's own types conform.
public protocol SchemaObject: Sendable {
  /// The statements that create it, in order.
  /// - Throws: ``DatabaseError`` with the operation `migrate` if a value in it cannot be written as
  ///   a literal, or a query in it contains a mistake.
  var definitions: [SchemaObjectDefinition] { get throws(DatabaseError) }
}

/// One CREATE statement of a ``SchemaObject``.
public struct SchemaObjectDefinition: Sendable {
  enum Kind: String {
    case view = "VIEW"
    case trigger = "TRIGGER"
    case virtualTable = "VIRTUAL TABLE"
    case table = "TABLE"

    /// Its type in SQLite's own list of a file's objects.
    var type: String {
      switch self {
      case .view: "view"
      case .trigger: "trigger"
      case .virtualTable, .table: "table"
      }
    }
  }

  let kind: Kind
  let name: String
  /// The rest of the statement after the name.
  let body: String
  /// Whether it holds rows that exist nowhere else.
  let holdsData: Bool
  /// Statements that fill it after it is created.
  let filling: [String]
  /// A statement that SQLite can compile only if this object works. SQLite creates views and
  /// triggers without checking what they name.
  let probe: String?
  /// The name of the virtual table that this is part of: neither works if one of them matches the
  /// schema and the other does not.
  let owner: String?

  init(
    _ kind: Kind, _ name: String, body: String, holdsData: Bool = false, filling: [String] = [],
    probe: String? = nil, owner: String? = nil
  ) {
    (self.kind, self.name, self.body, self.probe) = (kind, name, body, probe)
    (self.holdsData, self.filling, self.owner) = (holdsData, filling, owner)
  }

  /// A comment, which SQLite keeps with a declaration. Files of MiniORM versions that did not record
  /// objects show by it that nothing is lost when the object is dropped.
  static let mark = "/* declared */"

  var sql: String {
    "CREATE \(kind.rawValue) \(name.quotedIdentifier) \(holdsData ? "" : "\(Self.mark) ")\(body)"
  }

  static func dropSQL(_ type: String, _ name: String) -> String {
    "DROP \(type.uppercasedASCII) \(name.quotedIdentifier)"
  }

  /// Returns whether other SQL declares the same object, however it is written.
  func isDeclared(by other: String) -> Bool { SQLToken.all(in: sql) == SQLToken.all(in: other) }

  /// Returns whether a statement has the mark right after the name that it creates, where MiniORM
  /// writes it. Anywhere else, it may be part of a text or of another program's comment.
  package static func isMarked(_ sql: String) -> Bool {
    let tokens = SQLToken.all(in: sql)
    let index = tokens.count > 1 && tokens[1].isKeyword("virtual") ? 3 : 2
    guard index < tokens.count, tokens[index].isName else { return false }
    return sql.utf8.dropFirst(tokens[index].range.upperBound).starts(with: " \(mark) ".utf8)
  }
}
