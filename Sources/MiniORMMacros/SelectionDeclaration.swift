import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

struct SelectionDeclaration {
  let type: String
  let access: String
  let availability: String
  let properties: [Property]
  let isMemberwise: Bool

  init(
    attachedTo declaration: some DeclGroupSyntax, type: TypeSyntax? = nil,
    in context: some MacroExpansionContext
  ) throws(Mistakes) {
    var mistakes: [Diagnostic] = []
    let structure: DeclaredStruct
    do throws(Mistakes) {
      structure = try DeclaredStruct(declaration, type: type, in: context, &mistakes)
    } catch {
      throw Self.mistakes(error.diagnostics)
    }
    (self.type, access, availability) = (structure.type, structure.access, structure.availability)
    isMemberwise = structure.syntax.hasMemberwiseInitializer
    properties = structure.properties(naming: .asWritten, isSelection: true, in: context, &mistakes)
    for property in properties {
      if property.prefix != nil {
        mistakes.append(
          .embedded(
            property.pattern,
            "A '@Selection' inside a '@Selection' needs no '@Embedded': remove the attribute"))
      }
      for constraint in property.constraints { mistakes.append(.constraintInSelection(constraint)) }
    }
    if properties.isEmpty, mistakes.isEmpty { mistakes.append(.noColumns(structure.name)) }
    guard mistakes.isEmpty else { throw Self.mistakes(mistakes) }
  }

  private static func mistakes(_ diagnostics: [Diagnostic]) -> Mistakes {
    Mistakes(diagnostics: diagnostics.map { $0.renamed(to: "@Selection") })
  }
}

// A property takes five lines. A property whose type may be a model or a selection can have any
// number of columns, so later columns are counted while a row is read.
extension SelectionDeclaration {
  private var hasParts: Bool { properties.contains(where: \.isGroup) }

  var extensionDeclaration: ExtensionDeclSyntax {
    let deprecation = properties.deprecation
    let reading = properties.reading(isMemberwise: isMemberwise)
    let binding = properties.binding(from: "next") { $0.binding(isOptional: false) }
    return ExtensionDeclSyntax(
      written: """
        \(availability)nonisolated extension \(type): MiniORM.Selection {
          \(deprecation)\(access)init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            \(lines(reading, indentedBy: 4))
          }
          \(deprecation)\(access)func _bind(to statement: borrowing MiniORM.Statement, at next: inout Swift.Int32) throws(MiniORM.DatabaseError) {
            \(lines(binding, indentedBy: 4))
          }
        }
        """)
  }

  /// The expressions of a selection, and the columns of a subquery.
  func memberDeclarations(in context: some MacroExpansionContext) -> [DeclSyntax] {
    let columns = properties.flatMap {
      $0.checked("\($0.access(in: access))let \($0.name): \($0.columnsType)", in: context)
    }
    let initializer = properties.access(in: access)
    // A generated reader is specialized for the struct; an inherited reader is not.
    return [
      DeclSyntax(
        written: """
          \(access)nonisolated struct Columns: MiniORM.SelectionColumns {
            \(access)typealias Projected = \(type)
            \(lines(columns, indentedBy: 2))
            \(initializer)init(\(parameters)) { \(assignment) }
            \(access)init(of table: Swift.String) {
              \(lines(columnsOfTable, indentedBy: 4))
            }
            \(access)static var _columnCount: Swift.Int32 { \(columnCount) }
            \(access)static func resultColumns(_ projection: Self) -> [MiniORM.ResultColumn] {
              \(lines(resultColumns, indentedBy: 4))
            }
            \(access)static func reader(_ projection: Self) -> MiniORM.RowReader<\(type)> { .init(projection) }
          }
          """)
    ]
  }

  /// The parameters of the initializer. A group's parameter accepts several types.
  private var parameters: String {
    properties.map { property in
      guard property.isGroup else { return "\(property.parameter): \(property.columnsType)" }
      return "\(property.parameter): some MiniORM._SelectionPart<\(property.columnsType)>"
    }.joined(separator: ", ")
  }

  private var assignment: String {
    let targets = properties.map { "self.\($0.name)" }.joined(separator: ", ")
    let values = properties.map { $0.argument + ($0.isGroup ? "._part" : "") }
      .joined(separator: ", ")
    return properties.count > 1 ? "(\(targets)) = (\(values))" : "\(targets) = \(values)"
  }

  private var columnsOfTable: [String] {
    properties.map { property in
      let storage = property.representation.map { ", as: \($0).self" } ?? ""
      return
        "self.\(property.name) = .init(column: \(literal(property.column)), of: table\(storage)"
        + "\(property.defaultArguments))"
    }
  }

  private var columnCount: String {
    let parts = properties.filter(\.isGroup)
    let single = properties.count - parts.count
    let counts = (single > 0 ? ["\(single)"] : []) + parts.map { "\($0.columnsType)._columnCount" }
    return counts.joined(separator: " + ")
  }

  private var resultColumns: [String] {
    let columns = properties.map { property in
      let storage = property.representation.map { ", stored: \($0).self" } ?? ""
      let arguments = "projection.\(property.name), as: \(literal(property.column))\(storage)"
      if property.isGroup { return "MiniORM.ResultColumn._all(\(arguments))" }
      return hasParts ? "[.init(\(arguments))]" : ".init(\(arguments))"
    }.joined(separator: ", ")
    guard hasParts else { return ["[\(columns)]"] }
    return [
      "let columns: [[MiniORM.ResultColumn]] = [\(columns)]", "return columns.flatMap { $0 }",
    ]
  }

  private func lines(_ lines: [String], indentedBy count: Int) -> String {
    lines.joined(separator: "\n" + String(repeating: " ", count: count))
  }
}
