import SwiftSyntax

extension TableDeclaration {
  /// The draft, which is a separate struct only if it differs from the model.
  var draft: [String] {
    let whole = properties.filter { !$0.isGenerated }
    guard key.count == 1, hasRowIDKey || mayHaveRowIDKey else {
      return isModel(whole) ? alias(type) : draft("Draft", of: whole, omitsRowID: false)
    }
    let keyless = whole.filter { $0.name != key[0].name }
    if hasRowIDKey { return draft("Draft", of: keyless, omitsRowID: true) }
    // The key's type may be an alias of an integer type. The compiler chooses the draft by the
    // actual type.
    let keyed = isModel(whole) ? [] : draft("_KeyedDraft", of: whole, omitsRowID: false)
    return draft("_KeylessDraft", of: keyless, omitsRowID: true) + keyed
      + alias("\(key[0].type)._Draft<_KeylessDraft, \(keyed.isEmpty ? type : "_KeyedDraft")>")
  }

  /// True if the key is a rowid alias in case the type's name stands for an integer. The database
  /// does not assign a key that references a parent table.
  private var mayHaveRowIDKey: Bool {
    !key[0].hasKnownType && !key[0].isOptional && key[0].storage == nil && !key[0].isGenerated
      && !key[0].constraints.contains { $0.memberName == "references" }
      && !options.contains("withoutRowID")
  }

  private func isModel(_ drafted: [Property]) -> Bool {
    drafted.count == properties.count && !drafted.contains(where: \.isDefaultedByDatabase)
  }

  private func alias(_ type: String) -> [String] { ["\(access)typealias Draft = \(type)"] }

  private func draft(_ name: String, of drafted: [Property], omitsRowID: Bool) -> [String] {
    let comparison = comparison.map { ", Swift.\($0)" } ?? ""
    var lines = [
      "\(access)nonisolated struct \(name): MiniORM._RowDraft\(comparison) {",
      "  \(access)typealias Stored = \(type)",
      "  \(access)static var omitsRowID: Bool { \(omitsRowID) }",
    ]
    // The implicit initializer is at most internal.
    let needsInitializer = ["public ", "package "].contains(access)
    func declared(_ property: Property) -> (type: String, initial: String?) {
      if property.isDefaultedByDatabase {
        return ("\(property.baseType)?", property.initial.map(property.text) ?? "nil")
      }
      let initial = property.initial ?? property.declaredDefault
      return (property.type, initial.map(property.text) ?? (property.isOptional ? "nil" : nil))
    }
    for property in drafted {
      let (type, initial) = declared(property)
      // The generated initializer provides these values.
      let value = !needsInitializer ? initial.map { " = \($0)" } ?? "" : ""
      lines.append("  \(property.access(in: access))var \(property.name): \(type)\(value)")
    }
    if needsInitializer {
      let (shown, hidden) = (
        drafted.filter { $0.access(in: access) == access },
        drafted.filter { $0.access(in: access) != access }
      )
      func add(_ access: String, taking taken: [Property], isPublic: Bool) {
        let parameters = taken.map { property in
          let (type, initial) = declared(property)
          let isHidden = isPublic && property.hidesDefault
          let value = isHidden ? "\(name).\(property.defaultName)()" : initial
          return "\(property.parameter): \(type)\(value.map { " = \($0)" } ?? "")"
        }
        let values = drafted.map { property in
          taken.contains { $0.name == property.name }
            ? property.argument : declared(property).initial ?? ""
        }
        let targets = drafted.map { "self.\($0.name)" }.joined(separator: ", ")
        let list = values.joined(separator: ", ")
        let body =
          switch drafted.count {
          case 0: ""
          case 1: " \(targets) = \(list) "
          default: " (\(targets)) = (\(list)) "
          }
        lines.append("  \(access)init(\(parameters.joined(separator: ", "))) {\(body)}")
      }
      if !hidden.isEmpty { add(hidden.access(in: access), taking: drafted, isPublic: false) }
      // An initializer without the properties that clients of the module cannot name, if these have
      // defaults.
      if hidden.allSatisfy({ declared($0).initial != nil }) {
        add(access, taking: shown, isPublic: true)
        for property in shown where property.hidesDefault {
          let (type, initial) = declared(property)
          lines.append(
            "  @usableFromInline static func \(property.defaultName)() -> \(type) "
              + "{ \(initial ?? "") }")
        }
      }
    }
    // Unlike a parameter, an argument named `let` needs no backticks.
    let copies = drafted.map { property in
      let isPlain = property.isLabel || property.plainName == "let"
      return "\(isPlain ? property.plainName : property.name): row.\(property.name)"
    }
    lines.append(
      "  \(access)static func _draft(of row: \(type)) -> Self { "
        + ".init(\(copies.joined(separator: ", "))) }")
    lines += bind(drafted, inDraft: true).map { "  " + $0 }
    return lines + ["}"]
  }
}

extension StructDeclSyntax {
  /// `Hashable`, `Equatable` or nil, as far as the declaration shows. With a custom `==`, the
  /// properties' conformances are unknown.
  var comparison: String? {
    let types = inheritanceClause?.inheritedTypes.map(\.type) ?? []
    let parts = types.flatMap { type in
      type.as(CompositionTypeSyntax.self)?.elements.map(\.type) ?? [type]
    }
    let names = Set(
      parts.map { type in
        type.as(MemberTypeSyntax.self)?.name.text ?? type.trimmedDescription
      })
    let functions = memberBlock.members.compactMap { member in
      member.decl.as(FunctionDeclSyntax.self)?.name.text
    }
    guard !functions.contains("==") else { return nil }
    if names.contains("Hashable"), !functions.contains("hash") { return "Hashable" }
    return names.isDisjoint(with: ["Hashable", "Equatable", "Comparable"]) ? nil : "Equatable"
  }
}
