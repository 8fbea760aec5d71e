/// What a schema holds beside tables and their indexes: a ``DatabaseView``, a ``Trigger`` and the like.
///
/// ``DatabaseSchema`` lists them, and `migrate` creates each, replaces it when its declaration has changed,
/// and drops it when it is no longer listed. Nobody but MiniORM conforms to it.
public protocol SchemaObject: Sendable {
  /// What is created, in order.
  /// - Throws: ``DatabaseError`` with the operation `migrate` when a value in it cannot be written
  ///   as a literal, or a query in it is mistaken.
  var definitions: [SchemaObjectDefinition] { get throws(DatabaseError) }
}

/// One CREATE statement of a ``SchemaObject``.
public struct SchemaObjectDefinition: Sendable {
  enum Kind: String {
    case view = "VIEW"
    case trigger = "TRIGGER"
    case virtualTable = "VIRTUAL TABLE"
    case table = "TABLE"

    /// What SQLite's own list of a file calls it.
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
  /// The statement after the name.
  let body: String
  /// Whether rows are in it that are nowhere else.
  let holdsData: Bool
  /// Statements that fill it, after it was created.
  let filling: [String]
  /// A statement that SQLite can compile only if this works: it creates views and triggers without
  /// looking at what they name.
  let probe: String?
  /// The name of the virtual table that this is a part of: nothing works where one of both is as the
  /// schema says and the other is not.
  let owner: String?

  init(
    _ kind: Kind, _ name: String, body: String, holdsData: Bool = false, filling: [String] = [],
    probe: String? = nil, owner: String? = nil
  ) {
    (self.kind, self.name, self.body, self.probe) = (kind, name, body, probe)
    (self.holdsData, self.filling, self.owner) = (holdsData, filling, owner)
  }

  /// SQLite keeps comments with a declaration. This one says that nothing is lost when it is
  /// dropped, whoever wrote the program that does so.
  static let mark = "/* declared */"

  var sql: String {
    "CREATE \(kind.rawValue) \(name.quotedIdentifier) \(holdsData ? "" : "\(Self.mark) ")\(body)"
  }

  /// The statement for one connection alone.
  var temporarySQL: String { "CREATE TEMP \(kind.rawValue) \(name.quotedIdentifier) \(body)" }

  var dropSQL: String { Self.dropSQL(kind.type, name) }

  static func dropSQL(_ type: String, _ name: String) -> String {
    "DROP \(type.uppercasedASCII) \(name.quotedIdentifier)"
  }

  /// Whether other SQL declares the same, however it is written.
  func isDeclared(by other: String) -> Bool { SQLToken.all(in: sql) == SQLToken.all(in: other) }
}
