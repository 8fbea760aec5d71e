import SwiftSyntax
import SwiftSyntaxMacros

/// Attributes that expand to nothing: marks for `@Table`, such as `@Column`, and passed checks.
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
      // Only the attribute in the declaration is followed by other syntax nodes.
      context.diagnose(.notStored(variable?.attribute(name) ?? node, name))
    }
    return []
  }
}
