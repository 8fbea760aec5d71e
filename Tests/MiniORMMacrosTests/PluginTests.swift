import Testing

@testable import MiniORMMacros

@Suite("Plugin")
struct PluginTests {
  @Test("the plugin provides every macro that the library declares") func macros() {
    #expect(Plugin().providingMacros.count == 5)
  }
}
