import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Every message of the macros, with the place it points at and what would mend it.
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

extension MacroExpansionContext {
  func diagnose(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics { diagnose(diagnostic) }
  }
}

extension Diagnostic {
  private init(
    _ identifier: String, at node: some SyntaxProtocol, _ message: String, fixIts: [FixIt] = []
  ) {
    self.init(
      node: node, message: TableDiagnostic(message: message, identifier: identifier), fixIts: fixIts
    )
  }

  // MARK: The type

  static func notAStruct(_ declaration: some DeclGroupSyntax) -> Diagnostic {
    var fixIts: [FixIt] = []
    if let keyword = declaration.as(ClassDeclSyntax.self)?.classKeyword {
      fixIts.append(
        .replacing(
          keyword, with: TokenSyntax.keyword(.struct, trailingTrivia: keyword.trailingTrivia),
          "Make it a struct"))
    }
    return Diagnostic(
      "notAStruct", at: declaration.introducer, "@Table needs a struct: a row is a value",
      fixIts: fixIts)
  }

  static func generic(_ clause: GenericParameterClauseSyntax) -> Diagnostic {
    Diagnostic(
      "generic", at: clause,
      "@Table does not work on a generic struct: a table has one set of columns")
  }

  static func noColumns(_ name: TokenSyntax) -> Diagnostic {
    Diagnostic(
      "noColumns", at: name, "'\(name.text)' has no columns: declare at least one stored property")
  }

  static func unknownCondition(_ node: IfConfigDeclSyntax) -> Diagnostic {
    Diagnostic(
      "unknownCondition", at: node, "@Table cannot tell here which branch of '#if' is compiled")
  }

  // MARK: Names

  static func nameIsNoLiteral(_ node: ExprSyntax) -> Diagnostic {
    Diagnostic("nameIsNoLiteral", at: node, "A name is a plain string literal")
  }

  static func emptyName(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic("emptyName", at: node, "A name cannot be empty")
  }

  static func reservedName(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic("reservedName", at: node, "Names that begin with 'sqlite_' are SQLite's own")
  }

  static func duplicateColumn(_ node: some SyntaxProtocol, _ name: String) -> Diagnostic {
    Diagnostic(
      "duplicateColumn", at: node,
      "There is a column '\(name)' already: SQLite does not tell upper and lower case apart in names"
    )
  }

  // MARK: Properties

  static func missingType(_ pattern: some SyntaxProtocol, _ name: String) -> Diagnostic {
    Diagnostic(
      "missingType", at: pattern,
      "Write the type of '\(name)': @Table can read one from a literal only",
      fixIts: [
        .replacing(
          pattern, with: "\(raw: pattern.trimmedDescription): <#Type#>" as PatternSyntax,
          "Add a type")
      ])
  }

  static func notAColumn(_ variable: VariableDeclSyntax, _ type: TypeSyntax) -> Diagnostic {
    func adding(_ attribute: String, _ message: String) -> FixIt {
      var mended = variable
      mended.leadingTrivia = []
      let new: DeclSyntax = "\(variable.leadingTrivia)\(raw: attribute) \(mended)"
      return FixIt(
        message: Mend(message: message),
        changes: [.replace(oldNode: Syntax(variable), newNode: Syntax(new))])
    }
    return Diagnostic(
      "notAColumn", at: type,
      "'\(type.trimmedDescription)' cannot be a column: store it as JSON with '@Column(as: .json)', leave it out with "
        + "'@Transient', or make it conform to 'ColumnValue'",
      fixIts: [
        adding("@Column(as: .json)", "Store it as JSON: it must be Codable"),
        adding("@Transient", "Leave it out: it must have a default"),
      ])
  }

  static func pattern(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic("pattern", at: node, "Declare each column by itself, and not as part of a tuple")
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
      "'\(name)' always has the same value, so no row can be read into it",
      fixIts: [
        .replacing(
          keyword, with: TokenSyntax.keyword(.var, trailingTrivia: keyword.trailingTrivia),
          "Make it a 'var'")
      ])
  }

  static func transientWithoutDefault(_ pattern: some SyntaxProtocol, _ name: String) -> Diagnostic
  {
    Diagnostic(
      "transientWithoutDefault", at: pattern,
      "'\(name)' needs a default: a row that is read has no value for a property that is '@Transient'"
    )
  }

  static func columnAndTransient(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      "columnAndTransient", at: attribute, "A property is a '@Column' or '@Transient', not both",
      fixIts: [.removing(attribute, "Remove '@\(attribute.attributeName.trimmedDescription)'")])
  }

  static func notStored(_ attribute: AttributeSyntax, _ name: String) -> Diagnostic {
    Diagnostic(
      "notStored", at: attribute, "'@\(name)' belongs on a stored property of a '@Table' struct",
      fixIts: [.removing(attribute, "Remove '@\(name)'")])
  }

  static func unknownStorage(_ node: ExprSyntax) -> Diagnostic {
    Diagnostic(
      "unknownStorage", at: node,
      "Write one of '.json', '.unixSeconds', '.unixMilliseconds' and '.uuidBytes'")
  }

  static func wrongDefault(_ node: ExprSyntax, _ type: String) -> Diagnostic {
    Diagnostic("wrongDefault", at: node, "'\(node.trimmedDescription)' is no '\(type)'")
  }

  // MARK: The primary key

  static func twoPrimaryKeys(_ node: some SyntaxProtocol, _ keys: [String], in type: String)
    -> Diagnostic
  {
    let paths = keys.map { "\\\(type).\($0)" }.joined(separator: ", ")
    return Diagnostic(
      "twoPrimaryKeys", at: node,
      "There is a primary key already: for a key of several columns write '@Table(primaryKey: [\(paths)])'"
    )
  }

  static func optionalPrimaryKey(_ node: some SyntaxProtocol, _ name: String, type: String)
    -> Diagnostic
  {
    Diagnostic(
      "optionalPrimaryKey", at: node,
      "A primary key cannot be optional: make '\(name)' a '\(type)'; '\(name)' is not part of 'Draft', so a new row needs none"
    )
  }

  static func autoincrement(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic(
      "autoincrement", at: node, "AUTOINCREMENT is for an integer key of a table with rowids")
  }

  static func unknownKey(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic(
      "unknownKey", at: node,
      "Write the key as paths to columns, such as '[\\Membership.userID, \\Membership.groupID]'")
  }

  static func withoutRowID(_ name: TokenSyntax) -> Diagnostic {
    Diagnostic("withoutRowID", at: name, "A table WITHOUT ROWID needs a primary key")
  }
}

extension FixIt {
  fileprivate static func replacing(
    _ old: some SyntaxProtocol, with new: some SyntaxProtocol, _ message: String
  ) -> FixIt {
    FixIt(
      message: Mend(message: message),
      changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }

  /// Removes an attribute or a modifier together with the space behind it.
  fileprivate static func removing(_ node: some SyntaxProtocol, _ message: String) -> FixIt {
    FixIt(
      message: Mend(message: message),
      changes: [
        .replaceText(
          range: node.positionAfterSkippingLeadingTrivia..<node.endPosition, with: "",
          in: Syntax(node))
      ])
  }
}
