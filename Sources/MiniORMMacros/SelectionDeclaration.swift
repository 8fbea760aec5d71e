import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// What `@Selection` knows about a struct, as plain values.
struct SelectionDeclaration {
  let type: String
  /// The modifier for generated members, followed by a space; empty for the default.
  let access: String
  /// The `@available` attributes, followed by a space.
  let availability: String
  let properties: [Property]

  /// Reads a declaration.
  /// - Parameter type: The struct's name where the code is inserted; by default, its own.
  /// - Throws: All the mistakes in it.
  init(
    attachedTo declaration: some DeclGroupSyntax, type: TypeSyntax? = nil,
    in context: some MacroExpansionContext
  ) throws(Mistakes) {
    guard let structure = declaration.as(StructDeclSyntax.self) else {
      throw Self.mistakes([.notAStruct(declaration)])
    }
    if let generics = structure.genericParameterClause {
      throw Self.mistakes([.generic(generics)])
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
    self.type = type?.trimmedDescription ?? structure.name.text
    access = context.lexicalContext.access(of: structure)
    availability = structure.attributes.compactMap { $0.as(AttributeSyntax.self) }
      .filter { $0.attributeName.trimmedDescription == "available" }
      .map { "\($0.trimmedDescription) " }.joined()
    var properties: [Property] = []
    for variable in structure.memberBlock.members.variables(in: context, &mistakes) {
      switch Property.all(in: variable, naming: .asWritten, owner: self.type) {
      case .success(let found): properties += found
      case .failure(let error): mistakes += error.diagnostics
      }
    }
    var names: Set<String> = []
    for property in properties {
      if !names.insert(property.column.lowercased()).inserted {
        mistakes.append(.duplicateColumn(property.nameNode, property.column))
      }
      if property.prefix != nil {
        mistakes.append(
          .embedded(
            property.pattern, "A '@Selection' in another one needs no '@Embedded': leave it out"))
      }
      for constraint in property.constraints { mistakes.append(.constraintInSelection(constraint)) }
    }
    self.properties = properties
    if properties.isEmpty, mistakes.isEmpty { mistakes.append(.noColumns(structure.name)) }
    guard mistakes.isEmpty else { throw Self.mistakes(mistakes) }
  }

  private static func mistakes(_ diagnostics: [Diagnostic]) -> Mistakes {
    Mistakes(diagnostics: diagnostics.map { $0.renamed(to: "@Selection") })
  }
}

// Five lines for a property. A property whose type may be a model or a selection has any number of
// columns, so the columns after it are counted as the row is read.
extension SelectionDeclaration {
  private var hasParts: Bool { properties.contains(where: \.mayHaveColumns) }

  var extensionDeclaration: ExtensionDeclSyntax {
    get throws {
      var lines = ["\(access)init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {"]
      if hasParts { lines.append("  var next: Swift.Int32 = 0") }
      for (index, property) in properties.enumerated() {
        let reading = hasParts ? property.readingColumns : property.reading("row[\(index)]")
        lines.append("  self.\(property.name) = try \(reading)")
        if hasParts, !property.mayHaveColumns, index < properties.count - 1 {
          lines.append("  next += 1")
        }
      }
      lines.append("}")
      lines.append(
        "\(access)func _bind(to statement: borrowing MiniORM.Statement, at next: inout Swift.Int32) "
          + "throws(MiniORM.DatabaseError) {")
      lines += properties.bindingInTurn { $0.binding(isOptional: false) }.map { "  " + $0 }
      lines.append("}")
      return try ExtensionDeclSyntax(
        """
        \(raw: availability)nonisolated extension \(raw: type): MiniORM.Selection {
          \(raw: lines.joined(separator: "\n  "))
        }
        """)
    }
  }

  /// The members that turn expressions into a selection, and that stand for the columns of a
  /// subquery.
  var memberDeclarations: [DeclSyntax] {
    let parameters = properties.map { property in
      property.mayHaveColumns
        ? "\(property.name): some MiniORM._SelectionPart<\(property.columnsType)>"
        : "\(property.name): \(property.columnsType)"
    }
    let targets = properties.map { "self.\($0.name)" }.joined(separator: ", ")
    let values = properties.map { $0.mayHaveColumns ? "\($0.name)._part" : $0.name }
      .joined(separator: ", ")
    var lines = [
      "\(access)nonisolated struct Columns: MiniORM.SelectionColumns {",
      "  \(access)typealias Projected = \(type)",
    ]
    lines += properties.map { "  \(access)let \($0.name): \($0.columnsType)" }
    lines.append(
      "  \(access)init(\(parameters.joined(separator: ", "))) {"
        + (properties.count > 1
          ? " (\(targets)) = (\(values)) }" : " \(targets) = \(values) }"))
    lines.append("  \(access)init(of table: Swift.String) {")
    for property in properties {
      let storage = property.representation.map { ", as: \($0).self" } ?? ""
      lines.append(
        "    self.\(property.name) = .init(column: \(literal(property.column)), of: table\(storage))"
      )
    }
    lines.append("  }")
    let parts = properties.filter(\.mayHaveColumns).map { "\($0.columnsType)._columnCount" }
    let counts = ["\(properties.count - parts.count)"].filter { $0 != "0" } + parts
    lines.append(
      "  \(access)static var _columnCount: Swift.Int32 { \(counts.joined(separator: " + ")) }")
    lines.append(
      "  \(access)static func resultColumns(_ projection: Self) -> [MiniORM.ResultColumn] {")
    let columns = properties.map { property in
      let storage = property.representation.map { ", stored: \($0).self" } ?? ""
      let arguments = "projection.\(property.name), as: \(literal(property.column))\(storage)"
      guard hasParts else { return ".init(\(arguments))" }
      return property.mayHaveColumns
        ? "MiniORM.ResultColumn._all(\(arguments))" : "[.init(\(arguments))]"
    }
    lines.append(
      hasParts
        ? "    let columns: [[MiniORM.ResultColumn]] = [\(columns.joined(separator: ", "))]\n"
          + "    return columns.flatMap { $0 }"
        : "    [\(columns.joined(separator: ", "))]")
    lines.append("  }")
    // Written here and not inherited, so that it is specialized for the struct.
    lines.append(
      "  \(access)static func reader(_ projection: Self) -> MiniORM.RowReader<\(type)> { .init(projection) }"
    )
    lines.append("}")
    return ["\(raw: lines.joined(separator: "\n"))"]
  }

  private func literal(_ text: String) -> String {
    StringLiteralExprSyntax(content: text).description
  }
}
