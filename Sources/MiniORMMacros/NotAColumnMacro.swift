import SwiftSyntax
import SwiftSyntaxMacros

/// What the compiler chooses for a property whose type is no `ColumnValue`: it says so on the
/// property.
enum NotAColumnMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if let variable = declaration.as(VariableDeclSyntax.self),
      let type = variable.bindings.first?.typeAnnotation?.type
    {
      context.diagnose(.notAColumn(variable, type))
    }
    return []
  }
}
