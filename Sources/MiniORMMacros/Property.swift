import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

struct Property {
  let name: String
  let column: String
  let type: String
  let wrapped: String?
  let initial: ExprSyntax?
  let storage: String?
  let storageText: String
  let constraints: [ExprSyntax]
  let formerNames: [(name: String, node: ExprSyntax)]
  let pattern: PatternSyntax
  /// The node that shows the type: its name if written, otherwise the default.
  let typeNode: Syntax
  let prefix: String?
  /// The node that names the column: the name in `@Column` if given, otherwise the property.
  let nameNode: Syntax
  /// The type that `Self` means.
  let owner: String
  let isSelected: Bool
  /// True if the struct is nested in a type, where `Date` may name a different type.
  let isNested: Bool
  /// The access modifier, with a space; empty for internal.
  let access: String
  let isDeprecated: Bool

  /// True if the property can have any number of columns: in a `@Table`, with `@Embedded`; in a
  /// `@Selection`, if its type may be a model or a selection.
  var isGroup: Bool { isSelected ? mayHaveColumns : prefix != nil }

  var plainName: String {
    name.first == "`" ? String(name.dropFirst().dropLast()) : name
  }
  var isOptional: Bool { wrapped != nil }
  var baseType: String { wrapped ?? type }

  func has(_ constraint: String) -> ExprSyntax? {
    constraints.first { $0.memberName == constraint }
  }

  var primaryKey: ExprSyntax? { has("primaryKey") }
  var keyNode: Syntax { primaryKey.map { Syntax($0) } ?? Syntax(pattern) }
  var isAutoincrement: Bool {
    guard let call = primaryKey?.as(FunctionCallExprSyntax.self) else { return false }
    return call.arguments.first?.expression.trimmedDescription == "true"
  }
  var isGenerated: Bool { has("generated") != nil }

  /// True with a `.type(…)` other than `.type("INTEGER")`, for whose keys SQLite assigns no value.
  var hasOtherDeclaredType: Bool {
    guard let call = has("type")?.as(FunctionCallExprSyntax.self) else { return false }
    let type = call.arguments.first?.expression.as(StringLiteralExprSyntax.self)
    return type?.representedLiteralValue?.uppercased() != "INTEGER"
  }

  var declaredDefault: ExprSyntax? {
    isDefaultedByDatabase ? nil : defaultArgument?.expression
  }

  private var defaultArgument: LabeledExprSyntax? {
    has("default")?.as(FunctionCallExprSyntax.self)?.arguments.first
  }

  /// True for `.default(sql: …)` and `.default(.now)`, which a draft may omit.
  var isDefaultedByDatabase: Bool {
    guard let argument = defaultArgument else { return false }
    return argument.label?.text == "sql" || argument.expression.trimmedDescription == ".now"
  }

  static let integers: Set = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
  ]
  private static let others: Set = [
    "Bool", "Double", "Float", "String", "Data", "[UInt8]", "Date", "UUID", "URL", "Decimal",
  ]
  /// Names that an application may give to types of its own.
  private static let ambiguous: Set = ["Bool", "Data", "Date", "UUID", "URL", "Decimal"]

  /// A parameter named `self` would hide the instance.
  var parameter: String { name == "`self`" ? "`self` _self" : name }

  /// Some keywords need backticks, because they would begin an expression.
  var argument: String {
    if name == "`self`" { return "_self" }
    return Self.beginnings.contains(name) ? "`\(name)`" : name
  }

  private static let beginnings: Set = [
    "any", "await", "borrow", "consume", "copy", "discard", "each", "repeat", "some", "then",
    "unsafe",
    "yield",
  ]

  var isInteger: Bool { Self.integers.contains(type) }
  var hasKnownType: Bool { Self.integers.contains(baseType) || Self.others.contains(baseType) }

  var isKnownCollection: Bool {
    let names = baseType.split { "[]: ?".contains($0) }.map(String.init)
    return baseType.first == "["
      && names.allSatisfy { Self.integers.contains($0) || Self.others.contains($0) }
  }

  /// True if the type may be a model or a selection, as far as the text shows.
  var mayHaveColumns: Bool {
    guard storage == nil, !hasKnownType, let first = baseType.first else { return false }
    return (first.isLetter || first == "_" || first == "`")
      && !baseType.contains { " ?!".contains($0) }
  }

  /// Returns an expression as written, but a multiline string literal on a single line.
  func text(_ expression: ExprSyntax) -> String {
    if let text = expression.as(StringLiteralExprSyntax.self),
      text.openingQuote.tokenKind == .multilineStringQuote,
      let value = text.representedLiteralValue
    {
      return literal(value)
    }
    return expression.text(in: owner)
  }

  static func representation(_ storage: String, of type: String) -> String {
    switch storage {
    case "json": "MiniORM.JSON<\(type)>"
    case "unixSeconds": "MiniORM.UnixSeconds"
    case "unixSecondsReal": "MiniORM.UnixSecondsReal"
    case "unixMilliseconds": "MiniORM.UnixMilliseconds"
    case "iso8601": "MiniORM.ISO8601Date"
    case "textSeconds": "MiniORM.TextSeconds"
    case "uppercaseUUID": "MiniORM.UppercaseUUID"
    case let decimal where decimal.hasPrefix("decimal"):
      "MiniORM.ScaledDecimal<MiniORM.DecimalScales.S\(decimal.dropFirst(7))>"
    default: "MiniORM.UUIDBytes"
    }
  }

  /// The type of the values in a storage; nil for JSON.
  static func valueType(of storage: String) -> String? {
    switch storage {
    case "json": nil
    case "unixSeconds", "unixSecondsReal", "unixMilliseconds", "iso8601", "textSeconds": "Date"
    case "uuidBytes", "uppercaseUUID": "UUID"
    default: "Decimal"
    }
  }

  static let storages = Set(
    [
      "json", "unixSeconds", "unixSecondsReal", "unixMilliseconds", "iso8601", "textSeconds",
      "uuidBytes", "uppercaseUUID",
    ]
      + (0...18).map { "decimal\($0)" })

  var representation: String? {
    storage.map { storage in
      let base = Self.representation(storage, of: baseType)
      return isOptional ? "Swift.Optional<\(base)>" : base
    }
  }

  /// Without the property's type, which the compiler infers.
  var inferredRepresentation: String? {
    storage.map { $0 == "json" ? "MiniORM.JSON" : Self.representation($0, of: baseType) }
  }

  func reading(_ cell: String) -> String {
    if let representation = inferredRepresentation {
      let placeholder = storage == "json" ? "MiniORM.JSON<_>" : representation
      return isOptional
        ? "Swift.Optional<\(placeholder)>(cell: \(cell)).value"
        : "\(representation)(cell: \(cell)).value"
    }
    if hasKnownType, !(isNested && Self.ambiguous.contains(baseType)) {
      return "\(type)(cell: \(cell))"
    }
    return "\(isOptional ? "Swift.Optional" : ".init")(cell: \(cell))"
  }

  var columnsType: String {
    guard isGroup else { return "MiniORM.SQLExpression<\(type)>" }
    return "\(baseType).\(isOptional ? "_OptionalPartColumns" : "_PartColumns")"
  }

  /// - Parameter optional: True if the bound value is optional although the property is not.
  func binding(isOptional optional: Bool) -> String {
    guard let representation = inferredRepresentation else { return "self.\(name)" }
    guard isOptional || optional else { return "\(representation)(self.\(name))" }
    let placeholder = storage == "json" ? "MiniORM.JSON<_>" : representation
    return "Swift.Optional<\(placeholder)>(self.\(name))"
  }
}

extension ExprSyntax {
  /// The name of a member access: `name` for `.name` and `.name(…)`.
  var memberName: String? {
    let callee = self.as(FunctionCallExprSyntax.self)?.calledExpression ?? self
    return callee.as(MemberAccessExprSyntax.self)?.declName.baseName.trimmedBackticks
  }

  func isMember(of type: String) -> Bool {
    guard let member = self.as(MemberAccessExprSyntax.self) else { return false }
    return member.base.map { $0.trimmedDescription == type } ?? true
  }

  /// True if the text shows the value.
  var isLiteral: Bool {
    if let prefixed = self.as(PrefixOperatorExprSyntax.self) {
      return prefixed.operator.text == "-"
        && (prefixed.expression.is(IntegerLiteralExprSyntax.self)
          || prefixed.expression.is(FloatLiteralExprSyntax.self))
    }
    if let array = self.as(ArrayExprSyntax.self) {
      return array.elements.allSatisfy(\.expression.isLiteral)
    }
    if let dictionary = self.as(DictionaryExprSyntax.self) {
      guard case .elements(let elements) = dictionary.content else { return true }
      return elements.allSatisfy { $0.key.isLiteral && $0.value.isLiteral }
    }
    return literalType != nil
      && (self.as(StringLiteralExprSyntax.self).map { $0.representedLiteralValue != nil } ?? true)
  }

  /// True if every launch computes the same value, as far as the text shows: no call and no `now`.
  var isConstant: Bool {
    !tokens(viewMode: .sourceAccurate).contains { $0.text == "now" }
      && !containsCall(in: Syntax(self))
  }

  private func containsCall(in node: Syntax) -> Bool {
    if node.is(FunctionCallExprSyntax.self) || node.is(ClosureExprSyntax.self)
      || node.is(SubscriptCallExprSyntax.self) || node.is(MacroExpansionExprSyntax.self)
    {
      return true
    }
    return node.children(viewMode: .sourceAccurate).contains { containsCall(in: $0) }
  }

  var literalType: String? {
    if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
    if self.is(FloatLiteralExprSyntax.self) { return "Double" }
    if self.is(BooleanLiteralExprSyntax.self) { return "Bool" }
    if self.is(StringLiteralExprSyntax.self) { return "String" }
    if let prefixed = self.as(PrefixOperatorExprSyntax.self) {
      return prefixed.expression.literalType
    }
    return nil
  }

  /// True if a literal cannot have a type. Other expressions are left to the compiler.
  func cannotBe(_ type: String) -> Bool {
    guard let literal = literalType else { return false }
    if Property.integers.contains(type) { return literal != "Int" }
    switch type {
    case "Double", "Float": return literal != "Int" && literal != "Double"
    case "Bool", "String": return literal != type
    case "Data", "[UInt8]", "Date", "UUID", "URL": return true
    default: return false
    }
  }
}

extension TokenSyntax {
  var trimmedBackticks: String {
    text.first == "`" && text.last == "`" && text.count > 1
      ? String(text.dropFirst().dropLast()) : text
  }
}
