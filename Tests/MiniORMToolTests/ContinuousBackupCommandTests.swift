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

      struct Generation: Decodable { let states, bytes, broken: Int }
      let lines = try await tool(["backups", "store", "--json"])
      let line = try JSONDecoder().decode(Generation.self, from: Data(lines.output.utf8))
      #expect(line.states > 0 && line.bytes > 4_096 && line.broken == 0)

      // Each printed time restores the state of this time.
      let row = try #require(listed.output.split(separator: "\n").dropFirst(2).first)
      let times = row.matches(of: /\S+ \S+ \+0000/).map { String($0.output) }
      #expect(times.count == 2, "\(row)")
      for (number, time) in times.enumerated() {
        let stated = try await tool(
          ["restore", "store", "--at", time, "--to", "e\(number).db"] + key)
        #expect(stated.output.contains("has the state of \(time)"), "\(stated.output)")
      }

      // A lost object makes later states incomplete.
      let generation = try #require(
        try FileManager.default.contentsOfDirectory(atPath: tool.path("store"))
          .first { $0 != "generations" && !$0.hasPrefix(".") })
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
      "follow updates a copy until it is stopped, and follow --once continues",
      arguments: ["INT", "TERM"])
    func follow(signal: String) async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      let key = ["--raw", "--key-file", "key"]
      try await tool.make("a.db", ToolRun.script, key: ToolRun.key, isLogged: true)
      let script = """
        key="--raw --key-file key"
        wait_for() { until eval "$1" >/dev/null 2>&1; do kill -0 $tools || exit 1; sleep 0.1; done; }
        "$0" backup --continuous a.db store $key & backup=$!; tools=$backup
        wait_for 'ls store/*-*/*-0*'
        "$0" follow store copy.db $key 2>followed & follow=$!; tools="$backup $follow"
        wait_for 'grep "copy.db has the state of" followed'
        "$0" query a.db --write "INSERT INTO album (title) VALUES ('later')" $key
        wait_for '"$0" query copy.db "SELECT title FROM album" $key | grep later'
        kill -\(signal) $follow; wait $follow || exit 2
        "$0" query a.db --write "INSERT INTO album (title) VALUES ('last')" $key
        kill -INT $backup; wait $backup || exit 3
        cat followed
        """
      let ended = try await ChildProcess.run(
        "/bin/sh", ["-c", script, ToolRun.program], in: tool.folder, limit: .seconds(90))
      #expect(ended.status == 0, "\(ended.output)")
      #expect(ended.output.contains("s old"), "\(ended.output)")

      let once = try await tool(["follow", "store", "copy.db", "--once"] + key)
      #expect(once.status == 0, "\(once.output)")
      let sql = "SELECT count(*) FROM album WHERE title IN ('later', 'last')"
      let count = try await tool(["query", "copy.db", sql, "--format", "csv"] + key)
      #expect(count.output.contains("2"), "\(count.output)")
      let position = try #require(once.output.split(separator: "\n").first.map(String.init))
      let restored = try await tool(["restore", "store", "--at", position, "--to", "b.db"] + key)
      #expect(restored.status == 0, "\(restored.output)")

      // The key changes, so the copy needs both keys.
      try tool.write("new", String(ToolRun.hexadecimal.reversed()))
      let newKey = ["--new-raw", "--new-key-file", "new"]
      let rekeyed = try await tool(["rekey", "a.db"] + key + newKey)
      #expect(rekeyed.status == 0, "\(rekeyed.output)")
      let rescript = """
        "$0" backup --continuous a.db store --raw --key-file new & tool=$!
        until [ $(ls store/generations | wc -l) = 2 ]; do kill -0 $tool || exit 1; sleep 0.1; done
        kill -INT $tool; wait $tool
        """
      let backup = try await ChildProcess.run(
        "/bin/sh", ["-c", rescript, ToolRun.program], in: tool.folder, limit: .seconds(60))
      #expect(backup.status == 0, "\(backup.output)")
      let old = try await tool(["follow", "store", "copy.db", "--once"] + key)
      #expect(old.status != 0, "\(old.output)")
      let both = try await tool(["follow", "store", "copy.db", "--once"] + key + newKey)
      #expect(both.status == 0, "\(both.output)")
      let new = try await tool(["query", "copy.db", sql, "--raw", "--key-file", "new"])
      #expect(new.status == 0, "\(new.output)")

      // Pruning deletes the objects of the earlier key. A dry run keeps all objects.
      let positions = try await tool.output("backups", "store", "--positions").split(
        separator: "\n")
      let last = try #require(positions.last?.split(separator: " ").first.map(String.init))
      func files() throws -> Int {
        try FileManager.default.subpathsOfDirectory(atPath: tool.path("store")).count
      }
      let before = try files()
      for (option, verb) in [(["--dry-run"], "would be"), ([], "were")] {
        let pruned = try await tool(["backups", "prune", "store", "--before", last] + option)
        #expect(pruned.status == 0 && pruned.output.hasPrefix(positions[0] + "\n"), "\(pruned)")
        #expect(pruned.output.contains(" objects \(verb) deleted"), "\(pruned)")
        #expect(try (files() == before) == (verb == "would be"))
      }

      // The store loses objects, and a file that is not a copy stays.
      let source = try await tool(["follow", "store", "a.db", "--once"] + key)
      #expect(
        source.status == 1 && source.output.contains("choose another path"), "\(source.output)")
      try FileManager.default.removeItem(atPath: tool.path("store"))
      try FileManager.default.createDirectory(
        atPath: tool.path("store"), withIntermediateDirectories: false)
      let empty = try await tool(["follow", "store", "copy.db", "--once"] + key + newKey)
      #expect(empty.status != 0 && empty.output.contains("no state"), "\(empty.output)")
    }

    enum Fault: String, CaseIterable {
      case store, terminated, file
    }

    @Test(
      "a backup that cannot keep its promise ends with an error, and prints its status as JSON",
      arguments: Fault.allCases)
    func fault(fault: Fault) async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      try await tool.make("a.db", ToolRun.script, key: ToolRun.key, isLogged: true)
      let script = """
        key="--raw --key-file key"
        wait_for() { until eval "$1" >/dev/null 2>&1; do kill -0 $tool || exit 9; sleep 0.1; done; }
        limit=300; [ \(fault.rawValue) = store ] && limit=2
        "$0" backup --continuous a.db store $key --json --check 1 --give-up-after $limit >lines & tool=$!
        wait_for 'grep lastRestorable lines'
        case \(fault.rawValue) in
          file) cp a.db b.db; mv b.db a.db ;;
          *) mv store gone
            "$0" query a.db --write "INSERT INTO album (title) VALUES ('later')" $key
            wait_for 'grep lastError lines' ;;
        esac
        [ \(fault.rawValue) = terminated ] && kill -TERM $tool
        wait $tool; echo "status $?"
        tail -n 1 lines
        """
      let ended = try await ChildProcess.run(
        "/bin/sh", ["-c", script, ToolRun.program], in: tool.folder, limit: .seconds(60))
      #expect(ended.output.contains("status 1"), "\(ended.output)")
      let text = fault == .file ? "its backup ended" : "bytes of the log are not copied"
      #expect(ended.output.contains(text), "\(ended.output)")
      struct Line: Decodable { let isRunning: Bool, sent: String?, lastError: String?, behind: Int }
      let lines = try String(contentsOfFile: tool.path("lines"), encoding: .utf8)
        .split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
      #expect(lines.count > 2 && lines.allSatisfy { $0.behind >= 0 })
      #expect(lines.contains { $0.sent != nil && $0.lastError == nil })
    }

    @Test(
      "a restored file continues the backup only with --take-over, and then the first file does not"
    )
    func takeover() async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      try await tool.make("a.db", ToolRun.script, key: ToolRun.key, isLogged: true)
      let script = """
        key="--raw --key-file key"
        back_up() {
          # The program may start late, and the lines of the last one say nothing.
          rm -f lines
          "$0" backup --continuous $* store $key --json >lines 2>errors & tool=$!
          until grep lastRestorable lines >/dev/null 2>&1; do
            kill -0 $tool 2>/dev/null || { wait $tool; echo "$1 ended with $?"; cat errors; return; }
            sleep 0.1
          done
          kill -INT $tool; wait $tool; echo "$1 was copied"
        }
        back_up a.db
        "$0" restore store --to b.db $key
        back_up b.db
        back_up b.db --take-over
        back_up b.db
        back_up a.db
        """
      let ended = try await ChildProcess.run(
        "/bin/sh", ["-c", script, ToolRun.program], in: tool.folder, limit: .seconds(60))
      let lines = ended.output.split(separator: "\n").filter {
        $0.contains(" was copied") || $0.contains(" ended with ")
      }
      #expect(
        lines == [
          "a.db was copied", "b.db ended with 1", "b.db was copied", "b.db was copied",
          "a.db ended with 1",
        ], "\(ended.output)")
      #expect(ended.output.contains("--take-over"), "\(ended.output)")
    }

    @Test(
      "wrong usage is reported",
      arguments: [
        ["backups", "nowhere"], ["restore", "nowhere", "--to", "b.db", "--key-file", "key"],
        ["follow", "nowhere", "b.db", "--key-file", "key"],
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
