#if os(Linux)
  import Foundation
  import MiniORM
  import TestSupport
  import Testing

  @Suite("The tool with hostile input")
  struct HostileInputTests {
    /// The exit codes in the help text.
    private static let documented: Set<Int32> = [0, 1, 3, 4, 5, 64, 130]

    /// Runs a shell command line, in which `miniorm` is the tool. A signal ends it after 10 s of
    /// processor time, or after a minute.
    private static func run(_ tool: ToolRun, _ line: String) async throws -> ChildProcess.Ended {
      try await ChildProcess.run(
        "setsid",
        [
          "-w", "/bin/sh", "-c",
          "ulimit -t 10; miniorm() { timeout -s KILL 60 \"$TOOL\" \"$@\"; }; TOOL=$0; \(line)",
          ToolRun.program,
        ], in: tool.folder, limit: .seconds(120))
    }

    @Test(
      "for any file, each command exits with a documented status, and changes no other file",
      arguments: HostileFile.all)
    func files(file: HostileFile) async throws {
      let tool = try ToolRun()
      try file.make(in: tool)
      let key = file.options.joined(separator: " ")
      let inspecting = [
        "check a.db", "info a.db", "models a.db --view-seconds 1",
        "query a.db 'SELECT * FROM album' --format csv",
        "salvage a.db new.db", "export a.db new.db", "backup a.db new.db", "check a.db --untrusted",
      ]
      let before = try FolderContents(tool.folder.path)
      let first = inspecting[file.seed % inspecting.count]
      let ended = try await Self.run(tool, "miniorm \(first) \(key)")
      #expect(Self.documented.contains(ended.status), "\(first): \(ended)")
      try? FileManager.default.removeItem(atPath: tool.path("new.db"))
      #expect(try FolderContents(tool.folder.path) == before, "\(first)")
      let changing = [
        "encrypt a.db --raw --key-file key", "decrypt a.db \(key)", "upgrade a.db \(key)",
        "rekey a.db \(key) --new-raw --new-key-file key",
        "query a.db --write 'CREATE TABLE added(a)' \(key)",
      ]
      let second = changing[file.seed / 7 % changing.count]
      let changed = try await Self.run(tool, "miniorm \(second)")
      #expect(Self.documented.contains(changed.status), "\(second): \(changed)")
      #expect(try String(contentsOfFile: tool.path("victim"), encoding: .utf8) == "precious")
      #expect(try String(contentsOfFile: tool.path("key"), encoding: .utf8) == ToolRun.hexadecimal)
    }

    private static let lines: [(String, Int32)] = [
      ("miniorm", 0), ("miniorm --help", 0), ("miniorm help query", 0), ("miniorm --nope", 64),
      ("miniorm check", 64), ("miniorm check ''", 1), ("miniorm check a.db b.db", 64),
      ("miniorm check /", 1), ("miniorm check /dev/null", 1), ("miniorm check /etc/passwd", 3),
      ("miniorm encrypt /etc/passwd --key-file key", 3),
      ("miniorm check \"$(printf 'x%.0s' $(seq 5000))\"", 1),
      ("miniorm check \"$(printf '\\377\\376.db')\"", 1),
      ("miniorm check \"$(printf '\\033[31m')\"", 1),
      ("miniorm check -- -x", 1), ("miniorm check -x", 64), ("miniorm check a.db --raw", 64),
      ("miniorm check ':memory:'", 1), ("miniorm check 'file:a.db?mode=memory'", 1),
      ("miniorm check a.db/x", 1),
      ("miniorm check secret.db --key-fd 99", 64), ("miniorm check secret.db --key-fd -1", 64),
      ("miniorm check secret.db --key-fd 99999999999", 64),
      ("miniorm check secret.db --key-fd x", 64),
      (
        "exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-; for n in 3 4 5 6 7 8 9; do miniorm check secret.db --key-fd $n; s=$?; [ $s = 64 ] || exit $s; done; exit 64",
        64
      ),
      ("miniorm check secret.db --key-fd 0 </dev/null", 64),
      ("miniorm check secret.db --key-fd 0 <&-", 64),
      ("miniorm check secret.db --key-fd 3 3</dev/zero", 64),
      ("miniorm check secret.db --key-fd 3 3<.", 64),
      ("miniorm check secret.db --key-file pipe", 64), ("miniorm check secret.db --key-file .", 64),
      ("miniorm check secret.db --key-file /dev/zero", 64),
      ("miniorm check secret.db --key-file secret.db --raw", 64),
      ("miniorm check secret.db", 64), ("miniorm info pipe", 1), ("miniorm query a.db", 1),
      ("miniorm query a.db ''", 1), ("miniorm query a.db ';;;'", 1),
      ("miniorm query a.db 'SELECT 1' --format xml", 64),
      ("miniorm query a.db 'SELECT 1' --spreadsheet", 64),
      ("miniorm query a.db --write 'DROP TABLE album' --untrusted", 64),
      ("printf 'SELECT \\000 1' | miniorm query a.db", 64),
      ("printf '\\377' | miniorm query a.db", 64),
      ("miniorm query a.db \"$(printf '(%.0s' $(seq 20000))\"", 1),
      ("miniorm query a.db 'SELECT 1' >/dev/full", 1), ("miniorm info a.db >/dev/full", 1),
      ("miniorm check a.db >/dev/full", 1), ("miniorm models a.db >/dev/full", 1),
      ("miniorm --help >/dev/full", 1),
      (
        "miniorm query a.db --write \"INSERT INTO album(title) VALUES ('x') RETURNING *\" >/dev/full",
        1
      ),
      ("miniorm query a.db 'SELECT * FROM album a, album b, album c' | head -c 1 >/dev/null", 0),
      ("miniorm query a.db 'SELECT 1' >&-", 1), ("miniorm models a.db --output a.db", 64),
      ("miniorm models a.db --output a.db --force", 64),
      ("miniorm models a.db --output ./x/../a.db --force", 64),
      ("miniorm models a.db --output link --force", 64),
      ("miniorm models a.db --output hard --force", 64),
      ("miniorm models a.db --output a.db-wal", 64),
      ("miniorm models a.db --output a.db-journal", 64),
      ("miniorm models a.db --output key --force", 64),
      ("miniorm models a.db --output secret.db --force", 64),
      ("miniorm models a.db --output .", 64), ("miniorm models a.db --output pipe", 64),
      ("miniorm models a.db --output /dev/null", 64),
      ("miniorm models a.db --output none/x.swift", 1),
      ("miniorm models a.db --output hand.swift", 64),
      ("miniorm models a.db --namespace 'a b'", 64),
      ("miniorm models a.db --view-seconds -1", 64), ("miniorm export a.db a.db", 64),
      ("miniorm export a.db a.db-journal", 64), ("miniorm export a.db link", 64),
      ("miniorm backup a.db a.db --replace", 64),
      ("miniorm backup a.db hard --replace", 64), ("miniorm backup a.db key --replace", 64),
      ("miniorm backup a.db pipe --replace", 1), ("miniorm backup a.db . --replace", 1),
      ("miniorm salvage a.db a.db", 64),
      ("miniorm salvage a.db secret.db", 1), ("miniorm export a.db ''", 1),
      ("miniorm encrypt link --key-file pipe", 64),
      ("miniorm rekey secret.db --raw --key-file key --new-key-file pipe", 64),
    ]

    @Test(
      "for any arguments, the tool exits with a documented status, and overwrites nothing",
      arguments: lines)
    func arguments(line: String, status: Int32) async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      try await tool.make("secret.db", ToolRun.script, key: ToolRun.key)
      try tool.write("key", ToolRun.hexadecimal)
      try tool.write("hand.swift", "struct Hand {}\n")
      #expect(mkfifo(tool.path("pipe"), 0o600) == 0)
      try FileManager.default.createSymbolicLink(
        atPath: tool.path("link"), withDestinationPath: "a.db")
      let writes = line.contains("INSERT")
      if !line.contains("encrypt") {
        try FileManager.default.linkItem(atPath: tool.path("a.db"), toPath: tool.path("hard"))
      }
      let before = try FolderContents(tool.folder.path)
      let ended = try await Self.run(tool, line)
      #expect(ended.status == status, "\(ended)")
      if !writes { #expect(try FolderContents(tool.folder.path) == before, "\(ended)") }
    }

    @Test(
      "--output replaces generated files, and with --force other Swift files, and keeps permissions"
    )
    func output() async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      try tool.write("hand.swift", "struct Hand {}\n", permissions: 0o640)
      func permissions(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: tool.path(name))[.posixPermissions] as? Int
      }
      let text = try await tool.output("models", "a.db", redirections: "2>/dev/null")
      _ = try await tool.output(
        "models", "a.db", "--output", "hand.swift", "--force", redirections: "2>/dev/null")
      #expect(try String(contentsOfFile: tool.path("hand.swift"), encoding: .utf8) == text)
      #expect(try permissions("hand.swift") == 0o640)
      // A generated file needs no --force, under any name.
      _ = try await tool.output(
        "models", "a.db", "--output", "new.txt", redirections: "2>/dev/null")
      _ = try await tool.output(
        "models", "a.db", "--output", "new.txt", redirections: "2>/dev/null")
      try FileManager.default.createSymbolicLink(
        atPath: tool.path("link.swift"), withDestinationPath: "new.txt")
      _ = try await tool.output(
        "models", "a.db", "--output", "link.swift", redirections: "2>/dev/null")
      #expect(try tool.names() == ["a.db", "hand.swift", "link.swift", "new.txt"])
      let type = try FileManager.default.attributesOfItem(atPath: tool.path("link.swift"))[.type]
      #expect(type as? FileAttributeType == .typeSymbolicLink)
    }

    @Test(
      "--spreadsheet writes a text that a spreadsheet would run as text"
    )
    func spreadsheet() async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      let sql = """
        SELECT column1 AS "=x" FROM (VALUES ('=1+1'), ('+1'), ('-1'), ('@a'), (char(9) || '=1'), (' =1'), (char(65309) || '1'),
          (-1), (-1.5), ('plain'), ('a=b'), (char(27) || '[31m'), (NULL), (x'3d31'))
        """
      #expect(
        try await tool.output("query", "a.db", sql, "--format", "csv", "--spreadsheet")
          == [
            "'=x", "'=1+1", "'+1", "'-1", "'@a", "'\\u{9}=1", "' =1", "'＝1", "-1", "-1.5", "plain",
            "a=b", "\\u{1b}[31m",
            "\"\"", "3d31", "",
          ].joined(separator: "\r\n"))
      #expect(
        try await tool.output("query", "a.db", sql, "--format", "csv")
          == [
            "=x", "=1+1", "+1", "-1", "@a", "\t=1", " =1", "＝1", "-1", "-1.5", "plain", "a=b",
            "\u{1b}[31m", "\"\"",
            "3d31", "",
          ].joined(separator: "\r\n"))
      let shown = try await PseudoTerminal().run(
        tool, ["query", "a.db", "SELECT char(27) || '[31m'", "--format", "csv"], [])
      #expect(
        shown.output.contains("\\u{1b}[31m") && !shown.output.contains("\u{1b}[31m"), "\(shown)")
    }

    @Test("the tool prints a message while it waits for a key")
    func waiting() async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script, key: ToolRun.key)
      let ended = try await Self.run(
        tool,
        """
        touch said; (for i in $(seq 300); do grep -q waiting said && break; sleep 0.1; done; printf \(ToolRun.hexadecimal)) |
          miniorm check a.db --raw --key-fd 0 2>said; status=$?; cat said; exit $status
        """)
      #expect(
        ended.status == 0 && ended.output.hasSuffix("miniorm: waiting for the file descriptor 0\n"),
        "\(ended)")
    }

    @Test(
      "models of 10 times as many tables, or columns, take at most 12 times as long",
      arguments: ["tables", "columns"])
    func size(of kind: String) async throws {
      let tool = try ToolRun()
      /// The processor time in seconds.
      func seconds(_ count: Int) async throws -> Double {
        let script =
          kind == "tables"
          ? (0..<count).map { "CREATE TABLE t\($0)(a INTEGER PRIMARY KEY, b TEXT)" }.joined(
            separator: ";")
          : "CREATE TABLE t(\((0..<count).map { "c\($0) TEXT DEFAULT 'x' CHECK (c\($0) <> '')" }.joined(separator: ",")))"
        if !FileManager.default.fileExists(atPath: tool.path("\(count).db")) {
          try await tool.makePlain("\(count).db", script)
        }
        let ended = try await ChildProcess.run(
          "/bin/bash",
          ["-c", "TIMEFORMAT='%U'; time \"$0\" models \(count).db >out", ToolRun.program],
          in: tool.folder, limit: .seconds(300))
        #expect(ended.status == 0, "\(ended)")
        return try #require(
          Double(
            ended.output.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: "\n").last
              ?? ""))
      }
      let (few, many) = kind == "tables" ? (300, 3_000) : (200, 2_000)
      // Other processes on the same processors can only add time, so the least of more runs is
      // nearer to the truth. The sizes take turns, so that a busy moment meets all of them.
      var (start, one, other) = (Double.infinity, Double.infinity, Double.infinity)
      var ratio: Double { (other - start) / max(one - start, 0.2) }  // Shorter times are imprecise.
      for _ in 0..<8 where !(ratio <= 12) {
        start = min(start, try await seconds(1))
        one = min(one, try await seconds(few))
        other = min(other, try await seconds(many))
      }
      #expect(ratio <= 12, "\(start) s, \(one) s, then \(other) s")
    }
  }
#endif
