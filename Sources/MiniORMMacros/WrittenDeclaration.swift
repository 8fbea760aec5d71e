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
