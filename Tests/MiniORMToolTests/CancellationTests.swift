#if os(Linux)
  import Foundation
  import MiniORM
  import TestSupport
  import Testing

  @Suite("The tool and Ctrl-C")
  struct CancellationTests {
    /// Runs the tool, and signals it when a shell condition becomes true.
    private static func run(
      _ tool: ToolRun, _ arguments: [String], signal: String, when condition: String
    ) async throws -> ChildProcess.Ended {
      let script = """
        "$0" "$@" & tool=$!
        while kill -0 $tool 2>/dev/null && ! \(condition); do :; done
        kill -\(signal) $tool
        wait $tool
        """
      return try await ChildProcess.run(
        "/bin/sh", ["-c", script, ToolRun.program] + arguments, in: tool.folder,
        limit: .seconds(120))
    }

    @Test(
      "a cancelled command leaves the file unchanged, and no other file",
      arguments: ["INT", "TERM", "HUP"])
    func encryption(signal: String) async throws {
      let tool = try ToolRun()
      try await tool.make(
        "a.db",
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, bytes BLOB);
        WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
        INSERT INTO t SELECT i, zeroblob(1000) FROM n;
        """)
      try tool.write("key", ToolRun.hexadecimal)
      var ended = ChildProcess.Ended(status: 0, output: "")
      for _ in 0..<5 where ended.status == 0 {
        // On a busy machine, the tool may finish before the signal.
        if try await tool(["query", "a.db", "SELECT 1"]).status != 0 {
          _ = try await tool.output("decrypt", "a.db", "--raw", "--key-file", "key")
        }
        ended = try await Self.run(
          tool, ["encrypt", "a.db", "--raw", "--key-file", "key"], signal: signal,
          when: "ls | grep -q miniorm-")
      }
      #expect(ended == .init(status: 130, output: "miniorm: cancelled: nothing was changed\n"))
      #expect(try tool.names() == ["a.db", "key"])
      #expect(try await tool.rows("a.db", "SELECT count(*) FROM t") == [[.integer(60000)]])
    }

    @Test("an endless query ends")
    func query() async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      let forever =
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT 1 FROM n) SELECT count(*) FROM n"
      let ended = try await Self.run(
        tool, ["query", "a.db", forever], signal: "INT",
        when: "ls -l /proc/$tool/fd 2>/dev/null | grep -q a.db")
      #expect(ended == .init(status: 130, output: "miniorm: cancelled: nothing was changed\n"))
    }
  }
#endif
