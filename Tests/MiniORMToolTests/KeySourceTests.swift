#if os(Linux)
  import Foundation
  import MiniORM
  import TestSupport
  import Testing

  @Suite("Key sources of the tool")
  struct KeySourceTests {
    @Test(
      "an unusable key is refused, and not printed",
      arguments: [
        (
          ["--key-file", "open"],
          "the key file open can be read by others: protect it with chmod 600 open"
        ),
        (
          ["--key-file", "group"],
          "the key file group can be read by others: protect it with chmod 600 group"
        ),
        (["--key-file", "none"], "the key file none cannot be read: No such file or directory"),
        (
          ["--key-file", "."],
          "the key file . is not a regular file: give the path of a regular file"
        ),
        (["--key-file", "empty"], "The key of empty is empty: give a passphrase or a raw key"),
        (["--key-file", "line"], "The key of line is empty: give a passphrase or a raw key"),
        (
          ["--key-file", "good", "--raw"],
          "The key of good is not a raw key: give 32 bytes, or 64 hexadecimal digits, or 96 with the salt"
        ),
        (
          ["--key-file", "half", "--raw"],
          "The key of half is not a raw key: give 32 bytes, or 64 hexadecimal digits, or 96 with the salt"
        ),
        (
          ["--key-fd", "937"],
          "the file descriptor 937 is not open: open it in the shell, as in 937<key.txt"
        ),
        (
          [],
          "there is no terminal to ask for the key: use --key-fd or --key-file; for the new key of rekey or export, --new-key-fd or --new-key-file"
        ),
      ])
    func refused(options: [String], message: String) async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      try tool.write("open", "hunter2", permissions: 0o604)
      try tool.write("group", "hunter2", permissions: 0o640)
      try tool.write("good", "hunter2")
      try tool.write("empty", "")
      try tool.write("half", String(ToolRun.hexadecimal.prefix(32)))
      try tool.write("line", "\n")
      #expect(
        try await tool(["encrypt", "a.db"] + options)
          == .init(status: 64, output: "miniorm: \(message)\n"))
      #expect(try await tool.rows("a.db", "SELECT id FROM album").count == 2)
    }

    @Test(
      "wrong usage exits with 64",
      arguments: [
        ["encrypt", "a.db", "--key-file", "a", "--key-fd", "3"],
        ["encrypt", "a.db", "--key-fd", "1"],
        ["encrypt", "a.db", "--key", "hunter2"],
        ["rekey", "a.db", "--key-fd", "3", "--new-key-fd", "3"],
        ["export", "a.db", "b.db", "--plain", "--new-key"],
        ["query", "a.db", "--key-fd", "0"],
        ["nonsense"],
      ])
    func usage(arguments: [String]) async throws {
      let tool = try ToolRun()
      #expect(try await tool(arguments).status == 64)
    }

    @Test("a passphrase consists of its file's bytes, without the final line feed")
    func passphrase() async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      try tool.write("key", "a 'quoted' \"é\" \n\r\n")
      #expect(try await tool.output("encrypt", "a.db", "--key-file", "key") == "")
      let key = Key.passphrase("a 'quoted' \"é\" \n")
      #expect(try await tool.rows("a.db", "SELECT id FROM album", key: key).count == 2)
    }

    @Test("a raw key is 32 bytes, with any last byte, or digits")
    func raw() async throws {
      let tool = try ToolRun()
      let bytes = [UInt8](repeating: 0xe9, count: 31) + [10]
      try await tool.make("a.db", ToolRun.script, key: .raw(bytes))
      let digits = bytes.map { String(format: "%02X", $0) }.joined()
      try tool.write("digits", digits + "\n")
      try Data(bytes).write(to: tool.folder.appendingPathComponent("bytes"))
      for name in ["digits", "bytes"] {
        #expect(
          try await tool.output(
            "query", "a.db", "SELECT 1", "--raw", "--key-fd", "3", redirections: "3<\(name)")
            == "1\n-\n1\n")
      }
      // With the file's salt.
      let salt = try Data(contentsOf: tool.folder.appendingPathComponent("a.db")).prefix(16)
      try tool.write("salted", digits + salt.map { String(format: "%02x", $0) }.joined())
      #expect(
        try await tool.output("query", "a.db", "SELECT 1", "--raw", "--key-file", "salted")
          == "1\n-\n1\n")
    }

    @Test("the terminal prompt hides the key, and asks twice for a new key")
    func prompt() async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      let terminal = try PseudoTerminal()
      var ended = try await terminal.run(
        tool, ["encrypt", "a.db"],
        [("New key of a.db: ", "hunter2\n"), ("New key of a.db, again: ", "hunter3\n")])
      #expect(ended.status == 64)
      #expect(
        ended.output.contains(
          "miniorm: the two keys differ, so nothing was changed: type the same key twice"))
      #expect(!ended.output.contains("hunter"))

      ended = try await terminal.run(
        tool, ["encrypt", "a.db"],
        [("New key of a.db: ", "wrong\u{15}huntéx\u{7f}\u{7f}er2\n"), ("again: ", "hunter2\n")])
      #expect(ended.status == 0, "\(ended.output)")
      // On a terminal, the tool shows its progress.
      #expect(ended.output.contains("encrypting [#########################] 100 %"))
      #expect(!ended.output.contains("hunt"))
      let key = Key.passphrase("hunter2")
      #expect(try await tool.rows("a.db", "SELECT id FROM album", key: key).count == 2)

      ended = try await terminal.run(
        tool, ["decrypt", "a.db"], [("Key of a.db: ", "hunt\u{3}")])
      #expect(ended.status == 130)
      #expect(ended.output.contains("miniorm: cancelled: nothing was changed"))
      #expect(try await tool.rows("a.db", "SELECT id FROM album", key: key).count == 2)
    }
  }
#endif
