#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @Suite("Child processes")
  struct ChildProcessTests {
    @Test(
      "a program returns its output and its exit status",
      arguments: [
        ("printf out; printf error >&2; exit 3", 3, "outerror"),
        ("cat; printf 'nothing to read'", 0, "nothing to read"),
        ("kill -KILL $$", 128 + 9, ""),
        ("yes | head -c 300000 | wc -c", 0, "300000\n"),
      ] as [(String, Int32, String)])
    func ends(script: String, status: Int32, output: String) async throws {
      for ended in [
        try await ChildProcess.run("sh", ["-c", script]),
        try ChildProcess.runAndWait("/bin/sh", ["-c", script]),
      ] {
        #expect(ended.status == status)
        #expect(ended.output == output)
      }
    }

    @Test("a program runs in the given folder with the given environment")
    func surroundings() async throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("it's \(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let ended = try await ChildProcess.run(
        "/bin/sh", ["-c", "pwd -P; echo $0 $NAME $HOME", "a  b"], in: folder, ["NAME": "x"])
      #expect(ended.status == 0)
      #expect(ended.output == "\(folder.resolvingSymlinksInPath().path)\na b x\n")
    }

    @Test("a missing program throws")
    func missing() async throws {
      let failure = await #expect(throws: ChildProcess.Failure.self) {
        try await ChildProcess.run("/no/such/program")
      }
      #expect(failure?.description == "posix_spawn /no/such/program: No such file or directory")
    }

    @Test(
      "a program that exceeds its time limit is killed, and so is the program of a cancelled task")
    func killed() async throws {
      let ended = try await ChildProcess.run("sleep", ["600"], limit: .milliseconds(20))
      #expect(ended == .init(status: 128 + 9, output: ""))
      let task = Task { try await ChildProcess.run("sleep", ["600"]) }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("many programs run at the same time")
    func many() async throws {
      let outputs = try await withThrowingTaskGroup(of: String.self) { group in
        for number in 0..<64 {
          group.addTask { try await ChildProcess.run("echo", ["\(number)"]).output }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(outputs == Set((0..<64).map { "\($0)\n" }))
    }
  }
#endif
