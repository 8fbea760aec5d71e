import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

struct DeclaredStruct {
  let syntax: StructDeclSyntax
  /// The struct's name where the generated code is inserted.
  let type: String
  /// The access modifier of generated members, with a space; empty for the default.
  let access: String
  let availability: String

  var name: TokenSyntax { syntax.name }

  /// - Throws: An error if the declaration is not a struct, or is generic.
  init(
    _ declaration: some DeclGroupSyntax, type: TypeSyntax?, in context: some MacroExpansionContext,
    _ mistakes: inout [Diagnostic]
  ) throws(Mistakes) {
    guard let syntax = declaration.as(StructDeclSyntax.self) else {
      throw Mistakes(diagnostics: [.notAStruct(declaration)])
    }
    if let generics = syntax.genericParameterClause {
      throw Mistakes(diagnostics: [.generic(generics)])
    }
    if context.lexicalContext.contains(where: \.isGeneric) {
      mistakes.append(.generic(syntax.name))
    }
    if !context.lexicalContext.isEmpty,
      let modifier = syntax.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) })
    {
      mistakes.append(.privateMember(modifier))
    }
    if let type = context.lexicalContext.privateMember {
      mistakes.append(.inPrivateType(syntax.name, type))
    }
    mistakes += syntax.attributes.secondMacros
    self.syntax = syntax
    self.type = type?.trimmedDescription ?? syntax.name.text
    access = context.lexicalContext.access(of: syntax)
    availability = syntax.attributes.compactMap { $0.as(AttributeSyntax.self) }
      .filter { $0.attributeName.trimmedDescription == "available" }
      .map { "\($0.trimmedDescription) " }.joined()
  }

  func properties(
    naming: Naming, isSelection: Bool = false, in context: some MacroExpansionContext,
    _ mistakes: inout [Diagnostic]
  ) -> [Property] {
    var properties: [Property] = []
    for variable in syntax.memberBlock.members.variables(in: context, &mistakes) {
      switch Property.all(
        in: variable, naming: naming, isSelection: isSelection, owner: type,
        isNested: !context.lexicalContext.isEmpty)
      {
      case .success(let found): properties += found
      case .failure(let error): mistakes += error.diagnostics
      }
    }
    var names: Set<[UInt8]> = []
    for property in properties where !names.insert(property.column.folded).inserted {
      mistakes.append(.duplicateColumn(property.nameNode, property.column))
    }
    return properties
  }
}

extension DeclaredStruct {
  /// The members that a model may declare. `#` stands for the model.
  private static let members = [
    "indexes": "[Index<#>]", "constraints": "[TableConstraint<#>]", "defaultScope": "Scope<#>",
  ]

  /// Rejects a member whose type names a different model: Swift would silently use the default.
  func checkMembers(_ mistakes: inout [Diagnostic]) {
    for member in syntax.memberBlock.members {
      if let (node, name) = member.decl.ownMember(["Columns", "Draft", "PrimaryKey"]) {
        mistakes.append(.ownMember(node, name, of: self.name.trimmedBackticks))
      }
      guard let variable = member.decl.as(VariableDeclSyntax.self),
        variable.modifiers.contains(where: { $0.name.text == "static" }),
        let binding = variable.bindings.first, let type = binding.typeAnnotation?.type,
        let form = Self.members[binding.pattern.trimmedDescription]
      else { continue }
      let text = type.trimmedDescription.replacing("MiniORM.", with: "")
      let (head, tail) = (form.prefix { $0 != "#" }, form.drop { $0 != "#" }.dropFirst())
      guard text.hasPrefix(head), text.hasSuffix(tail) else { continue }
      let model = text.dropFirst(head.count).dropLast(tail.count)
      let last = model.split(separator: ".").last ?? ""
      guard last != "Self", last != name.trimmedBackticks, last != name.text else { continue }
      mistakes.append(
        .ignoredMember(
          type, binding.pattern.trimmedDescription, as: form.replacing("#", with: name.text)))
    }
  }
}

extension DeclSyntax {
  /// Returns the name of a member that the macro would also generate.
  func ownMember(_ types: Set<String>) -> (node: Syntax, name: String)? {
    if let type = self.asProtocol((any NamedDeclSyntax).self), types.contains(type.name.text),
      !self.is(FunctionDeclSyntax.self)
    {
      return (Syntax(type.name), type.name.text)
    }
    guard let variable = self.as(VariableDeclSyntax.self), let binding = variable.bindings.first
    else { return nil }
    let name = binding.pattern.trimmedDescription
    let isStatic = variable.modifiers.contains { $0.name.text == "static" }
    // An instance property `columns` does not conflict with the static property.
    guard isStatic ? ["columns", "schema"].contains(name) : name == "_table" else { return nil }
    return (Syntax(binding.pattern), name)
  }
}

extension DeclModifierListSyntax {
  /// Members of a private struct are `fileprivate`, and so visible wherever the struct is.
  var access: String? {
    for modifier in self where modifier.detail == nil {
      switch modifier.name.text {
      case "public", "package": return modifier.name.text + " "
      case "private", "fileprivate": return "fileprivate "
      case "internal": return ""
      default: continue
      }
    }
    return nil
  }
}

extension AttributeListSyntax {
  fileprivate var secondMacros: [Diagnostic] {
    func all(_ name: String) -> [AttributeSyntax] {
      compactMap { $0.as(AttributeSyntax.self) }
        .filter { [name, "MiniORM.\(name)"].contains($0.attributeName.trimmedDescription) }
    }
    let (tables, selections) = (all("Table"), all("Selection"))
    let repeated = (tables.dropFirst() + selections.dropFirst()).map { attribute in
      let name = attribute.attributeName.trimmedDescription
      return Diagnostic.secondMacro(
        attribute, "A struct has one '@\(name)': leave out the second one")
    }
    guard !tables.isEmpty, let selection = selections.first else { return repeated }
    return repeated + [
      .secondMacro(selection, "The rows of a table can be selected already: leave out '@Selection'")
    ]
  }
}

extension Syntax {
  fileprivate var isGeneric: Bool {
    self.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
  }
}

extension [Syntax] {
  fileprivate func access(of structure: StructDeclSyntax) -> String {
    // A declaration in a private type is visible at most in the file, whatever its own modifier.
    let isHidden = contains { node in
      let modifiers = node.asProtocol((any WithModifiersSyntax).self)?.modifiers
      return modifiers?.access == "fileprivate "
    }
    if isHidden { return "fileprivate " }
    // A declaration in a `public extension` is public without a modifier.
    return structure.modifiers.access
      ?? first?.as(ExtensionDeclSyntax.self)?.modifiers.access ?? ""
  }

  /// The first enclosing type that is a private member of a type, and therefore cannot be named
  /// outside.
  fileprivate var privateMember: String? {
    for node in dropLast() {
      guard let type = node.asProtocol((any NamedDeclSyntax).self),
        let modifiers = node.asProtocol((any WithModifiersSyntax).self)?.modifiers,
        modifiers.contains(where: { $0.name.tokenKind == .keyword(.private) })
      else { continue }
      return type.name.text
    }
    return nil
  }
}

extension MemberBlockItemListSyntax {
  fileprivate func variables(
    in context: some MacroExpansionContext, _ mistakes: inout [Diagnostic]
  ) -> [VariableDeclSyntax] {
    var variables: [VariableDeclSyntax] = []
    for item in self {
      if let variable = item.decl.as(VariableDeclSyntax.self) {
        variables.append(variable)
      } else if let conditional = item.decl.as(IfConfigDeclSyntax.self) {
        guard let active = conditional.activeClause(in: context) else {
          if conditional.declaresColumns { mistakes.append(.unknownCondition(conditional)) }
          continue
        }
        if case .decls(let members)? = active?.elements {
          variables += members.variables(in: context, &mistakes)
        }
      }
    }
    return variables
  }
}

extension IfConfigDeclSyntax {
  /// True if any branch, compiled or not, declares a column.
  fileprivate var declaresColumns: Bool {
    clauses.contains { clause in
      guard case .decls(let members)? = clause.elements else { return false }
      return members.contains { member in
        if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
          return conditional.declaresColumns
        }
        guard let variable = member.decl.as(VariableDeclSyntax.self) else { return false }
        return variable.isStored && variable.attribute("Transient") == nil
      }
    }
  }
}
