import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Diagnostics")
struct DiagnosticsTests {
  @Test(
    "a mistake is reported at its place, and its fix-its correct it",
    arguments: typeMisuses + propertyMisuses + keyMisuses + selectionMisuses + nameMisuses
      + lossMisuses)
  func misuse(misuse: Misuse) { misuse.check() }

  @Test("a similar declaration without the mistake is accepted", arguments: lossless)
  func accepted(member: String) {
    #expect(errors(of: "@Table struct City {\n  let id: Int64\n  \(member)\n}") == [])
  }
}
