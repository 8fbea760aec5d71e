import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Generates the conformance to `Model`, and checks of the properties' types.
enum TableMacro: ExtensionMacro {
  /// Disabled: the generated code is formatted already, and formatting is slow.
  static var formatMode: FormatMode { .disabled }

  /// Returns an extension: an initializer in the struct would replace the memberwise initializer.
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
  /// The members that name the properties' types, because the names may be valid only inside the
  /// struct.
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    // The extension macro has reported the errors.
    let table = try? TableDeclaration(of: node, attachedTo: declaration, in: context)
    return table?.memberDeclarations ?? []
  }
}

extension TableMacro: MemberAttributeMacro {
  /// Returns the check of a property. A macro sees text, not types: if the text does not show
  /// whether a type can be a column, overload resolution of the check decides.
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

  /// The property's type, without an optional, if the text does not show whether it can be a
  /// column.
  static func unknownType(of property: Property) -> String? {
    property.storage == nil && !property.hasKnownType ? property.baseType : nil
  }

  /// The check of a property with `@Column(as:)`, if the text does not show whether its type
  /// matches.
  static func storageCheck(of property: Property) -> AttributeSyntax? {
    guard let storage = property.storage, !property.hasKnownType, !property.isKnownCollection
    else { return nil }
    guard storage != "json" else { return "@MiniORM._CheckJSON((\(raw: property.baseType)).self)" }
    let representation = Property.representation(storage, of: property.baseType)
    return
      "@MiniORM._CheckStored((\(raw: property.baseType)).self, as: \(raw: representation).self)"
  }

  /// Called once per property, because the compiler expands the macro for each member.
  static func property(of member: some DeclSyntaxProtocol) -> Property? {
    guard let variable = member.as(VariableDeclSyntax.self), variable.bindings.count == 1,
      case .success(let properties) = Property.all(
        in: variable, naming: .asWritten, isSelection: false, owner: "Self")
    else { return nil }
    return properties.first
  }
}

/// Generates the initializer that reads a row, and the columns for `select`.
enum SelectionMacro: ExtensionMacro {
  /// Disables formatting, as in ``TableMacro``.
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    do {
      let selection = try SelectionDeclaration(
        attachedTo: declaration, type: TypeSyntax(type), in: context)
      return [selection.extensionDeclaration]
    } catch {
      context.diagnose(error.diagnostics)
      return []
    }
  }
}

extension SelectionMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    // The extension macro has reported the errors.
    let selection = try? SelectionDeclaration(attachedTo: declaration, in: context)
    return selection?.memberDeclarations ?? []
  }
}

extension SelectionMacro: MemberAttributeMacro {
  /// Checks each property, whose type may also be a model or a selection.
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let property = TableMacro.property(of: member) else { return [] }
    if let check = TableMacro.storageCheck(of: property) { return [check] }
    guard let type = TableMacro.unknownType(of: property) else { return [] }
    return ["@MiniORM._CheckSelected((\(raw: type)).self)"]
  }
}
