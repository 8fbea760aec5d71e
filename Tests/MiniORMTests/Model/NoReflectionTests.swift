import Foundation
import Testing

@Suite("No reflection")
struct NoReflectionTests {
  @Test("no source file inspects types at run time")
  func noMirror() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let sources = root.appendingPathComponent("Sources/MiniORM")
    let files = try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      count += 1
      // A custom mirror without children hides keys from reflection.
      let text = try String(contentsOf: file, encoding: .utf8)
        .replacingOccurrences(of: "Mirror { Mirror(self, children: []) }", with: "")
      #expect(!text.contains("Mirror("), "\(file.lastPathComponent)")
      #expect(!text.contains("Mirror.init"), "\(file.lastPathComponent)")
    }
    #expect(count > 40)
  }
}
