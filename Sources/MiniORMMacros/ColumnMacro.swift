import SwiftSyntax
import SwiftSyntaxMacros

/// `@Column`: `@Table` reads it, and it writes nothing itself.
enum ColumnMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if declaration.as(VariableDeclSyntax.self)?.isStored != true {
      context.diagnose(.notStored(node, "Column"))
    }
    return []
  }
}
