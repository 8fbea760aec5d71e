import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Rejects a transaction whose closure returns a change that has not run. The compiler chooses this
/// macro by overload resolution.
enum ChangeNotRunMacro: ExpressionMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    throw DiagnosticsError(diagnostics: [.changeNotRun(node)])
  }
}
