import SwiftSyntax
import SwiftSyntaxMacros

/// `@Embedded`, which `@Table` reads, and which writes nothing itself.
enum EmbeddedMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let variable = declaration.as(VariableDeclSyntax.self)
    if variable?.isStored != true {
      // The attribute in the declaration knows what follows it.
      context.diagnose(.notStored(variable?.attribute("Embedded") ?? node, "Embedded"))
    }
    return []
  }
}
