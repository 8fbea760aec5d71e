#if os(Linux)
  import Foundation
  import MiniORM
  import TestSupport
  import Testing

  @Suite("Inspecting commands of the tool")
  struct InspectingCommandTests {
    private static let commands: [[String]] = [
      ["info"], ["check"], ["query"], ["models"], ["schema"], ["export"], ["backup"], ["salvage"],
    ]

    @Test(
      "inspecting commands change no byte of the file, its log or its journal", arguments: commands)
    func unchanged(command: [String]) async throws {
      let tool = try ToolRun()
      try tool.write("victim", "precious")
      for file in LeftBeside.allCases { try file.make(in: tool) }
      let before = try FolderContents(tool.path("files"))
      for file in LeftBeside.allCases {
        var arguments = command + ["files/\(file.rawValue).db"]
        switch command[0] {
        case "query": arguments.append("SELECT count(*) FROM album")
        case "export", "backup", "salvage": arguments.append("\(file.rawValue)-new.db")
        default: break
        }
        let ended = try await tool(arguments)
        #expect(try FolderContents(tool.path("files")) == before, "\(file): \(ended)")
        let isCheck = command == ["check"]
        #expect(
          ended.status == (file.isRefused ? isCheck ? 4 : 1 : ended.status), "\(file): \(ended)")
        if !file.isRefused, file != .olderCopyBesideLog {
          #expect(ended.status == 0, "\(file): \(ended)")
        }
        if file.isRefused {
          #expect(ended.output.contains("does not belong to the file"), "\(ended)")
        }
      }
      #expect(try String(contentsOfFile: tool.path("victim"), encoding: .utf8) == "precious")
    }

    @Test(
      "inspecting commands read the contents that opening would show, and report unfinished changes"
    )
    func contents() async throws {
      let tool = try ToolRun()
      for file in LeftBeside.allCases { try file.make(in: tool) }
      func tables(_ file: LeftBeside) async throws -> String {
        try await tool.output(
          "query", "files/\(file.rawValue).db", "SELECT group_concat(name) FROM sqlite_schema",
          "--format", "csv")
      }
      #expect(try await tables(.crashedLog) == "group_concat(name)\r\n\"album,later\"\r\n")
      #expect(try await tables(.logWithoutIndex) == "group_concat(name)\r\n\"album,later\"\r\n")
      #expect(try await tables(.journal) == "group_concat(name)\r\nalbum\r\n")
      let log = "a log with 1 commit lies beside the file, and opening the file applies it"
      let journal =
        "a journal of an unfinished transaction lies beside the file, and opening the file rolls it back"
      #expect(
        try await tool.output("check", "files/crashedLog.db")
          == "log or journal: \(log)\nstructure: ok\nforeign keys: ok\n")
      #expect(
        try await tool.output("check", "files/journal.db")
          == "log or journal: \(journal)\nstructure: ok\nforeign keys: ok\n")
      #expect(try await tool.output("info", "files/journal.db").contains(journal))
      let info = try await tool.output("info", "files/closedLog.db")
      #expect(info.contains(/journal_mode +wal/))
    }

    @Test(
      "rekey and query --write complete the changes of a killed program",
      arguments: ["rekey", "query"])
    func recovery(command: String) async throws {
      let tool = try ToolRun()
      try tool.write("one", ToolRun.hexadecimal)
      try tool.write("two", String(ToolRun.hexadecimal.reversed()))
      for kind in [HostileFile.Kind.log, .journal] {
        // The whole log or journal of an encrypted file.
        try HostileFile(kind: kind, seed: 19).make(in: tool)
        let arguments =
          command == "rekey"
          ? ["rekey", "a.db", "--raw", "--key-file", "one", "--new-raw", "--new-key-file", "two"]
          : ["query", "a.db", "--write", "DELETE FROM pair", "--raw", "--key-file", "one"]
        let ended = try await tool(arguments)
        #expect(ended.status == 0, "\(ended)")
        let key = command == "rekey" ? "two" : "one"
        let count = try await tool.output(
          "query", "a.db", "SELECT count(*) AS n FROM album WHERE title LIKE 'title %'", "--format",
          "csv", "--raw",
          "--key-file", key)
        #expect(count == "n\r\n300\r\n")
        #expect(
          try await tool.output("check", "a.db", "--raw", "--key-file", key).hasPrefix("pages: ok"))
        for name in try tool.names() where name.hasPrefix("a.db") {
          try FileManager.default.removeItem(atPath: tool.path(name))
        }
      }
    }
  }
#endif
