/// A schema object other than a table or an index, such as a ``DatabaseView`` or a ``Trigger``.
///
/// ``DatabaseSchema`` lists these objects. `migrate` creates each object, replaces an object whose
/// declaration has changed, and drops an object that is no longer listed. Only MiniORM's types
/// conform.
public protocol SchemaObject: Sendable {
  /// The statements that create the object, in order.
  /// - Throws: ``DatabaseError`` with the operation `migrate` if a value has no literal, or a query
  ///   in the object is invalid.
  @_documentation(visibility: internal)
  var definitions: [SchemaObjectDefinition] { get throws(DatabaseError) }
}

/// A CREATE statement of a ``SchemaObject``.
@_documentation(visibility: internal)
public struct SchemaObjectDefinition: Sendable {
  enum Kind: String {
    case view = "VIEW"
    case trigger = "TRIGGER"
    case virtualTable = "VIRTUAL TABLE"
    case table = "TABLE"

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
  let body: String
  /// True if the object holds rows that exist nowhere else.
  let holdsData: Bool
  let filling: [String]
  /// Compiles only if this object is valid: SQLite creates views and triggers without checking
  /// their names.
  let probe: String?
  /// The virtual table that this object serves. If the virtual table changes, the object is dropped
  /// first.
  let owner: String?

  init(
    _ kind: Kind, _ name: String, body: String, holdsData: Bool = false, filling: [String] = [],
    probe: String? = nil, owner: String? = nil
  ) {
    (self.kind, self.name, self.body, self.probe) = (kind, name, body, probe)
    (self.holdsData, self.filling, self.owner) = (holdsData, filling, owner)
  }

  var sql: String { "CREATE \(kind.rawValue) \(name.quotedIdentifier) \(body)" }

  static func dropSQL(_ type: String, _ name: String) -> String {
    "DROP \(type.uppercasedASCII) \(name.quotedIdentifier)"
  }

  /// Ignores whitespace, case, the quotation marks of the name, and the schema name of a trigger's
  /// table.
  func isDeclared(by other: String) -> Bool {
    func tokens(_ sql: String) -> (name: ExactText?, rest: [SQLToken]) {
      var tokens = SQLToken.all(in: kind == .trigger ? sql.removingSchemaOfTrigger : sql)
      let position = kind == .virtualTable ? 3 : 2  // CREATE VIRTUAL TABLE name
      guard position < tokens.count else { return (nil, tokens) }
      let name = tokens.remove(at: position).written.folded
      return (name, tokens)
    }
    return tokens(sql) == tokens(other)
  }
}

extension String {
  /// A CREATE TRIGGER statement, or its part after the name, without the schema name of the table.
  ///
  /// A trigger that was created in an attached file keeps the name, as in `ON aux.note`. SQLite
  /// ignores it in a file and refuses it in SQL.
  var removingSchemaOfTrigger: String {
    let tokens = SQLToken.all(in: self)
    guard let on = tokens.firstIndex(where: { $0.isKeyword("on") }), on + 2 < tokens.count,
      tokens[on + 1].isName, tokens[on + 2].isSymbol(".")
    else { return self }
    return part(0..<tokens[on + 1].range.lowerBound)
      + part(tokens[on + 2].range.upperBound..<utf8.count)
  }
}

package enum SchemaHash {
  /// The 64-bit FNV-1a hash of the tokens. Never change the hash: files store the results.
  package static func of(_ sql: String) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for token in SQLToken.all(in: sql) {
      for byte in token.text.string.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      // A separator: 0xff never occurs in UTF-8.
      hash = (hash ^ 0xff) &* 0x100_0000_01b3
    }
    return Int64(bitPattern: hash)
  }
}
