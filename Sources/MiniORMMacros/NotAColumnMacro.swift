import SwiftSyntax
import SwiftSyntaxMacros

/// Reports an error at a property whose type is not a `ColumnValue`. The compiler chooses this
/// macro by overload resolution.
enum NotAColumnMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      let binding = variable.bindings.first
    else { return [] }
    if node.attributeName.trimmedDescription.hasSuffix("_CheckEmbedded") {
      let type = binding.typeAnnotation.map { Syntax($0.type) }
      context.diagnose(.notAGroup(type ?? Syntax(binding)))
      return []
    }
    let isSelected = node.attributeName.trimmedDescription.hasSuffix("_CheckSelected")
    if let type = binding.typeAnnotation?.type {
      context.diagnose(
        .notAColumn(
          variable, at: type, type: type.trimmedDescription, isSelected: isSelected))
    } else if let value = binding.initializer?.value, let type = value.constructedType {
      context.diagnose(.notAColumn(variable, at: value, type: type, isSelected: isSelected))
    }
    return []
  }
}
