import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros

/// What `@Table` knows about a struct, as plain values.
struct TableDeclaration {
  let type: String
  /// The modifier for generated members, followed by a space; empty for the default.
  let access: String
  /// The `@available` attributes, followed by a space.
  let availability: String
  let name: String
  let properties: [Property]
  /// The properties of the primary key: none, one or several.
  let key: [Property]
  /// `Hashable`, `Equatable` or nothing, which the draft declares as well.
  let comparison: String?
  /// The options as written; empty for the default.
  let options: String
  /// The table's former names.
  let formerNames: [String]

  /// Whether a draft leaves out the key for the database to assign.
  var hasRowIDKey: Bool { key.count == 1 && key[0].isInteger && !options.contains("withoutRowID") }

  /// Reads a declaration.
  /// - Parameter type: The struct's name where the code is inserted; by default, its own.
  /// - Throws: All the mistakes in it.
  init(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    type: TypeSyntax? = nil, in context: some MacroExpansionContext
  ) throws(Mistakes) {
    guard let structure = declaration.as(StructDeclSyntax.self) else {
      throw Mistakes(diagnostics: [.notAStruct(declaration)])
    }
    if let generics = structure.genericParameterClause {
      throw Mistakes(diagnostics: [.generic(generics)])
    }
    var mistakes: [Diagnostic] = []
    if context.lexicalContext.contains(where: \.isGeneric) {
      mistakes.append(.generic(structure.name))
    }
    if !context.lexicalContext.isEmpty,
      let modifier = structure.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) })
    {
      mistakes.append(.privateMember(modifier))
    }
    if let type = context.lexicalContext.privateMember {
      mistakes.append(.inPrivateType(structure.name, type))
    }
    let arguments = TableArguments(node, &mistakes)
    self.type = type?.trimmedDescription ?? structure.name.text
    access = context.lexicalContext.access(of: structure)
    availability = structure.attributes.compactMap { $0.as(AttributeSyntax.self) }
      .filter { $0.attributeName.trimmedDescription == "available" }
      .map { "\($0.trimmedDescription) " }.joined()
    name = arguments.name ?? structure.name.trimmedBackticks
    comparison = structure.comparison
    options = arguments.options ?? ""
    formerNames = arguments.formerNames
    if arguments.name == nil { Self.checkName(structure.name, &mistakes) }

    var properties: [Property] = []
    for variable in structure.memberBlock.members.variables(in: context, &mistakes) {
      switch Property.all(in: variable, naming: arguments.naming, owner: self.type) {
      case .success(let found): properties += found
      case .failure(let error): mistakes += error.diagnostics
      }
    }
    var names: Set<String> = []
    for property in properties where !names.insert(property.column.lowercased()).inserted {
      mistakes.append(.duplicateColumn(property.nameNode, property.column))
    }
    for property in properties where property.prefix != nil && !property.mayHaveColumns {
      mistakes.append(.notAGroup(property.pattern))
    }
    for property in properties {
      for (name, node) in property.formerNames where names.contains(name.lowercased()) {
        mistakes.append(.formerNameInUse(node, name))
      }
    }
    self.properties = properties
    key = Self.key(of: properties, arguments, &mistakes)
    if properties.isEmpty, mistakes.isEmpty { mistakes.append(.noColumns(structure.name)) }
    if key.count > 1 || key.contains(where: { $0.name != "primaryKey" }) {
      for property in properties where property.name == "primaryKey" {
        mistakes.append(.primaryKeyIsTaken(property.pattern))
      }
    }
    if options.contains("withoutRowID"), key.isEmpty, mistakes.isEmpty {
      mistakes.append(.withoutRowID(structure.name))
    }
    guard mistakes.isEmpty else { throw Mistakes(diagnostics: mistakes) }
  }

  private static func checkName(_ token: TokenSyntax, _ mistakes: inout [Diagnostic]) {
    if token.trimmedBackticks.lowercased().hasPrefix("sqlite_") {
      mistakes.append(.reservedName(token))
    }
  }

  private static func key(
    of properties: [Property], _ arguments: TableArguments, _ mistakes: inout [Diagnostic]
  ) -> [Property] {
    let declared = properties.filter { $0.primaryKey != nil }
    var key: [Property] = []
    if !arguments.key.isEmpty {
      for (path, node) in arguments.key {
        let property = properties.first { $0.plainName == path }
        guard let property else {
          mistakes.append(.noSuchProperty(node, path))
          continue
        }
        key.append(property)
      }
      if let first = declared.first {
        mistakes.append(.twoPrimaryKeys(first.keyNode, arguments.key.map(\.name)))
      }
    } else if declared.count > 1 {
      for property in declared.dropFirst() {
        mistakes.append(.twoPrimaryKeys(property.keyNode, declared.map(\.plainName)))
      }
    } else {
      key = declared.isEmpty ? properties.filter { $0.name == "id" && !$0.isGenerated } : declared
    }
    for property in key where property.prefix != nil {
      mistakes.append(
        .embedded(property.pattern, "A group of columns cannot be the primary key"))
    }
    for property in key where property.isOptional {
      mistakes.append(
        .optionalPrimaryKey(
          property.pattern, property.plainName, type: property.baseType,
          isAssigned: key.count == 1 && Property.integers.contains(property.baseType)))
    }
    if let property = declared.first, property.isAutoincrement,
      (property.hasKnownType && !property.isInteger)
        || arguments.options?.contains("withoutRowID") == true
    {
      mistakes.append(.autoincrement(property.keyNode))
    }
    return key
  }
}

/// The arguments of `@Table`.
private struct TableArguments {
  var name: String?
  var naming = Naming.asWritten
  var options: String?
  var key: [(name: String, node: ExprSyntax)] = []
  var formerNames: [String] = []

  init(_ node: AttributeSyntax, _ mistakes: inout [Diagnostic]) {
    guard case .argumentList(let arguments)? = node.arguments else { return }
    for argument in arguments {
      switch argument.label?.text {
      case let label where label == "renamedFrom" || (label == nil && !formerNames.isEmpty):
        if let name = validName(argument.expression, &mistakes) { formerNames.append(name) }
      case nil: name = validName(argument.expression, &mistakes)
      case "columns":
        naming = argument.expression.memberName == "snakeCase" ? .snakeCase : .asWritten
      case "options": options = argument.expression.trimmedDescription
      case "primaryKey":
        guard let array = argument.expression.as(ArrayExprSyntax.self), !array.elements.isEmpty
        else {
          mistakes.append(.unknownKey(argument.expression))
          continue
        }
        for element in array.elements {
          let name = element.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
          guard let name else {
            mistakes.append(.unknownKey(element.expression))
            continue
          }
          key.append((name, element.expression))
        }
      default: break
      }
    }
  }
}

extension DeclModifierListSyntax {
  /// The access modifier that members need: those of a private struct are visible where the struct
  /// is only if they are `fileprivate`.
  var access: String? {
    for modifier in self {
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

extension Syntax {
  var isGeneric: Bool {
    self.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
  }
}

extension [Syntax] {
  /// Returns the modifier for the members of a struct inside these declarations.
  func access(of structure: StructDeclSyntax) -> String {
    // A declaration in a private type is visible in its file at most, whatever its own modifier
    // says.
    let isHidden = contains { node in
      let modifiers = node.asProtocol((any WithModifiersSyntax).self)?.modifiers
      return modifiers?.access == "fileprivate "
    }
    if isHidden { return "fileprivate " }
    // A declaration in a `public extension` is public without a modifier.
    return structure.modifiers.access
      ?? first?.as(ExtensionDeclSyntax.self)?.modifiers.access ?? ""
  }

  /// The name of the first of these types around a declaration that is a private member of the
  /// next: nothing outside the latter can name its members.
  var privateMember: String? {
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
  /// Returns the properties that are compiled: those in a branch of `#if` only if it is the active
  /// one.
  func variables(
    in context: some MacroExpansionContext, _ mistakes: inout [Diagnostic]
  ) -> [VariableDeclSyntax] {
    var variables: [VariableDeclSyntax] = []
    for item in self {
      if let variable = item.decl.as(VariableDeclSyntax.self) {
        variables.append(variable)
      } else if let conditional = item.decl.as(IfConfigDeclSyntax.self) {
        guard let active = conditional.activeClause(in: context) else {
          mistakes.append(.unknownCondition(conditional))
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

extension DeclGroupSyntax {
  /// The keyword of this kind of type.
  var introducer: TokenSyntax {
    if let declaration = self.as(ClassDeclSyntax.self) { return declaration.classKeyword }
    if let declaration = self.as(EnumDeclSyntax.self) { return declaration.enumKeyword }
    if let declaration = self.as(ActorDeclSyntax.self) { return declaration.actorKeyword }
    if let declaration = self.as(ProtocolDeclSyntax.self) { return declaration.protocolKeyword }
    if let declaration = self.as(ExtensionDeclSyntax.self) { return declaration.extensionKeyword }
    return memberBlock.leftBrace
  }
}
