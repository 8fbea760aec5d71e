import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

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
