import SwiftSyntax
import SwiftSyntaxMacros

/// `@Embedded`: `@Table` reads it, and it writes nothing itself.
enum EmbeddedMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let variable = declaration.as(VariableDeclSyntax.self)
    if variable?.isStored != true {
      // The one in the declaration knows what follows it.
      context.diagnose(.notStored(variable?.attribute("Embedded") ?? node, "Embedded"))
    }
    return []
  }
}
