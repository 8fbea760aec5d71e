#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @Suite("The tool's page")
  struct PageTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Docs.docc/CommandLineTool.md")

    private static func section(_ heading: String) throws -> String {
      let text = try String(contentsOf: page, encoding: .utf8)
      let section = try #require(
        text.components(separatedBy: "\n## \(heading)\n").dropFirst().first)
      return section.components(separatedBy: "\n## ")[0]
    }

    /// The code blocks of a language in a section; an empty language for blocks without one.
    private static func blocks(_ language: String, in section: String) -> [String] {
      section.components(separatedBy: "\n```").enumerated().compactMap { index, part in
        index % 2 == 1 && part.hasPrefix("\(language)\n")
          ? String(part.dropFirst(language.count + 1)) : nil
      }
    }

    /// The first cell of each row in a section's table.
    private static func cells(of heading: String) throws -> [String] {
      try section(heading).split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
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

    @Test(
      "the page shows the tool's output for a file, and its program opens the file",
      .enabled(if: ModelProgram.swiftc != nil, "swiftc is not on the PATH"))
    func story() async throws {
      let tool = try ToolRun()
      let section = try Self.section("A file from beginning to end")
      let listings = Self.blocks("", in: section)
      try await tool.makePlain("notes.db", try #require(Self.blocks("sql", in: section).first))
      try tool.write("key", ToolRun.hexadecimal)
      try FileManager.default.createDirectory(
        at: tool.folder.appendingPathComponent("Sources/App"), withIntermediateDirectories: true)
      let commands = Self.blocks("sh", in: section)
      #expect(commands.count == 3)
      for command in commands {
        var lines = command.components(separatedBy: "\n")
        var words = lines.removeFirst().split(separator: " ").dropFirst(2).map(String.init)
        if words.first == "encrypt" { words += ["--key-file", "key", "--raw"] }
        let ended = try await tool(words)
        lines.removeAll { $0.hasPrefix("New key of ") }
        #expect(ended.output == lines.map { "\($0)\n" }.joined())
      }
      let models = try String(contentsOfFile: tool.path("Sources/App/Notes.swift"), encoding: .utf8)
      for listing in listings { #expect(models.contains(listing), "\(models)") }
      let code = try #require(Self.blocks("swift", in: section).first)
      let output = try await ModelProgram.run(
        """
        import Foundation
        import MiniORM

        @main struct Main {
          static func main() async throws {
            let key = Key.raw([UInt8](0..<32))
            \(code)
            print(home.map(\\.name) ?? "no tag")
            try await database.close()
            let report = try await Database.verify(
              path: "notes.db", key: key, configuration: configuration)
            print(report.problems, report.notChecked)
            let new = try await Database(path: "new.db", key: key, configuration: configuration)
            try await new.migrate(.notes)
            let note = try await Table<Note>().insert(Note(id: 1, text: "Buy milk"), in: new)
            let found = try await new.read { db in
              try db.value(Int64.self, "SELECT rowid FROM note_text WHERE note_text MATCH 'milk'")
            }
            print(found == note.id)
            try await new.close()
          }
        }
        """, ["Sources/App/Notes.swift"], in: tool.folder)
      #expect(output == "Home\n[] []\ntrue\n")
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
