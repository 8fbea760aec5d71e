import SwiftSyntax
import SwiftSyntaxMacros

// Older versions do not tell a macro how its source is compiled. No product of the package's manifest,
// since 600 has none: it comes with SwiftSyntaxMacros.
#if canImport(SwiftSyntax603)
  import SwiftIfConfig
#endif

extension IfConfigDeclSyntax {
  /// The branch that is compiled, which may be none (`.some(nil)`); `nil` when that cannot be told.
  func activeClause(in context: some MacroExpansionContext) -> IfConfigClauseSyntax?? {
    #if canImport(SwiftSyntax603)
      guard let configuration = context.buildConfiguration else { return nil }
      return .some(activeClause(in: configuration).clause)
    #else
      return nil
    #endif
  }
}
