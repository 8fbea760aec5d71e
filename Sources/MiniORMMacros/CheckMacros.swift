import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros

/// Attributes that generate nothing: marks for `@Table`, such as `@Column`, and passed checks.
enum MarkerMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let variable = declaration.as(VariableDeclSyntax.self)
    if variable?.isStored != true {
      let written =
        node.attributeName.as(MemberTypeSyntax.self)?.name.text
        ?? node.attributeName.trimmedDescription
      let name = ["Embedded", "Transient"].contains(written) ? written : "Column"
      // The attribute in the declaration, unlike `node`, has a place in the source file.
      context.diagnose(.notStored(variable?.attribute(name) ?? node, name))
    }
    return []
  }
}

/// Reports a property whose type failed a check. Overload resolution selects this macro.
enum NotAColumnMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard case .argumentList(let arguments)? = node.arguments, let text = arguments.first,
      let message = text.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue,
      let type = arguments.dropFirst().first
    else { return [] }
    context.diagnose(Diagnostic("notAColumn", at: type, message))
    return []
  }
}

extension Property {
  /// The check of the type, if the text does not show whether the type can be a column. A macro sees
  /// text, not types: overload resolution of the check decides.
  private var check: (name: String, message: String, arguments: String)? {
    guard !hasKnownType, storage == nil || !isKnownCollection else { return nil }
    let type = "(\(baseType)).self"
    if storage == "json" { return ("JSON", notJSON, type) }
    if let storage {
      let representation = Self.representation(storage, of: baseType)
      return ("Stored", wrongStorage, "\(type), as: \(representation).self")
    }
    if prefix != nil { return ("Embedded", Self.notAGroup(self.type), type) }
    return (isSelected ? "Selected" : "Column", notAColumn, type)
  }

  /// Returns the lines that declare a column, with the check of the property's type.
  ///
  /// The directive gives the check the property's place in the source file, where the compiler
  /// reports an error. A `MemberAttributeMacro` could attach the check to the property itself, but
  /// the compiler would send the whole struct once per property, which takes most of the time of a
  /// rebuild.
  func checked(_ column: String, in context: some MacroExpansionContext) -> [String] {
    guard let check else { return [column] }
    let head = "@MiniORM._Check\(check.name)(\(literal(check.message)),"
    let tail = "\(check.arguments)) \(column)"
    let place = context.location(of: typeNode, at: .afterLeadingTrivia, filePathMode: .filePath)
    guard let place, let line = Int(place.line.description), line > 1,
      let offset = Int(place.column.description)
    else { return ["\(head) \(tail)"] }
    return [
      "#sourceLocation(file: \(place.file), line: \(line - 1))", head,
      // The callers indent the lines by two columns, which count from 1.
      String(repeating: " ", count: max(0, offset - 3)) + tail, "#sourceLocation()",
    ]
  }
}

/// Reports a change that has not run. Overload resolution selects this macro.
enum ChangeNotRunMacro: ExpressionMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    throw DiagnosticsError(diagnostics: [.changeNotRun(node)])
  }
}
