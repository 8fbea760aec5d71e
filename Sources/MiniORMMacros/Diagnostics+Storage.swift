import SwiftDiagnostics
import SwiftSyntax

extension Diagnostic {
  static func otherName(_ node: ExprSyntax, _ advice: String) -> Diagnostic {
    Diagnostic("otherName", at: node, advice)
  }

  static func defaultStorage(_ node: ExprSyntax) -> Diagnostic {
    Diagnostic(
      "defaultStorage", at: node, "'.text' is the default format of the type: leave out 'as'")
  }

  static func wrongStorage(
    _ type: some SyntaxProtocol, _ storage: String, expected: String, name: String
  ) -> Diagnostic {
    let written = type.trimmedDescription
    let isAmount = expected == "Decimal" && ["Double", "Float"].contains(written)
    return Diagnostic(
      "wrongStorage", at: type,
      "'as: \(storage)' stores a \(expected), but '\(name)' has the type '\(written)': "
        + (isAmount ? "declare it as 'Decimal', which is exact" : "declare it as '\(expected)'")
        + ", or leave out 'as: \(storage)'")
  }

  static func notJSON(_ type: some SyntaxProtocol) -> Diagnostic {
    let name = type.trimmedDescription
    return Diagnostic(
      "notJSON", at: type,
      "'\(name)' cannot be stored as JSON: declare it 'Codable' and 'Sendable', and 'nonisolated' if the "
        + "module's declarations belong to the main actor by default")
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
