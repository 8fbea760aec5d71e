import SwiftSyntax

// What a macro writes goes to the compiler as text, and the compiler parses it. An interpolated
// `DeclSyntax` parses it once more before, in swift-syntax, which is not optimized in debug builds of
// an application: that took two fifths of the time for a model. So the text is put into a tree as it is.

extension DeclSyntax {
  /// Creates a declaration of its text, which is not parsed.
  init(written text: String) {
    self.init(MissingDeclSyntax(placeholder: .identifier(text)))
  }
}

extension ExtensionDeclSyntax {
  /// Creates an extension of its text, which is not parsed.
  init(written text: String) {
    self.init(
      extensionKeyword: .keyword(.extension, presence: .missing),
      extendedType: MissingTypeSyntax(placeholder: .identifier(text)),
      memberBlock: MemberBlockSyntax(
        leftBrace: .leftBraceToken(presence: .missing), members: [],
        rightBrace: .rightBraceToken(presence: .missing)))
  }
}

/// Returns a text as a literal that stands for it.
///
/// By scalars: a quotation mark after U+0600, or before an accent, is no `Character` of its own, which
/// `StringLiteralExprSyntax(content:)` looks for.
func literal(_ text: String) -> String {
  var written: String.UnicodeScalarView = "\"".unicodeScalars
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": written.append(contentsOf: ["\\", scalar])
    case "\n": written.append(contentsOf: "\\n".unicodeScalars)
    case "\u{0}"..<" ", "\u{7f}":
      written.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
    default: written.append(scalar)
    }
  }
  written.append("\"")
  return String(written)
}
