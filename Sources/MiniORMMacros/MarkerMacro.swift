import SwiftSyntax
import SwiftSyntaxMacros

/// `@Column`, `@Embedded` and `@Transient`: `@Table` reads these attributes, and they expand to
/// nothing. A passed check of a property also expands to nothing.
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
      // Only the attribute in the declaration has the following syntax nodes.
      context.diagnose(.notStored(variable?.attribute(name) ?? node, name))
    }
    return []
  }
}
