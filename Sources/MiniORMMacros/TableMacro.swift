import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Table`: writes the conformance to `Model`, and has the compiler check the types of the
/// properties.
enum TableMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let table = TableDeclaration(of: node, attachedTo: declaration, type: type, in: context)
    else { return [] }
    return [try table.extensionDeclaration]
  }
}

extension TableMacro: MemberAttributeMacro {
  /// A macro sees text and not types. Where the text does not tell that a type can be a column,
  /// another macro is attached to the property: which of its overloads the compiler chooses tells.
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let variable = member.as(VariableDeclSyntax.self), variable.bindings.count == 1,
      case .success(let properties) = Property.all(in: variable, naming: .asWritten, owner: "Self"),
      let property = properties.first,
      property.storage == nil, !property.hasKnownType
    else { return [] }
    return ["@MiniORM._CheckColumn((\(raw: property.baseType)).self)"]
  }
}
