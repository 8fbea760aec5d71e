import SwiftDiagnostics
import SwiftParser
import SwiftSyntax

struct Mistakes: Error {
  var diagnostics: [Diagnostic]
}

extension VariableDeclSyntax {
  var isStored: Bool {
    guard !modifiers.contains(where: { ["static", "class"].contains($0.name.text) }) else {
      return false
    }
    return bindings.allSatisfy(\.isStored)
  }

  func attribute(_ name: String) -> AttributeSyntax? { attributes(named: name).first }

  func attributes(named name: String) -> [AttributeSyntax] {
    allAttributes.filter {
      $0.attributeName.trimmedDescription == name
        || $0.attributeName.trimmedDescription == "MiniORM.\(name)"
    }
  }

  var allAttributes: [AttributeSyntax] { attributes.compactMap { $0.as(AttributeSyntax.self) } }
}

extension PatternBindingSyntax {
  /// False for computed properties. Observers leave a property stored.
  fileprivate var isStored: Bool {
    switch accessorBlock?.accessors {
    case nil: true
    case .getter: false
    case .accessors(let accessors):
      accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }
  }
}

extension Property {
  /// Returns the columns of a declaration; empty for a computed, static or transient property.
  /// - Parameter owner: The type that `Self` means.
  static func all(
    in variable: VariableDeclSyntax, naming: Naming, isSelection: Bool, owner: String,
    isNested: Bool = false
  ) -> Result<[Property], Mistakes> {
    guard variable.isStored else { return .success([]) }
    var mistakes: [Diagnostic] = []
    for case .ifConfigDecl(let conditional) in variable.attributes {
      mistakes.append(.conditionalAttribute(conditional))
    }
    for name in ["Column", "Embedded"] {
      mistakes += variable.attributes(named: name).dropFirst().map { .repeated($0, name) }
    }
    let column = variable.attribute("Column")
    if let transient = variable.attribute("Transient") {
      if column != nil { mistakes.append(.columnAndTransient(transient)) }
      for binding in variable.bindings
      where binding.initializer == nil && !binding.hasOptionalVariableType(variable) {
        mistakes.append(
          .transientWithoutDefault(binding.pattern, binding.pattern.trimmedDescription))
      }
      return mistakes.isEmpty ? .success([]) : .failure(Mistakes(diagnostics: mistakes))
    }
    if let lazy = variable.modifiers.first(where: { $0.name.text == "lazy" }) {
      mistakes.append(.lazy(lazy))
    }
    for attribute in variable.allAttributes where attribute.isWrapper {
      mistakes.append(.wrapper(attribute))
    }
    guard mistakes.isEmpty else { return .failure(Mistakes(diagnostics: mistakes)) }

    let details = ColumnAttribute(column, &mistakes)
    let embedded = variable.attribute("Embedded")
    if embedded != nil, let column {
      mistakes.append(
        .embedded(
          column, "A property is a '@Column' or '@Embedded', not both: remove one attribute"))
    }
    var properties: [Property] = []
    // In `var a, b: Int`, the type after the last name applies to all names.
    var following: TypeSyntax?
    for binding in variable.bindings.reversed() {
      following = binding.typeAnnotation?.type ?? (binding.initializer == nil ? following : nil)
      do throws(Mistakes) {
        properties.append(
          try Property(
            binding, of: variable, type: following, details, embedded, naming,
            isSelection: isSelection, isNested: isNested, owner))
      } catch {
        mistakes += error.diagnostics
      }
    }
    return mistakes.isEmpty
      ? .success(properties.reversed()) : .failure(Mistakes(diagnostics: mistakes))
  }

  private init(
    _ binding: PatternBindingSyntax, of variable: VariableDeclSyntax, type: TypeSyntax?,
    _ details: ColumnAttribute, _ embedded: AttributeSyntax?, _ naming: Naming,
    isSelection: Bool, isNested: Bool, _ owner: String
  ) throws(Mistakes) {
    guard let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
      throw Mistakes(diagnostics: [.pattern(binding.pattern)])
    }
    pattern = binding.pattern
    name = identifier.text
    initial = binding.initializer?.value
    typeNode = type.map { Syntax($0) } ?? initial.map { Syntax($0) } ?? Syntax(binding.pattern)
    self.owner = owner
    isSelected = isSelection
    self.isNested = isNested
    access = variable.modifiers.access ?? ""
    isDeprecated = variable.attributes(named: "available").contains {
      $0.trimmedDescription.contains("deprecated")
    }
    if variable.bindingSpecifier.text == "let", binding.initializer != nil {
      throw Mistakes(diagnostics: [
        .constantWithValue(variable.bindingSpecifier, identifier.trimmedBackticks)
      ])
    }
    guard
      let text = type?.typeText(in: owner)
        ?? (initial?.literalType ?? initial?.constructedType).map(TypeText.init)
    else {
      throw Mistakes(diagnostics: [.missingType(binding.pattern, identifier.trimmedBackticks)])
    }
    self.type = text.type
    wrapped = text.wrapped
    storage = details.storage
    storageText = details.storageText
    constraints = details.constraints
    formerNames = details.formerNames
    column = details.name ?? naming.column(identifier.trimmedBackticks)
    nameNode = details.nameNode ?? Syntax(binding.pattern)
    prefix = try embedded?.prefix(of: naming.column(identifier.trimmedBackticks))
    // JSON has a null value besides SQL's NULL, so a nested optional is allowed.
    if let type, let wrapped, storage != "json", text.isDoublyOptional {
      throw Mistakes(diagnostics: [.doubleOptional(type, plainName, as: wrapped)])
    }
    if let storage, Self.storages.contains(storage), let expected = Self.valueType(of: storage),
      hasKnownType, baseType != expected, !isNested, let type
    {
      throw Mistakes(diagnostics: [
        Diagnostic("wrongStorage", at: type, wrongStorage)
      ])
    }
    if let type, let keyword = type.opaqueKeyword {
      throw Mistakes(diagnostics: [.opaqueType(type, keyword, name: plainName)])
    }
    if let value = declaredDefault {
      if !isNested, value.cannotBe(baseType) {
        throw Mistakes(diagnostics: [.wrongDefault(value, self.type)])
      }
      if let generated = has("generated") {
        throw Mistakes(diagnostics: [.generatedDefault(value, generated)])
      }
      if !value.isConstant {
        throw Mistakes(diagnostics: [.changingDefault(value, plainName, type: self.type)])
      }
    }
  }
}

extension PatternBindingSyntax {
  /// True for `var x: T?`, which Swift initializes to nil, but not for `var x: Optional<T>`.
  fileprivate func hasOptionalVariableType(_ variable: VariableDeclSyntax) -> Bool {
    variable.bindingSpecifier.text == "var" && typeAnnotation?.type.isSugaredOptional == true
  }
}

extension SyntaxProtocol {
  /// Returns the text without trivia. `Self` becomes the given type.
  func text(in owner: String) -> String {
    // Fast path: most types and defaults are a single token, and `trimmed` copies the node.
    if let token = firstToken(viewMode: .sourceAccurate),
      token == lastToken(viewMode: .sourceAccurate)
    {
      return token.tokenKind == .keyword(.Self) ? owner : token.text
    }
    return trimmed.tokens(viewMode: .sourceAccurate).map { token in
      guard token.tokenKind == .keyword(.Self) else { return token.description }
      return "\(token.leadingTrivia)\(owner)\(token.trailingTrivia)"
    }.joined()
  }
}

extension ExprSyntax {
  /// The type of a call such as `Date()`. With arguments, an initializer may be failable.
  var constructedType: String? {
    guard let call = self.as(FunctionCallExprSyntax.self), call.arguments.isEmpty,
      call.trailingClosure == nil,
      let name = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
      name.first?.isUppercase == true
    else { return nil }
    return name
  }
}

extension AttributeSyntax {
  /// True for a property wrapper or macro: attributes of the language begin with a lowercase
  /// letter.
  fileprivate var isWrapper: Bool {
    let name = attributeName.trimmedDescription
    if ["Column", "MiniORM.Column", "Embedded", "MiniORM.Embedded"].contains(name) { return false }
    return (name.split(separator: ".").last?.first?.isUppercase) ?? false
  }
}

extension AttributeSyntax {
  fileprivate func prefix(of property: String) throws(Mistakes) -> String {
    guard case .argumentList(let arguments)? = arguments, let argument = arguments.first?.expression
    else { return "\(property)_" }
    guard let text = argument.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
      throw Mistakes(diagnostics: [.nameIsNoLiteral(argument)])
    }
    return text
  }
}

private struct ColumnAttribute {
  var name: String?
  var nameNode: Syntax?
  var storage: String?
  var storageText = ""
  var constraints: [ExprSyntax] = []
  var formerNames: [(name: String, node: ExprSyntax)] = []

  init(_ attribute: AttributeSyntax?, _ mistakes: inout [Diagnostic]) {
    guard case .argumentList(let arguments)? = attribute?.arguments else { return }
    for (index, argument) in arguments.enumerated() {
      if argument.label?.text == "renamedFrom" || (argument.label == nil && !formerNames.isEmpty) {
        if let name = validName(argument.expression, &mistakes) {
          formerNames.append((name, argument.expression))
        }
      } else if argument.label?.text == "as" {
        storage = argument.expression.storage
        storageText = argument.expression.trimmedDescription
        if storage.map({ !Property.storages.contains($0) }) ?? true {
          mistakes.append(
            storage == "text"
              ? .defaultStorage(argument.expression) : .unknownStorage(argument.expression))
        }
      } else if index == 0, argument.expression.is(StringLiteralExprSyntax.self) {
        name = validName(argument.expression, &mistakes)
        nameNode = Syntax(argument.expression)
      } else if argument.expression.isConditionInSwift {
        mistakes.append(.conditionInSwift(argument.expression))
      } else if argument.expression.is(StringLiteralExprSyntax.self) {
        mistakes.append(.nameNotFirst(argument.expression))
      } else if let advice = argument.expression.otherNameAdvice {
        mistakes.append(.otherName(argument.expression, advice))
      } else {
        constraints.append(argument.expression)
      }
    }
  }
}

extension ExprSyntax {
  /// True for `.check(age > 3)` and `.check { $0 > 3 }`.
  fileprivate var isConditionInSwift: Bool {
    guard memberName == "check", let call = self.as(FunctionCallExprSyntax.self) else {
      return false
    }
    guard call.trailingClosure == nil, let condition = call.arguments.first?.expression else {
      return true
    }
    return condition.is(ClosureExprSyntax.self)
      || condition.is(SequenceExprSyntax.self) && !condition.description.contains("\"")
  }

  /// A storage's name: `json` for `.json`, `decimal2` for `.decimal(scale: 2)`.
  fileprivate var storage: String? {
    guard let call = self.as(FunctionCallExprSyntax.self) else { return memberName }
    let scale = call.arguments.first?.expression.as(IntegerLiteralExprSyntax.self)
    return memberName.map { $0 + (scale?.representedLiteralValue.map { "\($0)" } ?? "") }
  }
}

func validName(_ expression: ExprSyntax, _ mistakes: inout [Diagnostic]) -> String? {
  guard let name = expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
    mistakes.append(.nameIsNoLiteral(expression))
    return nil
  }
  if name.isEmpty {
    mistakes.append(.emptyName(expression))
  } else if name.utf8.starts(
    with: "sqlite_".utf8, by: { $0 == $1 || ($0 & 0xdf == $1 & 0xdf && $1 != 0x5f) })
  {
    mistakes.append(.reservedName(expression))
  }
  return name
}
