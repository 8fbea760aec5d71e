import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A macro that the compiler chooses for a transaction whose closure returns a change that has not
/// run. It reports an error at the call.
enum ChangeNotRunMacro: ExpressionMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    throw DiagnosticsError(diagnostics: [.changeNotRun(node)])
  }
}
