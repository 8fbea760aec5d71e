import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Generates the conformance to `Model`, and lets the compiler check the types of the properties.
enum TableMacro: ExtensionMacro {
  /// Disabled, because the generated code is already formatted, and formatting is slow.
  static var formatMode: FormatMode { .disabled }

  /// Returns an extension, because an initializer in the struct would replace the memberwise
  /// initializer.
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    do {
      let table = try TableDeclaration(
        of: node, attachedTo: declaration, type: TypeSyntax(type), in: context)
      return [table.extensionDeclaration]
    } catch {
      context.diagnose(error.diagnostics)
      return []
    }
  }
}

extension TableMacro: MemberMacro {
  /// Returns the members that name the properties' types. In a nested struct, these names are only
  /// valid inside the struct.
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    // The extension macro reports the errors.
    let table = try? TableDeclaration(of: node, attachedTo: declaration, in: context)
    return table?.memberDeclarations ?? []
  }
}

extension TableMacro: MemberAttributeMacro {
  /// Returns the check for a property. A macro sees text, not types. If the text does not show
  /// whether a type can be a column, a check is attached to the property, and the compiler decides
  /// by overload resolution.
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let property = property(of: member) else { return [] }
    if let check = storageCheck(of: property) { return [check] }
    guard let type = unknownType(of: property) else { return [] }
    let isEmbedded = member.as(VariableDeclSyntax.self)?.attribute("Embedded") != nil
    return ["@MiniORM._Check\(raw: isEmbedded ? "Embedded" : "Column")((\(raw: type)).self)"]
  }

  /// Returns the type of a property, without an optional, if the text does not show whether the
  /// type can be a column.
  static func unknownType(of property: Property) -> String? {
    property.storage == nil && !property.hasKnownType ? property.baseType : nil
  }

  /// Returns the check of a property with `@Column(as:)`, if the text does not show whether the
  /// type matches.
  static func storageCheck(of property: Property) -> AttributeSyntax? {
    guard let storage = property.storage, !property.hasKnownType, !property.isKnownCollection
    else { return nil }
    guard storage != "json" else { return "@MiniORM._CheckJSON((\(raw: property.baseType)).self)" }
    let representation = Property.representation(storage, of: property.baseType)
    return
      "@MiniORM._CheckStored((\(raw: property.baseType)).self, as: \(raw: representation).self)"
  }

  /// Returns the property that a member declares. The compiler expands the macro for each member, so
  /// this runs once per property.
  static func property(of member: some DeclSyntaxProtocol) -> Property? {
    guard let variable = member.as(VariableDeclSyntax.self), variable.bindings.count == 1,
      case .success(let properties) = Property.all(
        in: variable, naming: .asWritten, isSelection: false, owner: "Self")
    else { return nil }
    return properties.first
  }
}
