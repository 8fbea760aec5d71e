import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Reports a change that has not run. Overload resolution selects this macro.
enum ChangeNotRunMacro: ExpressionMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    throw DiagnosticsError(diagnostics: [.changeNotRun(node)])
  }
}
