import SwiftSyntax
import SwiftSyntaxMacros

/// `@Column`, `@Embedded` and `@Transient`, which `@Table` reads, and which write nothing
/// themselves. A check of a property that has passed is one too.
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
      // The attribute in the declaration knows what follows it.
      context.diagnose(.notStored(variable?.attribute(name) ?? node, name))
    }
    return []
  }
}
