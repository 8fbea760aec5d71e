#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @Suite("The tool's page")
  struct PageTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Docs.docc/CommandLineTool.md")

    /// The first cell of each row in a section's table.
    private static func cells(of heading: String) throws -> [String] {
      let text = try String(contentsOf: page, encoding: .utf8)
      let section = try #require(
        text.components(separatedBy: "\n## \(heading)\n").dropFirst().first)
      let own = section.components(separatedBy: "\n## ")[0]
      return own.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        .map { String($0.dropFirst(2).prefix { $0 != "|" }).trimmingCharacters(in: .whitespaces) }
    }

    @Test("the page lists the tool's commands, in the same order")
    func commands() async throws {
      let help = try await ToolRun().output("--help")
      let list = try #require(help.components(separatedBy: "SUBCOMMANDS:\n").dropFirst().first)
      let commands = list.split(separator: "\n").prefix { $0.hasPrefix("  ") }
        .filter { !$0.hasPrefix("   ") && !$0.hasPrefix("  See ") }
        .map { String($0.dropFirst(2).prefix { $0 != " " }) }
      #expect(commands.count > 5)
      #expect(
        try Self.cells(of: "Commands").map { cell in
          String(cell.dropFirst().prefix { $0 != " " })
        } == commands)
    }

    @Test("the page lists the exit statuses of the help")
    func exitCodes() async throws {
      let help = try await ToolRun().output("--help")
      let words = help.split { " \n".contains($0) }.map(String.init)
      let start = try #require(words.firstIndex(of: "status:"))
      let end = try #require(words.firstIndex(of: "USAGE:"))
      let codes = words[start..<end].filter { Int($0) != nil && $0 != "4," }
      #expect(codes.count == 7, "\(codes)")
      #expect(try Self.cells(of: "Exit codes") == codes)
    }
  }
#endif
