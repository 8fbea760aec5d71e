import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Diagnostics")
struct DiagnosticsTests {
  @Test(
    "A1, D6: a mistake is reported where it stands, and mended",
    arguments: typeMisuses + propertyMisuses + keyMisuses + selectionMisuses + nameMisuses)
  func misuse(misuse: Misuse) { misuse.check() }
}
