import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

extension IfConfigDeclSyntax {
  /// Returns the branch that is compiled, which may be none (`.some(nil)`), or `nil` if that is
  /// unknown, as it always is before swift-syntax 603.
  func activeClause(in context: some MacroExpansionContext) -> IfConfigClauseSyntax?? {
    #if canImport(SwiftSyntax603)
      guard let configuration = context.buildConfiguration else { return nil }
      return .some(activeClause(in: configuration).clause)
    #else
      return nil
    #endif
  }
}
