import SwiftSyntax

// The compiler parses a macro's text. Interpolating it in a `DeclSyntax` would also parse it in
// swift-syntax, which is slow in debug builds. The text therefore becomes a syntax node without
// parsing.

extension DeclSyntax {
  init(written text: String) {
    self.init(MissingDeclSyntax(placeholder: .identifier(text)))
  }
}

extension ExtensionDeclSyntax {
  init(written text: String) {
    self.init(
      extensionKeyword: .keyword(.extension, presence: .missing),
      extendedType: MissingTypeSyntax(placeholder: .identifier(text)),
      memberBlock: MemberBlockSyntax(
        leftBrace: .leftBraceToken(presence: .missing), members: [],
        rightBrace: .rightBraceToken(presence: .missing)))
  }
}

/// Scans Unicode scalars: swift-syntax would not escape a quotation mark before a combining accent.
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
