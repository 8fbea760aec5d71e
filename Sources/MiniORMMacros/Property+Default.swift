import SwiftSyntax

extension Property {
  /// The default as an expression of the column's type. A constant becomes DEFAULT. Any other value
  /// is given to existing rows by the migration that adds the column.
  private var initialValue: (value: String, isConstant: Bool)? {
    guard has("default") == nil, !isGenerated, let initial else { return nil }
    let value = initial.withoutParentheses
    // `.none` is NULL.
    guard !value.is(NilLiteralExprSyntax.self),
      !(isOptional && value.trimmedDescription == ".none")
    else { return nil }
    if isConstant(value) { return (stored(value), true) }
    guard !isOptional, !value.varies(as: baseType) else { return nil }
    return (stored(value), false)
  }

  /// The default as a constraint of a column in a table.
  var defaultConstraint: String? {
    initialValue.map { $0.isConstant ? ".default(\($0.value))" : "._initial(\($0.value))" }
  }

  /// The default as arguments of a column in a selection, which may become columns of a table.
  var defaultArguments: String {
    initialValue.map { ", default: \($0.value), isConstant: \($0.isConstant)" } ?? ""
  }

  /// The default of a group, as arguments for its columns.
  var groupDefault: String? {
    guard let value = initial?.withoutParentheses, !value.varies(as: baseType) else { return nil }
    let isFixed =
      value.as(FunctionCallExprSyntax.self)?.arguments.allSatisfy { argument in
        let part = argument.expression
        return part.is(NilLiteralExprSyntax.self) || self.isConstant(part)
          || part.is(MemberAccessExprSyntax.self) && part.isConstant
      } ?? false
    return "(default: \(stored(value)), isConstant: \(isFixed))"
  }

  /// Converts the value of `.default(…)` to the column's storage format.
  func written(_ constraint: ExprSyntax) -> String {
    guard storage != nil, let value = declaredDefault, constraint.memberName == "default",
      !value.is(NilLiteralExprSyntax.self)
    else { return constraint.text(in: owner) }
    return ".default(\(stored(value)))"
  }

  /// True if a value is the same at each launch, as far as the text shows: a literal, arithmetic of
  /// literals, a case, or an empty value.
  private func isConstant(_ value: ExprSyntax) -> Bool {
    if value.isLiteral || value.isArithmetic { return true }
    if value.isMember(of: baseType) { return value.isConstant && baseType != "Date" }
    return value.constructedType == baseType && Self.emptyTypes.contains(baseType)
  }

  private static let emptyTypes = integers.union([
    "Bool", "Double", "Float", "String", "Data", "[UInt8]", "Decimal",
  ])

  private func stored(_ value: ExprSyntax) -> String {
    var written = text(value)
    if written.hasPrefix(".") { written = baseType + written }
    if let representation, isOptional, !value.isLiteral, !value.isMember(of: baseType) {
      return "\(representation)(\(written))"
    }
    if let storage { return "\(Self.representation(storage, of: baseType))(\(written))" }
    if value.isMember(of: baseType) || (hasKnownType && value.literalType == baseType) {
      return written
    }
    // As a Float and as a Double, 0.1 has different values.
    return value.literalType != nil ? "\(written) as \(baseType)" : "(\(written)) as \(baseType)"
  }
}

extension ExprSyntax {
  var withoutParentheses: ExprSyntax {
    guard let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let element = tuple.elements.first, element.label == nil
    else { return self }
    return element.expression.withoutParentheses
  }

  /// True for operators between literals, such as `60 * 60`.
  fileprivate var isArithmetic: Bool {
    if let prefixed = self.as(PrefixOperatorExprSyntax.self) {
      return prefixed.expression.withoutParentheses.isArithmetic
    }
    guard let sequence = self.as(SequenceExprSyntax.self) else { return isLiteral }
    return sequence.elements.allSatisfy {
      $0.is(BinaryOperatorExprSyntax.self) || $0.withoutParentheses.isArithmetic
    }
  }

  /// True if each evaluation has a different value, for example `UUID()`, `.v7()`, `Date()` or a
  /// random value. Existing rows cannot get a default that varies.
  fileprivate func varies(as type: String) -> Bool {
    let names = tokens(viewMode: .sourceAccurate).map(\.text)
    if names.contains(where: { $0 == "now" || $0.hasPrefix("random") }) { return true }
    if ["Date", "UUID"].contains(type), isMember(of: type) {
      return !["distantPast", "distantFuture"].contains(memberName)
    }
    return callsWithoutArguments(
      ["Date", "UUID", ".init", "Date.init", "UUID.init", ".v7", "UUID.v7"], in: Syntax(self))
  }

  private func callsWithoutArguments(_ functions: Set<String>, in node: Syntax) -> Bool {
    if let call = node.as(FunctionCallExprSyntax.self), call.arguments.isEmpty,
      call.trailingClosure == nil,
      functions.contains(call.calledExpression.trimmedDescription)
    {
      return true
    }
    return node.children(viewMode: .sourceAccurate).contains {
      callsWithoutArguments(functions, in: $0)
    }
  }
}
