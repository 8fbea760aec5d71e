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

/// The macros by the names they are written with.
let macros: [String: MacroSpec] = [
  "Table": MacroSpec(type: TableMacro.self, conformances: ["Model", "PrimaryKeyedModel"]),
  "Selection": MacroSpec(type: SelectionMacro.self, conformances: ["Selection"]),
  "Column": MacroSpec(type: MarkerMacro.self),
  "Embedded": MacroSpec(type: MarkerMacro.self),
  "Transient": MacroSpec(type: MarkerMacro.self),
  "NotAColumn": MacroSpec(type: NotAColumnMacro.self),
  "_changeNotRun": MacroSpec(type: ChangeNotRunMacro.self),
]

/// Where `DEBUG` is set, and no other condition.
var debug: StaticBuildConfiguration {
  StaticBuildConfiguration(
    customConditions: ["DEBUG"], languageVersion: VersionTuple(6),
    compilerVersion: VersionTuple(6, 3))
}

/// Expands the macros of a source and compares all that comes of it.
///
/// - Parameters:
///   - source: The source.
///   - expanded: The source with what the macros write.
///   - diagnostics: What the macros say.
///   - fixIts: The fix-its to apply, by their messages.
///   - fixed: The source after the fix-its.
///   - configuration: What the conditions of `#if` are asked of.
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

/// The macros' output for a source, as text.
func expansion(of source: String, configuration: (any BuildConfiguration)? = debug) -> String {
  expand(source, configuration).text
}

/// What the macros refuse in a source.
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
