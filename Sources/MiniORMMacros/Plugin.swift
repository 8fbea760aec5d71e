import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    TableMacro.self, SelectionMacro.self, ColumnMacro.self, TransientMacro.self,
    NotAColumnMacro.self, EmbeddedMacro.self, ChangeNotRunMacro.self,
  ]
}
