import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Attributes that generate nothing: marks for `@Table`, such as `@Column`, and passed checks.
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
      // The attribute in the declaration, unlike `node`, has a place in the source file.
      context.diagnose(.notStored(variable?.attribute(name) ?? node, name))
    }
    return []
  }
}

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

/// Reports a change that has not run. Overload resolution selects this macro.
enum ChangeNotRunMacro: ExpressionMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    throw DiagnosticsError(diagnostics: [.changeNotRun(node)])
  }
}
