import SwiftSyntax
import SwiftSyntaxMacros

/// Reports a property whose type failed a check. Overload resolution selects this macro.
enum NotAColumnMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      let binding = variable.bindings.first
    else { return [] }
    let check = node.attributeName.trimmedDescription
    let place = binding.typeAnnotation.map { Syntax($0.type) } ?? Syntax(binding)
    if check.hasSuffix("_CheckEmbedded") {
      context.diagnose(.notAGroup(place))
      return []
    }
    if check.hasSuffix("_CheckJSON") {
      context.diagnose(.notJSON(place))
      return []
    }
    if check.hasSuffix("_CheckStored") {
      let property = try? Property.all(
        in: variable, naming: .asWritten, isSelection: false, owner: "Self"
      ).get().first
      let expected = property?.storage.flatMap(Property.valueType) ?? ""
      context.diagnose(
        .wrongStorage(
          place, property?.storageText ?? "", expected: expected, name: property?.plainName ?? ""))
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
