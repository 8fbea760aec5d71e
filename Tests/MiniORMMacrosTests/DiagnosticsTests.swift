import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Diagnostics")
struct DiagnosticsTests {
  @Test(
    "a mistake is reported where it stands, and mended",
    arguments: typeMisuses + propertyMisuses + keyMisuses + selectionMisuses + nameMisuses
      + lossMisuses)
  func misuse(misuse: Misuse) { misuse.check() }

  @Test("a similar declaration that loses nothing is accepted", arguments: lossless)
  func accepted(member: String) {
    #expect(errors(of: "@Table struct City {\n  let id: Int64\n  \(member)\n}") == [])
  }
}
