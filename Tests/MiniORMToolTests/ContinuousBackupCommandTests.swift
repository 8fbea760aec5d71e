#if os(Linux)
  import Foundation
  import MiniORM
  import TestSupport
  import Testing

  @Suite("The tool's continuous backup")
  struct ContinuousBackupCommandTests {
    @Test(
      "backup --continuous copies commits of other programs, and restore reads the folder",
      arguments: [true, false])
    func roundTrip(isLogged: Bool) async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      let key = ["--raw", "--key-file", "key"]
      try await tool.make("a.db", ToolRun.script, key: ToolRun.key, isLogged: isLogged)
      let script = """
        "$0" backup --continuous a.db store --raw --key-file key & tool=$!
        until ls store/*-*/*-0* >/dev/null 2>&1; do kill -0 $tool || exit 1; sleep 0.1; done
        "$0" query a.db --write "INSERT INTO album (title) VALUES ('later')" --raw --key-file key
        kill -INT $tool
        wait $tool
        """
      let ended = try await ChildProcess.run(
        "/bin/sh", ["-c", script, ToolRun.program], in: tool.folder, limit: .seconds(60))
      #expect(ended.status == 0, "\(ended.output)")

      let restored = try await tool(["restore", "store", "--to", "b.db"] + key)
      #expect(restored.status == 0, "\(restored.output)")
      let sql = "SELECT count(*) FROM album WHERE title = 'later'"
      let count = try await tool(["query", "b.db", sql, "--format", "csv"] + key)
      #expect(count.output.contains("1"), "\(count.output)")

      let position = try #require(restored.output.split(separator: "\n").first.map(String.init))
      let again = try await tool(
        ["restore", "store", "--at", position, "--not-before", position, "--to", "c.db"] + key)
      #expect(again.status == 0, "\(again.output)")
      let early = try await tool(
        ["restore", "store", "--at", "2001-01-01 00:00", "--to", "d.db"] + key)
      #expect(early.status == 1 && early.output.contains("oldest state"), "\(early.output)")
      let wrong = try await tool(["restore", "store", "--at", "yesterday", "--to", "d.db"] + key)
      #expect(wrong.status == 64)
      let listed = try await tool(["backups", "store"])
      #expect(listed.status == 0 && listed.output.contains("first state"), "\(listed.output)")

      // A lost object makes later states incomplete.
      let generation = try #require(
        try FileManager.default.contentsOfDirectory(atPath: tool.path("store"))
          .first { $0 != "generations" })
      let object = try #require(
        try FileManager.default.contentsOfDirectory(atPath: tool.path("store/\(generation)"))
          .sorted().first)
      try FileManager.default.removeItem(atPath: tool.path("store/\(generation)/\(object)"))
      let broken = try await tool(["backups", "store"])
      #expect(broken.status == 4, "\(broken.output)")
      let refused = try await tool(["restore", "store", "--to", "d.db"] + key)
      #expect(refused.status == 4 && refused.output.contains("is missing"), "\(refused.output)")
      #expect(try !tool.names().contains("d.db"))
    }

    @Test(
      "wrong usage is reported",
      arguments: [
        ["backups", "nowhere"], ["restore", "nowhere", "--to", "b.db", "--key-file", "key"],
      ])
    func missing(arguments: [String]) async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      let ended = try await tool(arguments)
      #expect(ended.status == 1 && ended.output.contains("there is no such folder"))
      #expect(try tool.names() == ["key"])
    }
  }
#endif
