import SwiftSyntax

// An insertion gives the row back as it is stored. Where each property is of a type that is read as it was bound, it is the
// same row with its rowid, which is then not read: one of several thousand rows, inserted one by one in a transaction, takes a
// third of the time.
extension TableDeclaration {
  private var head: String { "\(access)func _stored(_ rowID: Swift.Int64) -> " }

  /// Whether a row is nothing but properties of such types, as far as their text tells. MiniORM looks at the types
  /// themselves.
  private var isKept: Bool { isWhole && properties.allSatisfy(\.isKept) }

  /// The line that gives a model back.
  var storedModel: [String] { isKept ? [head + "Self? { self }"] : [] }

  /// The lines that make the model of a draft without the key.
  var storedDraft: [String] {
    guard isKept, isMemberwise, key.count == 1, let key = key.first,
      properties.allSatisfy(\.isLabel)
    else { return [] }
    let values = properties.map { property in
      let value = property.name == key.name ? "rowID" : "self.\(property.name)"
      return "\(property.plainName): \(value)"
    }
    let row = "Stored(\(values.joined(separator: ", ")))"
    switch key.type {
    case "Int64": return [head + "Stored? { \(row) }"]
    case "Int":
      return [
        head + "Stored? {",
        "  guard let rowID = Swift.Int(exactly: rowID) else { return nil }",
        "  return \(row)",
        "}",
      ]
    default: return []
    }
  }
}

extension Property {
  /// What has several texts for one value.
  private static let changedTypes: Set = ["URL", "Decimal"]

  /// Whether its value is read as it was bound.
  fileprivate var isKept: Bool {
    prefix == nil && storage == nil && !isGenerated && !isDefaultedByDatabase
      && hasKnownType && !Self.changedTypes.contains(baseType)
  }
}

extension StructDeclSyntax {
  /// Whether it is certain that the struct stores nothing but columns.
  var storesOnlyColumns: Bool {
    // Other macros may write properties.
    attributes.areOnly("Table", "available")
      && memberBlock.members.allSatisfy { member in
        if let variable = member.decl.as(VariableDeclSyntax.self) {
          return variable.isStored
            ? variable.attributes.areOnly("Column")
              && variable.modifiers.allSatisfy { $0.name.text != "lazy" }
            : true
        }
        return !member.decl.is(IfConfigDeclSyntax.self)
          && !member.decl.is(MacroExpansionDeclSyntax.self)
      }
  }
}
