import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

// The generated code is short, and calls the runtime, so that many models compile in seconds. A
// property takes three lines: in the columns, the draft and the initializer.
extension TableDeclaration {
  private static let bindHead =
    "func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError)"

  var extensionDeclaration: ExtensionDeclSyntax {
    ExtensionDeclSyntax(
      written: """
        \(availability)nonisolated extension \(type): MiniORM.\(key.isEmpty ? "Model" : "Model, MiniORM.PrimaryKeyedModel") {
          \(conformance.joined(separator: "\n  "))
        }
        """)
  }

  func memberDeclarations(in context: some MacroExpansionContext) -> [DeclSyntax] {
    var members = [columns(in: context), draft]
    if !initializers.isEmpty { members.append(initializers) }
    if !key.isEmpty {
      let types = key.map(\.type).joined(separator: ", ")
      members.append(["\(access)typealias PrimaryKey = \(key.count > 1 ? "(\(types))" : types)"])
    }
    if isTypedInStruct { members.append(typedMembers) }
    return members.map { DeclSyntax(written: $0.joined(separator: "\n")) }
  }

  /// True if the members with generated types must be in the struct. In an extension, Swift would
  /// refuse them as public, if a type around the struct is less accessible than the struct.
  private var isTypedInStruct: Bool { isNested && needsInitializer }

  private var isolation: String { isTypedInStruct ? "nonisolated " : "" }

  private var typedMembers: [String] {
    ["\(access)\(isolation)static let columns: Columns = .init()"] + primaryKey
  }

  private var conformance: [String] {
    let names = key.count > 1 ? ", primaryKey: [\(self.list(key.map(\.column)))]" : ""
    let former = formerNames.isEmpty ? "" : ", renamedFrom: [\(self.list(formerNames))]"
    let deprecation = properties.deprecation
    var members = [
      "\(access)static let schema: MiniORM.TableSchema = .init(\(literal(name)), \(schemas)\(names)"
        + "\(options.isEmpty ? "" : ", options: \(options)")\(former))",
      "\(deprecation)\(access)init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {",
    ]
    members += properties.reading(isMemberwise: isMemberwise).map { "  \($0)" }
    members.append("}")
    members += bind(properties, inDraft: false)
    return isTypedInStruct ? members : typedMembers.prefix(1) + members + typedMembers.dropFirst()
  }

  private var hasGroups: Bool { properties.contains(where: \.isGroup) }

  /// The schemas of the columns. A group can have any number of columns.
  private var schemas: String {
    let list = properties.map { property in
      guard property.isGroup else {
        return hasGroups ? "[columns.\(property.name).schema]" : "columns.\(property.name).schema"
      }
      let arguments = property.isOptional ? "()" : property.groupDefault ?? ""
      return "columns.\(property.name)._schemas\(arguments)"
    }.joined(separator: ", ")
    return hasGroups ? "Swift.Array([\(list)].joined())" : "[\(list)]"
  }

  private func columns(in context: some MacroExpansionContext) -> [String] {
    var lines = [
      "\(access)nonisolated final class Columns: MiniORM.ModelColumns {",
      "  \(access)typealias Projected = \(type)",
      "  \(access)let _table: MiniORM.TableName = .init(\(literal(name)))",
    ]
    for property in properties {
      let access = property.access(in: access)
      func append(_ arguments: String) {
        let column = "\(access)let \(property.name): \(property.columnsType) = .init(\(arguments))"
        lines += property.checked(column, in: context).map { "  " + $0 }
      }
      if let prefix = property.prefix {
        append("embedded: \(literal(prefix)), in: \(literal(name))")
        continue
      }
      var arguments = "column: \(literal(property.column)), of: \(literal(name))"
      if let representation = property.representation {
        arguments += ", as: \(representation).self"
      }
      for constraint in property.constraints { arguments += ", \(property.written(constraint))" }
      if let constraint = property.defaultConstraint { arguments += ", \(constraint)" }
      // A property named `id` is the key without a declaration.
      if key.count == 1, key[0].name == property.name, property.primaryKey == nil {
        arguments += ", .primaryKey"
      }
      let former = property.formerNames.map(\.name)
      if !former.isEmpty { arguments += ", .renamed(from: \(list(former)))" }
      append(arguments)
    }
    // The implicit initializer is at most internal.
    if ["public ", "package "].contains(access) { lines.append("  \(access)init() {}") }
    lines += hiddenDefaults.map { "  " + $0 }
    return lines + ["}"]
  }

  func bind(_ properties: [Property], inDraft: Bool) -> [String] {
    let lines = properties.filter { !$0.isGenerated }.binding(from: "first") { property in
      property.binding(isOptional: inDraft && property.isDefaultedByDatabase)
    }
    let deprecation = inDraft ? "" : properties.deprecation
    return ["\(deprecation)\(access)\(Self.bindHead) {"] + lines.map { "  " + $0 } + ["}"]
  }

  private var primaryKey: [String] {
    guard let first = key.first else { return [] }
    let values = key.map { "self.\($0.name)" }.joined(separator: ", ")
    let deprecation = key.deprecation
    var members: [String] = []
    if key.count > 1 {
      members.append(
        "\(deprecation)\(access)\(isolation)var primaryKey: PrimaryKey { (\(values)) }")
    } else if first.plainName != "primaryKey" {  // such a key is its own witness
      members.append("\(deprecation)\(access)\(isolation)var primaryKey: PrimaryKey { \(values) }")
    }
    // The default implementation binds a single column in its type's default format.
    guard key.count > 1 || first.storage != nil else { return members }
    var parts = key.indices.map { key.count > 1 ? "key.\($0)" : "key" }[...]
    let lines = key.binding(from: "first") { property in
      let part = parts.removeFirst()
      return property.inferredRepresentation.map { "\($0)(\(part))" } ?? part
    }
    let head =
      "func bind(_ key: PrimaryKey, to statement: borrowing MiniORM.Statement, at first: Int32) "
      + "throws(MiniORM.DatabaseError)"
    return members + ["\(access)\(isolation)static \(head) {"] + lines.map { "  " + $0 } + ["}"]
  }

  private func list(_ texts: [String]) -> String {
    texts.map(literal).joined(separator: ", ")
  }
}
