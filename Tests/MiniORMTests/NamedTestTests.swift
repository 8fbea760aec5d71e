import Foundation
import Testing

@Suite("Tests named in articles")
struct NamedTestTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The functions of each suite.
  private static func suites() throws -> [String: Set<String>] {
    var suites: [String: Set<String>] = [:]
    let files = FileManager.default.enumerator(
      at: root.appendingPathComponent("Tests"), includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      let functions = text.matches(of: /func (\w+)[(<]/).map { String($0.1) }
      for suite in text.matches(of: /(?:struct|extension|enum) (\w+Tests)\b/) {
        suites[String(suite.1), default: []].formUnion(functions)
      }
    }
    return suites
  }

  @Test("each test that an article names exists")
  func articles() throws {
    let suites = try Self.suites()
    let folder = Self.root.appendingPathComponent("Docs.docc")
    var count = 0
    for file in try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil) where file.pathExtension == "md"
    {
      let text = try String(contentsOf: file, encoding: .utf8)
      for line in text.split(separator: "\n") {
        // `PoolTests.order`, `writeOrder`: a test without a suite belongs to the previous suite.
        for match in line.matches(of: /`(\w+Tests)(?:\.(?!swift`)(\w+))?`((?:, `[a-z]\w*`)*)/) {
          let suite = String(match.1)
          let functions = try #require(suites[suite], "\(file.lastPathComponent): \(suite)")
          let others = match.3.matches(of: /\w+/).map { String($0.0) }
          for name in [match.2.map { String($0) }].compactMap(\.self) + others {
            #expect(functions.contains(name), "\(file.lastPathComponent): \(suite).\(name)")
          }
          count += 1
        }
      }
    }
    #expect(count > 30)
  }
}
