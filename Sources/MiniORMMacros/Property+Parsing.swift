import SwiftDiagnostics
import SwiftParser
import SwiftSyntax

/// Mistakes found in a declaration, all of them.
struct Mistakes: Error {
  var diagnostics: [Diagnostic]
}

extension VariableDeclSyntax {
  /// Whether it is a stored property of each value of the type.
  var isStored: Bool {
    guard !modifiers.contains(where: { ["static", "class"].contains($0.name.text) }) else {
      return false
    }
    return bindings.allSatisfy(\.isStored)
  }

  func attribute(_ name: String) -> AttributeSyntax? {
    allAttributes.first {
      $0.attributeName.trimmedDescription == name
        || $0.attributeName.trimmedDescription == "MiniORM.\(name)"
    }
  }

  var allAttributes: [AttributeSyntax] { attributes.compactMap { $0.as(AttributeSyntax.self) } }
}

extension PatternBindingSyntax {
  /// Observers may follow a stored property; every other accessor makes it a computed one.
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
  /// The columns that a declaration declares: none for a computed, static or transient one.
  static func all(in variable: VariableDeclSyntax, naming: Naming) -> Result<[Property], Mistakes> {
    guard variable.isStored else { return .success([]) }
    var mistakes: [Diagnostic] = []
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
    var properties: [Property] = []
    // In `var a, b: Int` the type stands at the last name and is that of all before it.
    var following: TypeSyntax?
    for binding in variable.bindings.reversed() {
      following = binding.typeAnnotation?.type ?? (binding.initializer == nil ? following : nil)
      do throws(Mistakes) {
        properties.append(try Property(binding, of: variable, type: following, details, naming))
      } catch {
        mistakes += error.diagnostics
      }
    }
    return mistakes.isEmpty
      ? .success(properties.reversed()) : .failure(Mistakes(diagnostics: mistakes))
  }

  private init(
    _ binding: PatternBindingSyntax, of variable: VariableDeclSyntax, type: TypeSyntax?,
    _ details: ColumnAttribute,
    _ naming: Naming
  ) throws(Mistakes) {
    guard let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
      throw Mistakes(diagnostics: [.pattern(binding.pattern)])
    }
    pattern = binding.pattern
    name = identifier.text
    initial = binding.initializer?.value.trimmed
    if variable.bindingSpecifier.text == "let", binding.initializer != nil {
      throw Mistakes(diagnostics: [
        .constantWithValue(variable.bindingSpecifier, identifier.trimmedBackticks)
      ])
    }
    guard
      let text = type?.typeText
        ?? (initial?.literalType ?? initial?.constructedType).map(TypeText.init)
    else {
      throw Mistakes(diagnostics: [.missingType(binding.pattern, identifier.trimmedBackticks)])
    }
    self.type = text.type
    wrapped = text.wrapped
    storage = details.storage
    constraints = details.constraints
    column = details.name ?? naming.column(identifier.trimmedBackticks)
    nameNode = details.nameNode ?? Syntax(binding.pattern)
    if let value = declaredDefault, value.cannotBe(baseType) {
      throw Mistakes(diagnostics: [.wrongDefault(value, self.type)])
    }
  }
}

extension PatternBindingSyntax {
  /// `var x: T?` is nil without being given a value.
  fileprivate func hasOptionalVariableType(_ variable: VariableDeclSyntax) -> Bool {
    variable.bindingSpecifier.text == "var" && typeAnnotation?.type.typeText.wrapped != nil
  }
}

/// A type as text, and what it wraps where it is an optional.
struct TypeText {
  let type: String
  let wrapped: String?

  init(_ type: String) { self.init(type: type, wrapped: nil) }

  init(type: String, wrapped: String?) { (self.type, self.wrapped) = (type, wrapped) }
}

extension TypeSyntax {
  fileprivate var typeText: TypeText {
    if let optional = self.as(OptionalTypeSyntax.self) {
      return TypeText(type: trimmedDescription, wrapped: optional.wrappedType.trimmedDescription)
    }
    if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      let wrapped = optional.wrappedType.trimmedDescription
      return TypeText(type: "\(wrapped)?", wrapped: wrapped)
    }
    if let named = self.as(IdentifierTypeSyntax.self), named.name.text == "Optional",
      let argument = named.genericArgumentClause?.arguments.first?.argument
    {
      return TypeText(type: trimmedDescription, wrapped: argument.trimmedDescription)
    }
    if let array = self.as(ArrayTypeSyntax.self) {
      return TypeText(type: "[\(array.element.trimmedDescription)]", wrapped: nil)
    }
    return TypeText(type: trimmedDescription, wrapped: nil)
  }
}

extension ExprSyntax {
  /// `Date` of `Date()` and `Priority` of `Priority.low`: a type's name begins with a capital.
  fileprivate var constructedType: String? {
    let expression = self.as(FunctionCallExprSyntax.self)?.calledExpression
    if let name = expression?.as(DeclReferenceExprSyntax.self)?.baseName.text,
      name.first?.isUppercase == true
    {
      return name
    }
    return nil
  }
}

extension AttributeSyntax {
  /// Attributes of the language begin with a small letter; property wrappers and others are types.
  fileprivate var isWrapper: Bool {
    let name = attributeName.trimmedDescription
    if ["Column", "MiniORM.Column", "_CheckColumn", "MiniORM._CheckColumn"].contains(name) {
      return false
    }
    return (name.split(separator: ".").last?.first?.isUppercase) ?? false
  }
}

/// The arguments of `@Column`.
private struct ColumnAttribute {
  var name: String?
  var nameNode: Syntax?
  var storage: String?
  var constraints: [ExprSyntax] = []

  init(_ attribute: AttributeSyntax?, _ mistakes: inout [Diagnostic]) {
    guard case .argumentList(let arguments)? = attribute?.arguments else { return }
    for (index, argument) in arguments.enumerated() {
      if argument.label?.text == "as" {
        storage = argument.expression.memberName
        if storage.map({ !Property.storages.contains($0) }) ?? true {
          mistakes.append(.unknownStorage(argument.expression))
        }
      } else if index == 0, argument.expression.is(StringLiteralExprSyntax.self) {
        name = validName(argument.expression, &mistakes)
        nameNode = Syntax(argument.expression)
      } else {
        constraints.append(argument.expression)
      }
    }
  }
}

/// The text of a literal that names a table or a column.
func validName(_ expression: ExprSyntax, _ mistakes: inout [Diagnostic]) -> String? {
  guard let name = expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
    mistakes.append(.nameIsNoLiteral(expression))
    return nil
  }
  if name.isEmpty {
    mistakes.append(.emptyName(expression))
  } else if name.lowercased().hasPrefix("sqlite_") {
    mistakes.append(.reservedName(expression))
  }
  return name
}
