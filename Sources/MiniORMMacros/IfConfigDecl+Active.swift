import SwiftDiagnostics
import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

extension IfConfigDeclSyntax {
  /// The compiled branch; `.some(nil)` if no branch is compiled; nil if the macro cannot evaluate a
  /// condition: `canImport(…)`, and any condition before swift-syntax 603.
  func activeClause(in context: some MacroExpansionContext) -> IfConfigClauseSyntax?? {
    #if canImport(SwiftSyntax603)
      guard let configuration = context.buildConfiguration else { return nil }
      let (clause, diagnostics) = activeClause(in: configuration)
      // A condition that cannot be evaluated counts as false, with an error in the diagnostics.
      guard !diagnostics.contains(where: { $0.diagMessage.severity == .error }) else { return nil }
      return .some(clause)
    #else
      return nil
    #endif
  }
}
