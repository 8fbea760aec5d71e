import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// An erroneous source, and the diagnostics.
struct Misuse: Sendable, CustomTestStringConvertible {
  struct Report: Sendable {
    let line: Int
    let column: Int
    let message: String
    let mends: [Mend]

    init(_ line: Int, _ column: Int, _ message: String, _ mends: Mend...) {
      (self.line, self.column, self.message, self.mends) = (line, column, message, mends)
    }
  }

  /// A fix-it, and the whole source after it.
  struct Mend: Sendable {
    let message: String
    let source: String

    init(_ message: String, _ source: String) { (self.message, self.source) = (message, source) }
  }

  let source: String
  let reports: [Report]
  let isConfigured: Bool
  let location: SourceLocation

  init(
    _ source: String, _ reports: [Report], isConfigured: Bool = true,
    at location: SourceLocation = #_sourceLocation
  ) {
    self.source = source
    self.reports = reports
    self.isConfigured = isConfigured
    self.location = location
  }

  var testDescription: String { reports.map(\.message).joined(separator: "; ") }

  /// Compares the diagnostics, and the source after each fix-it.
  func check() {
    let diagnostics = reports.map { report in
      DiagnosticSpec(
        message: report.message, line: report.line, column: report.column,
        fixIts: report.mends.map { FixItSpec(message: $0.message) })
    }
    let configuration = isConfigured ? debug : nil
    // Other tests check the code that is generated despite the error.
    let expanded = expansion(of: source, configuration: configuration)
    expect(
      source, expandsTo: expanded, diagnostics: diagnostics, configuration: configuration,
      at: location)
    for mend in reports.flatMap(\.mends) {
      expect(
        source, expandsTo: expanded, diagnostics: diagnostics, applying: [mend.message],
        fixed: mend.source, configuration: configuration, at: location)
    }
  }
}
