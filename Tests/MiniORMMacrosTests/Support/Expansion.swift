import SwiftDiagnostics
import SwiftIfConfig
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import MiniORMMacros

/// The macros by name.
let macros: [String: MacroSpec] = [
  "Table": MacroSpec(type: TableMacro.self, conformances: ["Model", "PrimaryKeyedModel"]),
  "Selection": MacroSpec(type: SelectionMacro.self, conformances: ["Selection"]),
  "Column": MacroSpec(type: MarkerMacro.self),
  "Embedded": MacroSpec(type: MarkerMacro.self),
  "Transient": MacroSpec(type: MarkerMacro.self),
  "NotAColumn": MacroSpec(type: NotAColumnMacro.self),
  "_changeNotRun": MacroSpec(type: ChangeNotRunMacro.self),
]

/// A build configuration with the condition `DEBUG` only.
var debug: StaticBuildConfiguration {
  StaticBuildConfiguration(
    customConditions: ["DEBUG"], languageVersion: VersionTuple(6),
    compilerVersion: VersionTuple(6, 3))
}

/// Expands the macros of a source, and compares the results.
///
/// - Parameters:
///   - source: The source.
///   - expanded: The expected source with the generated code.
///   - diagnostics: The expected diagnostics.
///   - fixIts: The fix-its to apply, by message.
///   - fixed: The expected source after the fix-its.
///   - configuration: The build configuration for the conditions of `#if`.
func expect(
  _ source: String, expandsTo expanded: String, diagnostics: [DiagnosticSpec] = [],
  applying fixIts: [String]? = nil, fixed: String? = nil,
  configuration: (any BuildConfiguration)? = debug, at location: Testing.SourceLocation
) {
  assertMacroExpansion(
    source, expandedSource: expanded, diagnostics: diagnostics, macroSpecs: macros,
    applyFixIts: fixIts, fixedSource: fixed, indentationWidth: .spaces(2),
    buildConfiguration: configuration,
    failureHandler: { Issue.record(Comment(rawValue: $0.message), sourceLocation: location) })
}

/// The expanded source, as text.
func expansion(of source: String, configuration: (any BuildConfiguration)? = debug) -> String {
  expand(source, configuration).text
}

/// The macros' errors for a source.
func errors(of source: String) -> [String] {
  expand(source, debug).diagnostics.filter { $0.diagMessage.severity == .error }.map(\.message)
}

private func expand(
  _ source: String, _ configuration: (any BuildConfiguration)?
) -> (text: String, diagnostics: [Diagnostic]) {
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "test.swift")],
    buildConfiguration: configuration)
  let expanded = file.expand(
    macroSpecs: macros,
    contextGenerator: {
      BasicMacroExpansionContext(
        sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
    },
    indentationWidth: .spaces(2))
  return (expanded.description, context.diagnostics)
}
