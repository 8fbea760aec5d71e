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

  static func otherName(_ node: ExprSyntax, _ advice: String) -> Diagnostic {
    Diagnostic("otherName", at: node, advice)
  }

  static func defaultStorage(_ node: ExprSyntax) -> Diagnostic {
    Diagnostic(
      "defaultStorage", at: node, "'.text' is the default format of the type: leave out 'as'")
  }

  static func opaqueType(_ type: some SyntaxProtocol, _ keyword: String, name: String) -> Diagnostic
  {
    Diagnostic(
      "opaqueType", at: type,
      "A column has one type: declare '\(name)' with a type that conforms to 'ColumnValue' instead of "
        + "'\(type.trimmedDescription)'")
  }

  static func conditionInSwift(_ node: ExprSyntax) -> Diagnostic {
    Diagnostic(
      "conditionInSwift", at: node,
      "A column's CHECK is SQL text: write '.check(\"age > 3\")', or declare the condition in 'static "
        + "var constraints'")
  }

  static func nameNotFirst(_ node: ExprSyntax) -> Diagnostic {
    Diagnostic(
      "nameNotFirst", at: node,
      "The column's name is the first argument: write '@Column(\(node.trimmedDescription), …)'")
  }

  static func ownMember(_ node: some SyntaxProtocol, _ name: String, of type: String) -> Diagnostic
  {
    Diagnostic(
      "ownMember", at: node,
      "@Table generates '\(name)' in '\(type)': give this declaration another name")
  }

  static func secondMacro(_ attribute: AttributeSyntax, _ advice: String) -> Diagnostic {
    Diagnostic("secondMacro", at: attribute, advice)
  }
}

// Messages of checks. The compiler selects the check, so the text is an argument of the check.
extension Property {
  var notAColumn: String {
    "'\(type)' cannot be a column: store it as JSON with '@Column(as: .json)', leave it out with "
      + "'@Transient', or make it conform to 'ColumnValue'"
      + (isSelected ? ", a '@Table' or a '@Selection'" : "")
  }

  static func notAGroup(_ name: String) -> String {
    "'\(name)' cannot be embedded: '@Embedded' needs a struct with '@Selection'"
  }

  var notJSON: String {
    "'\(type)' cannot be stored as JSON: declare it 'Codable' and 'Sendable', and 'nonisolated' if the "
      + "module's declarations belong to the main actor by default"
  }

  var wrongStorage: String {
    let expected = storage.flatMap(Self.valueType) ?? ""
    let isAmount = expected == "Decimal" && ["Double", "Float"].contains(type)
    return "'as: \(storageText)' stores a \(expected), but '\(plainName)' has the type '\(type)': "
      + (isAmount ? "declare it as 'Decimal', which is exact" : "declare it as '\(expected)'")
      + ", or leave out 'as: \(storageText)'"
  }
}
