import SwiftSyntax
import SwiftSyntaxMacros

/// `@Transient`: `@Table` reads it, and it writes nothing itself.
enum TransientMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if declaration.as(VariableDeclSyntax.self)?.isStored != true {
      context.diagnose(.notStored(node, "Transient"))
    }
    return []
  }
}
