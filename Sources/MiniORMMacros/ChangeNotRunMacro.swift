import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// What the compiler chooses for a transaction whose closure gives back a change that has not run: it
/// says so at the call.
enum ChangeNotRunMacro: ExpressionMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    throw DiagnosticsError(diagnostics: [.changeNotRun(node)])
  }
}
