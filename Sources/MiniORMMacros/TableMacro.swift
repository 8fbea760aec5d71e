import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Generates the conformance to `Model`, and checks of the columns' types.
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
    return table?.memberDeclarations(in: context) ?? []
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
    return selection?.memberDeclarations(in: context) ?? []
  }
}
