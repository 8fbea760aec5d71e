import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

struct TableDiagnostic: DiagnosticMessage {
  let message: String
  let severity = DiagnosticSeverity.error
  let identifier: String
  var diagnosticID: MessageID { MessageID(domain: "MiniORM", id: identifier) }
}

private struct Mend: FixItMessage {
  let message: String
  var fixItID: MessageID { MessageID(domain: "MiniORM", id: message) }
}

extension Diagnostic {
  /// Returns the same message for a macro other than `@Table`.
  func renamed(to macro: String) -> Diagnostic {
    guard let message = diagMessage as? TableDiagnostic else { return self }
    return Diagnostic(
      node: node, position: position,
      message: TableDiagnostic(
        message: message.message.replacing("@Table", with: macro), identifier: message.identifier),
      highlights: highlights, notes: notes, fixIts: fixIts)
  }
}

extension MacroExpansionContext {
  func diagnose(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics { diagnose(diagnostic) }
  }
}

extension Diagnostic {
  init(
    _ identifier: String, at node: some SyntaxProtocol, _ message: String, fixIts: [FixIt] = []
  ) {
    self.init(
      node: node, message: TableDiagnostic(message: message, identifier: identifier), fixIts: fixIts
    )
  }

  // MARK: The type

  static func notAStruct(_ declaration: some DeclGroupSyntax) -> Diagnostic {
    var fixIts: [FixIt] = []
    if let type = declaration.as(ClassDeclSyntax.self) {
      // The fix-it removes `final`, which a struct cannot have.
      let finals = type.modifiers.filter { $0.name.tokenKind == .keyword(.final) }
      fixIts.append(
        FixIt(
          message: Mend(message: "Make it a struct"),
          changes: finals.map { .removing($0) } + [.replacing(type.classKeyword, with: "struct")]))
    }
    return Diagnostic(
      "notAStruct", at: declaration.introducer, "@Table needs a struct: a row is a value",
      fixIts: fixIts)
  }

  static func generic(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic(
      "generic", at: node,
      "@Table cannot be used on a generic struct or inside a generic type, because a table has a fixed set of columns: declare a struct for each table"
    )
  }

  static func privateMember(_ modifier: DeclModifierSyntax) -> Diagnostic {
    Diagnostic(
      "privateMember", at: modifier,
      "A nested '@Table' struct cannot be private, because @Table generates code outside of the enclosing type: make it 'fileprivate'",
      fixIts: [.replacing(modifier, with: "fileprivate", "Make it 'fileprivate'")])
  }

  static func inPrivateType(_ name: TokenSyntax, _ type: String) -> Diagnostic {
    Diagnostic(
      "inPrivateType", at: name,
      "@Table cannot reach '\(name.text)' inside '\(type)', which is private to another type: make '\(type)' 'fileprivate'"
    )
  }

  static func noColumns(_ name: TokenSyntax) -> Diagnostic {
    Diagnostic(
      "noColumns", at: name, "'\(name.text)' has no columns: declare at least one stored property")
  }

  static func unknownCondition(_ node: IfConfigDeclSyntax) -> Diagnostic {
    let condition = node.clauses.first?.condition?.trimmedDescription ?? ""
    let alternative =
      condition.contains("canImport")
      ? "test 'os(…)' or a flag of '-D' instead of 'canImport', or " : ""
    return Diagnostic(
      "unknownCondition", at: node,
      "@Table cannot evaluate '#if \(condition)', so it does not know which properties are stored: "
        + "\(alternative)put '#if' around the whole struct")
  }

  static func conditionalAttribute(_ node: IfConfigDeclSyntax) -> Diagnostic {
    Diagnostic(
      "conditionalAttribute", at: node,
      "@Table does not read attributes inside '#if': write the whole property in each branch")
  }

  // MARK: Names

  static func nameIsNoLiteral(_ node: ExprSyntax) -> Diagnostic {
    Diagnostic(
      "nameIsNoLiteral", at: node,
      "A name must be a plain string literal: write the text itself, without interpolation")
  }

  static func emptyName(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic("emptyName", at: node, "A name cannot be empty: write a name")
  }

  static func reservedName(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic(
      "reservedName", at: node,
      "Names that begin with 'sqlite_' are reserved by SQLite: choose another name")
  }

  static func duplicateColumn(_ node: some SyntaxProtocol, _ name: String) -> Diagnostic {
    Diagnostic(
      "duplicateColumn", at: node,
      "There is a column '\(name)' already: SQLite ignores the case of names. Choose another name"
    )
  }

  static func formerNameInUse(_ node: some SyntaxProtocol, _ name: String) -> Diagnostic {
    Diagnostic(
      "formerNameInUse", at: node,
      "'\(name)' is the name of a column: a former name must belong to a column that "
        + "no longer exists")
  }

  // MARK: Properties

  static func missingType(_ pattern: some SyntaxProtocol, _ name: String) -> Diagnostic {
    Diagnostic(
      "missingType", at: pattern,
      "Write the type of '\(name)': @Table infers a type only from a literal",
      fixIts: [
        .replacing(pattern, with: "\(pattern.trimmedDescription): <#Type#>", "Add a type")
      ])
  }

  static func embedded(_ node: some SyntaxProtocol, _ message: String) -> Diagnostic {
    Diagnostic("embedded", at: node, message)
  }

  static func changeNotRun(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic(
      "changeNotRun", at: node,
      "Nothing is written: the closure returns a change that has not run. End it with "
        + "'.run(in: db)' or '.returning().fetchAll(in: db)'")
  }

  static func pattern(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic("pattern", at: node, "Declare each column separately, not in a tuple")
  }

  static func lazy(_ modifier: DeclModifierSyntax) -> Diagnostic {
    Diagnostic(
      "lazy", at: modifier, "A lazy property cannot be a column: compute it, or leave 'lazy' out",
      fixIts: [.removing(modifier, "Remove 'lazy'")])
  }

  static func wrapper(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      "wrapper", at: attribute,
      "A property with '@\(attribute.attributeName.trimmedDescription)' cannot be a column: mark it '@Transient', or "
        + "leave the wrapper out")
  }

  static func constantWithValue(_ keyword: TokenSyntax, _ name: String) -> Diagnostic {
    Diagnostic(
      "constantWithValue", at: keyword,
      "'\(name)' always has the same value, so no row can be read into it: declare it with 'var'",
      fixIts: [
        .replacing(keyword, with: "var", "Make it a 'var'")
      ])
  }

  static func transientWithoutDefault(_ pattern: some SyntaxProtocol, _ name: String) -> Diagnostic
  {
    Diagnostic(
      "transientWithoutDefault", at: pattern,
      "'\(name)' needs a default: a row contains no value for a '@Transient' property"
    )
  }

  static func columnAndTransient(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      "columnAndTransient", at: attribute,
      "A property is a '@Column' or '@Transient', not both: remove one attribute",
      fixIts: [.removing(attribute, "Remove '@\(attribute.attributeName.trimmedDescription)'")])
  }

  static func notStored(_ attribute: AttributeSyntax, _ name: String) -> Diagnostic {
    Diagnostic(
      "notStored", at: attribute,
      "'@\(name)' belongs on a stored property of a '@Table' struct: remove it here",
      fixIts: [.removing(attribute, "Remove '@\(name)'")])
  }

  static func constraintInSelection(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic(
      "constraintInSelection", at: node,
      "'\(node.trimmedDescription)' has no effect here, because a '@Selection' is read from a query and is not a table: remove it"
    )
  }

  static func unknownStorage(_ node: ExprSyntax) -> Diagnostic {
    Diagnostic(
      "unknownStorage", at: node,
      "Write one of '.json', '.unixSeconds', '.unixSecondsReal', '.unixMilliseconds', '.iso8601', "
        + "'.textSeconds', '.uuidBytes', '.uppercaseUUID' and '.decimal(scale: 2)', whose scale is a literal from 0 to 18"
    )
  }

  static func repeated(_ attribute: AttributeSyntax, _ name: String) -> Diagnostic {
    Diagnostic(
      "repeated", at: attribute,
      "A property can have only one '@\(name)': move all arguments into the first one",
      fixIts: attribute.arguments == nil ? [.removing(attribute, "Remove '@\(name)'")] : [])
  }

  static func doubleOptional(_ type: TypeSyntax, _ name: String, as wrapped: String) -> Diagnostic {
    Diagnostic(
      "doubleOptional", at: type,
      "'\(name)' is a nested optional, and NULL can represent only one of its two nil values: declare "
        + "it as '\(wrapped)'",
      fixIts: [.replacing(type, with: wrapped, "Declare it as '\(wrapped)'")])
  }

  static func changingDefault(_ node: ExprSyntax, _ name: String, type: String) -> Diagnostic {
    let value = node.trimmedDescription
    return Diagnostic(
      "changingDefault", at: node,
      "DEFAULT is one value for all rows, and '\(value)' may differ at each launch: write "
        + "'var \(name): \(type) = \(value)' for a default in Swift, or '.default(.now)' or "
        + "'.default(sql: …)' for one that SQLite computes")
  }

  static func ignoredMember(
    _ type: TypeSyntax, _ name: String, as expected: String
  ) -> Diagnostic {
    Diagnostic(
      "ignoredMember", at: type,
      "'\(name)' of type '\(type.trimmedDescription)' is not used: declare it as '\(expected)', or "
        + "move it to the model that it belongs to",
      fixIts: [.replacing(type, with: expected, "Declare it as '\(expected)'")])
  }

  static func generatedDefault(_ node: ExprSyntax, _ generated: ExprSyntax) -> Diagnostic {
    Diagnostic(
      "generatedDefault", at: node,
      "SQLite computes the column with '\(generated.trimmedDescription)', which has no default: leave "
        + "out '.default'")
  }

  static func wrongDefault(_ node: ExprSyntax, _ type: String) -> Diagnostic {
    Diagnostic(
      "wrongDefault", at: node,
      "'\(node.trimmedDescription)' is not a value of type '\(type)': write a default of the property's type"
    )
  }
}

extension FixIt {
  fileprivate static func replacing(
    _ node: some SyntaxProtocol, with text: String, _ message: String
  ) -> FixIt {
    FixIt(message: Mend(message: message), changes: [.replacing(node, with: text)])
  }

  fileprivate static func removing(_ node: some SyntaxProtocol, _ message: String) -> FixIt {
    FixIt(message: Mend(message: message), changes: [.removing(node)])
  }
}

extension FixIt.Change {
  fileprivate static func replacing(_ node: some SyntaxProtocol, with text: String)
    -> FixIt.Change
  {
    .replaceText(range: node.trimmedRange, with: text, in: Syntax(node))
  }

  /// Removes a node, and the space after the node, up to the next word or comment.
  fileprivate static func removing(_ node: some SyntaxProtocol) -> FixIt.Change {
    let start = node.positionAfterSkippingLeadingTrivia
    var end = node.endPositionBeforeTrailingTrivia
    let following = node.trailingTrivia + (node.nextTokenInTree?.leadingTrivia ?? [])
    for piece in following {
      guard piece.isWhitespace else { break }
      end = end.advanced(by: piece.sourceLength.utf8Length)
    }
    return .replaceText(range: start..<end, with: "", in: Syntax(node))
  }
}

extension SyntaxProtocol {
  fileprivate var nextTokenInTree: TokenSyntax? {
    lastToken(viewMode: .sourceAccurate)?.nextToken(viewMode: .sourceAccurate)
  }
}
