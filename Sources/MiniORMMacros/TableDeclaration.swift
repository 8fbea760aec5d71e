import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros

struct TableDeclaration {
  let type: String
  let access: String
  let availability: String
  let name: String
  let properties: [Property]
  let isMemberwise: Bool
  /// True if the struct is nested in a type or an extension.
  let isNested: Bool
  /// True if the struct declares an initializer, as far as the macro knows.
  let hasInitializer: Bool
  let key: [Property]
  let comparison: String?
  let options: String
  let formerNames: [String]

  /// True if a draft omits the key, because the database assigns it.
  var hasRowIDKey: Bool {
    key.count == 1 && key[0].isInteger && !options.contains("withoutRowID")
      && !key[0].hasOtherDeclaredType
  }

  init(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    type: TypeSyntax? = nil, in context: some MacroExpansionContext
  ) throws(Mistakes) {
    var mistakes: [Diagnostic] = []
    let structure = try DeclaredStruct(declaration, type: type, in: context, &mistakes)
    let arguments = TableArguments(node, &mistakes)
    (self.type, access, availability) = (structure.type, structure.access, structure.availability)
    name = arguments.name ?? structure.name.trimmedBackticks
    comparison = structure.syntax.comparison
    isNested = !context.lexicalContext.isEmpty
    isMemberwise = structure.syntax.hasMemberwiseInitializer
    hasInitializer = structure.syntax.mayHaveInitializer
    options = arguments.options ?? ""
    formerNames = arguments.formerNames
    if arguments.name == nil { Self.checkName(structure.name, &mistakes) }

    let properties = structure.properties(naming: arguments.naming, in: context, &mistakes)
    for property in properties where property.prefix != nil && !property.mayHaveColumns {
      let name = property.pattern.trimmedDescription
      mistakes.append(.embedded(property.pattern, Property.notAGroup(name)))
    }
    structure.checkMembers(&mistakes)
    let names = Set(properties.map(\.column.folded))
    for property in properties {
      for (name, node) in property.formerNames where names.contains(name.folded) {
        mistakes.append(.formerNameInUse(node, name))
      }
    }
    self.properties = properties
    key = Self.key(of: properties, arguments, &mistakes)
    if properties.isEmpty, mistakes.isEmpty { mistakes.append(.noColumns(structure.name)) }
    if key.count > 1 || key.contains(where: { $0.plainName != "primaryKey" }) {
      for property in properties where property.plainName == "primaryKey" {
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
      key =
        declared.isEmpty ? properties.filter { $0.plainName == "id" && !$0.isGenerated } : declared
    }
    for property in key where property.prefix != nil {
      mistakes.append(
        .embedded(
          property.pattern,
          "An '@Embedded' property cannot be the primary key: declare another property as the key"))
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

extension DeclGroupSyntax {
  var introducer: TokenSyntax {
    if let declaration = self.as(ClassDeclSyntax.self) { return declaration.classKeyword }
    if let declaration = self.as(EnumDeclSyntax.self) { return declaration.enumKeyword }
    if let declaration = self.as(ActorDeclSyntax.self) { return declaration.actorKeyword }
    if let declaration = self.as(ProtocolDeclSyntax.self) { return declaration.protocolKeyword }
    if let declaration = self.as(ExtensionDeclSyntax.self) { return declaration.extensionKeyword }
    return memberBlock.leftBrace
  }
}
