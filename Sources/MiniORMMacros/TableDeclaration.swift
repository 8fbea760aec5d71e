import SwiftDiagnostics
import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

/// What `@Table` knows of a struct, as plain values.
struct TableDeclaration {
  let type: String
  /// The modifier for the members that it writes, with a space behind it; empty for the default.
  let access: String
  let name: String
  let properties: [Property]
  /// The properties of the primary key: none, one or several.
  let key: [Property]
  /// As it is written; empty for the default.
  let options: String

  /// Whether a draft leaves the key out for the database to assign.
  var hasRowIDKey: Bool { key.count == 1 && key[0].isInteger && !options.contains("withoutRowID") }

  /// Reads a declaration, or diagnoses every mistake in it.
  init?(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    type: some TypeSyntaxProtocol,
    in context: some MacroExpansionContext
  ) {
    guard let structure = declaration.as(StructDeclSyntax.self) else {
      context.diagnose(.notAStruct(declaration))
      return nil
    }
    if let generics = structure.genericParameterClause {
      context.diagnose(.generic(generics))
      return nil
    }
    var mistakes: [Diagnostic] = []
    let arguments = TableArguments(node, &mistakes)
    self.type = type.trimmedDescription
    access = structure.modifiers.access
    name = arguments.name ?? structure.name.trimmedBackticks
    options = arguments.options ?? ""
    if arguments.name == nil { Self.checkName(structure.name, &mistakes) }

    var properties: [Property] = []
    for variable in structure.memberBlock.members.variables(in: context, &mistakes) {
      switch Property.all(in: variable, naming: arguments.naming) {
      case .success(let found): properties += found
      case .failure(let error): mistakes += error.diagnostics
      }
    }
    var names: Set<String> = []
    for property in properties where !names.insert(property.column.lowercased()).inserted {
      mistakes.append(.duplicateColumn(property.nameNode, property.column))
    }
    self.properties = properties
    key = Self.key(of: properties, arguments, in: structure, &mistakes)
    if properties.isEmpty, mistakes.isEmpty { mistakes.append(.noColumns(structure.name)) }
    if options.contains("withoutRowID"), key.isEmpty, mistakes.isEmpty {
      mistakes.append(.withoutRowID(structure.name))
    }
    guard mistakes.isEmpty else {
      context.diagnose(mistakes)
      return nil
    }
  }

  private static func checkName(_ token: TokenSyntax, _ mistakes: inout [Diagnostic]) {
    if token.trimmedBackticks.lowercased().hasPrefix("sqlite_") {
      mistakes.append(.reservedName(token))
    }
  }

  private static func key(
    of properties: [Property], _ arguments: TableArguments, in structure: StructDeclSyntax,
    _ mistakes: inout [Diagnostic]
  ) -> [Property] {
    let declared = properties.filter { $0.primaryKey != nil }
    var key: [Property] = []
    if !arguments.key.isEmpty {
      for (path, node) in arguments.key {
        guard let property = properties.first(where: { $0.name == path }) else {
          mistakes.append(.unknownKey(node))
          continue
        }
        key.append(property)
      }
      if let first = declared.first {
        mistakes.append(
          .twoPrimaryKeys(first.keyNode, arguments.key.map(\.name), in: structure.name.text))
      }
    } else if declared.count > 1 {
      for property in declared.dropFirst() {
        mistakes.append(
          .twoPrimaryKeys(property.keyNode, declared.map(\.name), in: structure.name.text))
      }
    } else {
      key = declared.isEmpty ? properties.filter { $0.name == "id" && !$0.isGenerated } : declared
    }
    for property in key where property.isOptional {
      mistakes.append(.optionalPrimaryKey(property.pattern, property.name, type: property.baseType))
    }
    if let property = declared.first, property.isAutoincrement,
      !property.isInteger || arguments.options?.contains("withoutRowID") == true
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

  init(_ node: AttributeSyntax, _ mistakes: inout [Diagnostic]) {
    guard case .argumentList(let arguments)? = node.arguments else { return }
    for argument in arguments {
      switch argument.label?.text {
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
          let path = element.expression.as(KeyPathExprSyntax.self)?.components
          guard let last = path?.last?.component.as(KeyPathPropertyComponentSyntax.self),
            path?.count == 1
          else {
            mistakes.append(.unknownKey(element.expression))
            continue
          }
          key.append((last.declName.baseName.text, element.expression))
        }
      default: break
      }
    }
  }
}

extension DeclModifierListSyntax {
  /// A private struct's members are seen where the struct is only when they are `fileprivate`.
  fileprivate var access: String {
    for modifier in self {
      switch modifier.name.text {
      case "public", "package": return modifier.name.text + " "
      case "private", "fileprivate": return "fileprivate "
      default: continue
      }
    }
    return ""
  }
}

extension MemberBlockItemListSyntax {
  /// The properties that are compiled: those in a branch of `#if` when it is the active one.
  fileprivate func variables(
    in context: some MacroExpansionContext, _ mistakes: inout [Diagnostic]
  ) -> [VariableDeclSyntax] {
    var variables: [VariableDeclSyntax] = []
    for item in self {
      if let variable = item.decl.as(VariableDeclSyntax.self) {
        variables.append(variable)
      } else if let conditional = item.decl.as(IfConfigDeclSyntax.self) {
        guard let configuration = context.buildConfiguration else {
          mistakes.append(.unknownCondition(conditional))
          continue
        }
        let active = conditional.activeClause(in: configuration).clause
        if case .decls(let members)? = active?.elements {
          variables += members.variables(in: context, &mistakes)
        }
      }
    }
    return variables
  }
}

extension DeclGroupSyntax {
  /// The keyword that says what kind of type this is.
  var introducer: TokenSyntax {
    if let declaration = self.as(ClassDeclSyntax.self) { return declaration.classKeyword }
    if let declaration = self.as(EnumDeclSyntax.self) { return declaration.enumKeyword }
    if let declaration = self.as(ActorDeclSyntax.self) { return declaration.actorKeyword }
    if let declaration = self.as(ProtocolDeclSyntax.self) { return declaration.protocolKeyword }
    if let declaration = self.as(ExtensionDeclSyntax.self) { return declaration.extensionKeyword }
    return memberBlock.leftBrace
  }
}
