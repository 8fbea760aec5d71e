import SwiftDiagnostics
import SwiftSyntax

extension Diagnostic {
  static func twoPrimaryKeys(_ node: some SyntaxProtocol, _ keys: [String]) -> Diagnostic {
    let names = keys.map { "\"\($0)\"" }.joined(separator: ", ")
    return Diagnostic(
      "twoPrimaryKeys", at: node,
      "There is a primary key already: for a key of several columns write '@Table(primaryKey: [\(names)])'"
    )
  }

  static func optionalPrimaryKey(
    _ node: some SyntaxProtocol, _ name: String, type: String, isAssigned: Bool
  ) -> Diagnostic {
    Diagnostic(
      "optionalPrimaryKey", at: node,
      "A primary key cannot be optional: declare '\(name)' as '\(type)'"
        + (isAssigned ? "; 'Draft' leaves '\(name)' out, so a new row needs no key" : ""))
  }

  static func autoincrement(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic(
      "autoincrement", at: node,
      "AUTOINCREMENT needs an integer key in a table with rowids: leave out 'autoincrement'")
  }

  static func unknownKey(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic(
      "unknownKey", at: node,
      "Write the key as names of properties, such as '[\"userID\", \"groupID\"]'")
  }

  static func noSuchProperty(_ node: some SyntaxProtocol, _ name: String) -> Diagnostic {
    Diagnostic(
      "noSuchProperty", at: node,
      "There is no column property '\(name)': name a stored property of the struct")
  }

  static func primaryKeyIsTaken(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic(
      "primaryKeyIsTaken", at: node,
      "@Table generates a property 'primaryKey': rename this property, and keep the column's name with "
        + "'@Column(\"primaryKey\")'")
  }

  static func withoutRowID(_ name: TokenSyntax) -> Diagnostic {
    Diagnostic(
      "withoutRowID", at: name,
      "A table WITHOUT ROWID needs a primary key: declare one with '@Column(.primaryKey)'")
  }
}
