import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Diagnostics")
struct DiagnosticsTests {
  @Test(
    "a mistake is reported where it stands, and mended",
    arguments: typeMisuses + propertyMisuses + keyMisuses + selectionMisuses + nameMisuses)
  func misuse(misuse: Misuse) { misuse.check() }
}
