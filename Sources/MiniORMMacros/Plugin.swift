import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    TableMacro.self, SelectionMacro.self, MarkerMacro.self, NotAColumnMacro.self,
    ChangeNotRunMacro.self,
  ]
}
