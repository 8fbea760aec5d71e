import SwiftSyntax

extension TableDeclaration {
  /// The draft: a separate struct if it differs from the model.
  var draft: [String] {
    let whole = properties.filter { !$0.isGenerated }
    guard key.count == 1, hasRowIDKey || mayHaveRowIDKey else {
      return isModel(whole) ? alias(type) : draft("Draft", of: whole, omitsRowID: false)
    }
    let keyless = whole.filter { $0.name != key[0].name }
    if hasRowIDKey { return draft("Draft", of: keyless, omitsRowID: true) }
    // The key's type may be an alias of an integer type. The compiler selects the draft by the
    // actual type.
    let keyed = isModel(whole) ? [] : draft("_KeyedDraft", of: whole, omitsRowID: false)
    return draft("_KeylessDraft", of: keyless, omitsRowID: true) + keyed
      + alias("\(key[0].type)._Key._Draft<_KeylessDraft, \(keyed.isEmpty ? type : "_KeyedDraft")>")
  }

  /// True if the key would be a rowid alias with an integer type, for a type whose name may stand
  /// for one.
  private var mayHaveRowIDKey: Bool {
    !key[0].hasKnownType && !key[0].isOptional && key[0].storage == nil && !key[0].isGenerated
      && !key[0].constraints.contains { $0.memberName == "references" }
      && !options.contains("withoutRowID") && !key[0].hasOtherDeclaredType
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
    for property in drafted {
      let (type, initial) = declared(property, inDraft: true)
      // The initializer below provides the defaults.
      let value = !needsInitializer ? initial.map { " = \($0)" } ?? "" : ""
      lines.append("  \(property.access(in: access))var \(property.name): \(type)\(value)")
    }
    if needsInitializer {
      lines += initializers(of: drafted, of: name, inDraft: true).map { "  " + $0 }
    }
    // An argument named `let` needs no backticks, unlike a parameter.
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

  /// True if an initializer must be more than internal.
  var needsInitializer: Bool { ["public ", "package "].contains(access) }

  /// True if the model is, or may be, its own draft.
  private var isOwnDraft: Bool { !hasRowIDKey && isModel(properties.filter { !$0.isGenerated }) }

  /// The memberwise initializer for other modules, of a model that is its own draft.
  var initializers: [String] {
    guard needsInitializer, !hasInitializer, isOwnDraft else { return [] }
    return initializers(of: properties, of: type, inDraft: false)
  }

  /// Returns a property's type, and the default of its parameter.
  private func declared(_ property: Property, inDraft: Bool) -> (type: String, initial: String?) {
    if inDraft, property.isDefaultedByDatabase {
      return ("\(property.baseType)?", property.initial.map(property.text) ?? "nil")
    }
    let initial = property.initial ?? property.declaredDefault
    return (property.type, initial.map(property.text) ?? (property.isOptional ? "nil" : nil))
  }

  /// The functions that return hidden defaults. These are members of `Columns`, because a macro
  /// must declare the names of a model's new members.
  var hiddenDefaults: [String] {
    guard needsInitializer, !hasInitializer, isOwnDraft else { return [] }
    return properties.filter { $0.access(in: access) == access }
      .flatMap { hiddenDefault($0, inDraft: false) }
  }

  private func hiddenDefault(_ property: Property, inDraft: Bool) -> [String] {
    guard property.hidesDefault else { return [] }
    let (type, initial) = declared(property, inDraft: inDraft)
    return [
      "@usableFromInline static func \(property.defaultName)() -> \(type) { \(initial ?? "") }"
    ]
  }

  private func initializers(of properties: [Property], of name: String, inDraft: Bool) -> [String] {
    var lines: [String] = []
    let (shown, hidden) = (
      properties.filter { $0.access(in: access) == access },
      properties.filter { $0.access(in: access) != access }
    )
    func declared(_ property: Property) -> (type: String, initial: String?) {
      self.declared(property, inDraft: inDraft)
    }
    func add(_ access: String, taking taken: [Property], isPublic: Bool) {
      let parameters = taken.map { property in
        let (type, initial) = declared(property)
        let isHidden = isPublic && property.hidesDefault
        let value = isHidden ? "\(inDraft ? name : "Columns").\(property.defaultName)()" : initial
        return "\(property.parameter): \(type)\(value.map { " = \($0)" } ?? "")"
      }
      let values = properties.map { property in
        taken.contains { $0.name == property.name }
          ? property.argument : declared(property).initial ?? ""
      }
      let targets = properties.map { "self.\($0.name)" }.joined(separator: ", ")
      let list = values.joined(separator: ", ")
      let body =
        switch properties.count {
        case 0: ""
        case 1: " \(targets) = \(list) "
        default: " (\(targets)) = (\(list)) "
        }
      // The draft is nonisolated as a whole.
      let isolation = inDraft ? "" : "nonisolated "
      lines.append("\(access)\(isolation)init(\(parameters.joined(separator: ", "))) {\(body)}")
    }
    if !hidden.isEmpty { add(hidden.access(in: access), taking: properties, isPublic: false) }
    // The public initializer omits properties that clients of the module cannot name, if all of
    // these properties have defaults.
    if hidden.allSatisfy({ declared($0).initial != nil }) {
      add(access, taking: shown, isPublic: true)
      if inDraft { lines += shown.flatMap { hiddenDefault($0, inDraft: true) } }
    }
    return lines
  }
}

extension StructDeclSyntax {
  /// True if the struct may declare an initializer, also in a part that the macro does not read.
  var mayHaveInitializer: Bool {
    memberBlock.members.contains {
      $0.decl.is(InitializerDeclSyntax.self) || $0.decl.is(IfConfigDeclSyntax.self)
        || $0.decl.is(MacroExpansionDeclSyntax.self)
    }
  }

  /// `Hashable`, `Equatable` or nil, as far as the declaration shows. With a custom `==`, the
  /// conformances of the properties are unknown.
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
