#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @Suite(
    "Names in generated models",
    .enabled(if: ModelProgram.swiftc != nil, "swiftc is not on the PATH"))
  struct ModelNamesTests {
    /// Swift's keywords, including contextual keywords.
    private static let keywords = """
      actor any as associatedtype associativity async await borrowing break case catch class consuming continue convenience
      default defer deinit didSet do dynamic each else enum extension fallthrough false fileprivate final for func get guard
      if import in indirect infix init inout internal is isolated lazy left let macro mutating nil nonisolated nonmutating
      open operator optional override package postfix precedence precedencegroup prefix private protocol public repeat
      required rethrows return right self Self sending set some static struct subscript super switch throw throws true try
      Type typealias unowned unsafe var weak where while willSet yield _ __
      """
    /// One name has an escape, because lint forbids the type.
    private static let foundation = """
      Any AnyObject AnyHashable Array AttributedString Bool Bundle Calendar Character Codable Collection Comparable Data Date
      DateComponents DateInterval Decimal Decoder Dictionary DispatchQueue Double Element Encoder Equatable Error FileHandle
      FileManager Float Formatter Hashable Host HTTPURLResponse Identifiable IndexPath IndexSet Int Int64 Iterator JSONDecoder
      JSONEncoder KeyPath Locale Measurement MainActor Mirror Never Notification NSObject NumberFormatter Operation
      OperationQueue Optional Pipe Port Predicate \u{50}rocess Progress ProcessInfo Range Regex Result RunLoop Scanner Sendable
      Sequence Set SortDescriptor Stream String Swift Substring Task Thread TimeInterval Timer TimeZone UInt Unit URL
      URLRequest URLSession UUID Void
      """

    /// The names that the library declares: types and members.
    private static func declared() throws -> (types: Set<String>, members: Set<String>) {
      let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
          "Sources/MiniORM")
      let files = try #require(
        FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
      var (types, members): (Set<String>, Set<String>) = ([], [])
      for case let file as URL in files where file.pathExtension == "swift" {
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
          let type =
            line.firstMatch(
              of: /public .*?\b(?:struct|class|enum|protocol|actor|typealias|macro) (\w+)/)?.1
            ?? line.firstMatch(of: /^ *associatedtype (\w+)/)?.1
          if let type { types.insert(String(type)) }
          if let member = line.firstMatch(of: /public .*?\b(?:func|var|let) (\w+)/)?.1 {
            members.insert(String(member))
          }
        }
      }
      return (types, members)
    }

    @Test(
      "tables and columns named like Swift, Foundation or library names give models that compile"
    )
    func words() async throws {
      let tool = try ToolRun()
      let (types, members) = try Self.declared()
      #expect(types.count > 150 && members.count > 150)
      let words = (Self.keywords + " " + Self.foundation).split { $0 == " " || $0 == "\n" }.map(
        String.init)
      func quoted(_ name: String) -> String { "\"\(name)\"" }
      /// SQLite's names are case-insensitive.
      func distinct(_ names: some Sequence<String>) -> [String] {
        var seen: Set<String> = []
        return names.sorted().filter { seen.insert($0.lowercased()).inserted }
      }
      let tables = distinct(Set(words).union(types))
      let columns = distinct(Set(words).union(types).union(members))
      var script = tables.map { "CREATE TABLE \(quoted($0)) (value TEXT);" }.joined(separator: "\n")
      for (number, start) in stride(from: 0, to: columns.count, by: 20).enumerated() {
        let names = columns[start..<min(start + 20, columns.count)].map { "\(quoted($0)) TEXT" }
        script += "CREATE TABLE \"columns of \(number)\" (\(names.joined(separator: ", ")));\n"
      }
      for name in ["step", "operation", "ID", "stored", "projected", "optional_columns"]
      where !tables.contains(name) {
        script +=
          "CREATE TABLE IF NOT EXISTS \(quoted(name)) (id INTEGER PRIMARY KEY, \"type\" TEXT);\n"
      }
      script +=
        "CREATE VIEW \"view of step\" AS SELECT value AS \"init\", value AS \"columns\" FROM \"step\";\n"
      try await tool.makePlain("words.db", script)
      let written = try await tool(["models", "words.db", "--output", "words.swift"])
      #expect(written.status == 0, "\(written.output)")
      let output = try await ModelProgram.check(["words.swift"], in: tool.folder)
      #expect(output == "", "\(output.prefix(4_000))")
    }
  }
#endif
