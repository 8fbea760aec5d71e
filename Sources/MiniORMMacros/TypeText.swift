import SwiftSyntax

struct TypeText {
  let type: String
  let wrapped: String?

  init(_ type: String) { self.init(type: type, wrapped: nil) }

  init(type: String, wrapped: String?) { (self.type, self.wrapped) = (type, wrapped) }

  /// True for a nested optional such as `Int??`, as far as the text shows.
  var isDoublyOptional: Bool {
    guard let wrapped else { return false }
    return wrapped.hasSuffix("?") || wrapped.hasPrefix("Optional<")
      || wrapped.hasPrefix("Swift.Optional<")
  }
}

extension TypeSyntax {
  var isSugaredOptional: Bool {
    self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
  }

  var opaqueKeyword: String? {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.opaqueKeyword }
    if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 {
      return tuple.elements.first?.type.opaqueKeyword
    }
    return self.as(SomeOrAnyTypeSyntax.self)?.someOrAnySpecifier.text
  }

  func typeText(in owner: String) -> TypeText {
    let optional =
      self.as(OptionalTypeSyntax.self)?.wrappedType
      ?? self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)?.wrappedType
    if let wrapped = optional?.text(in: owner) {
      return TypeText(type: "\(wrapped)?", wrapped: wrapped)
    }
    let text = text(in: owner)
    let generic: (name: String, arguments: GenericArgumentClauseSyntax?)?
    if let named = self.as(IdentifierTypeSyntax.self) {
      generic = (named.name.text, named.genericArgumentClause)
    } else if let member = self.as(MemberTypeSyntax.self) {
      generic = (
        "\(member.baseType.trimmedDescription).\(member.name.text)", member.genericArgumentClause
      )
    } else {
      generic = nil
    }
    if let generic, ["Optional", "Swift.Optional"].contains(generic.name),
      let argument = generic.arguments?.arguments.first?.argument
    {
      return TypeText(type: text, wrapped: argument.text(in: owner))
    }
    if let array = self.as(ArrayTypeSyntax.self) {
      return TypeText("[\(array.element.text(in: owner))]")
    }
    return TypeText(text)
  }
}
