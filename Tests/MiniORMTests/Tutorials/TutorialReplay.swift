#if os(Linux)
  import Foundation

  /// Follows tutorials as a reader does: writes each file that a step shows, compiles the program
  /// after each step, and enters the commands of the transcripts, in their order.
  struct TutorialReplay: Sendable {
    /// The program after a step.
    private struct Program: Sendable {
      let step: Tutorial.Step
      /// The text of each source, by the name that the reader gives it.
      let sources: [String: String]
      /// Whether the next transcript runs it.
      var isRun = false
    }

    /// The commands of a transcript, each with the output that is shown.
    private struct Transcript: Sendable {
      let file: String
      let commands: [(command: String, output: String)]
      /// The program that `swift run` stands for: its place among the programs.
      let program: Int?
    }

    private let compiler: TutorialCompiler
    private var programs: [Program] = []
    private var transcripts: [Transcript] = []
    private var manifests: [Program] = []

    init(_ catalog: TutorialCatalog, with compiler: TutorialCompiler) {
      self.compiler = compiler
      var sources: [String: String] = [:]
      for step in catalog.tutorials.flatMap(\.steps) {
        guard let code = step.code, let text = catalog.resources[code.file] else { continue }
        if code.isTranscript {
          transcripts.append(
            Transcript(
              file: code.file, commands: Self.commands(of: text),
              program: programs.indices.last))
          if text.contains("swift run"), let last = programs.indices.last {
            programs[last].isRun = true
          }
        } else if code.name == "Package.swift" {
          manifests.append(Program(step: step, sources: [code.name: text]))
        } else {
          sources[code.name] = text
          programs.append(Program(step: step, sources: sources))
        }
      }
    }

    /// A line that begins with `$ ` is a command, and what follows is its output.
    private static func commands(of text: String) -> [(command: String, output: String)] {
      var commands: [(command: String, output: String)] = []
      for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        if line.hasPrefix("$ ") {
          commands.append((String(line.dropFirst(2)), ""))
        } else if !commands.isEmpty {
          commands[commands.count - 1].output += "\(line)\n"
        }
      }
      return commands
    }

    /// What does not compile, and what prints something else than is shown.
    func problems() async throws -> [String] {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let problems = try await compile(in: folder)
      guard problems.isEmpty else { return problems }
      return try await enterCommands(in: folder)
    }

    private func compile(in folder: URL) async throws -> [String] {
      let lanes = ProcessInfo.processInfo.activeProcessorCount
      return try await withThrowingTaskGroup(of: [(Int, String)].self) { group in
        for lane in 0..<lanes {
          group.addTask {
            var problems: [(Int, String)] = []
            for index in stride(from: lane, to: programs.count + manifests.count, by: lanes) {
              let isManifest = index >= programs.count
              let program = isManifest ? manifests[index - programs.count] : programs[index]
              let output = try await compiler.compile(
                program.sources, isManifest: isManifest,
                in: folder.appendingPathComponent("\(index)"),
                to: program.isRun ? folder.appendingPathComponent("program-\(index)") : nil)
              guard !output.isEmpty else { continue }
              let file = program.step.code?.file ?? ""
              problems.append(
                (index, "\(program.step.place): \(file) does not compile:\n\(output)"))
            }
            return problems
          }
        }
        let problems = try await group.reduce(into: []) { $0 += $1 }
        return problems.sorted { $0.0 < $1.0 }.map(\.1)
      }
    }

    /// Runs the commands in a folder of their own, where `MiniORM` is this package, and `swift run`
    /// the program that is built already.
    private func enterCommands(in folder: URL) async throws -> [String] {
      let files = FileManager.default
      let tools = folder.appendingPathComponent("bin")
      var current = folder.appendingPathComponent("reader")
      for url in [tools, current] {
        try files.createDirectory(at: url, withIntermediateDirectories: true)
      }
      try files.createSymbolicLink(
        at: current.appendingPathComponent("MiniORM"), withDestinationURL: compiler.package)
      let script = """
        #!/bin/sh
        if [ "$1" = run ]; then exec "$PROGRAM"; fi
        exec "\(compiler.swift)" "$@"
        """
      files.createFile(
        atPath: tools.appendingPathComponent("swift").path, contents: Data(script.utf8),
        attributes: [.posixPermissions: 0o755])
      var environment = ProcessInfo.processInfo.environment
      environment["PATH"] = "\(tools.path):\(environment["PATH"] ?? "")"

      var problems: [String] = []
      for transcript in transcripts {
        let program = transcript.program.map { "program-\($0)" } ?? "none"
        environment["PROGRAM"] = folder.appendingPathComponent(program).path
        for (command, shown) in transcript.commands {
          if command.hasPrefix("cd ") {
            current = current.appendingPathComponent(String(command.dropFirst(3))).standardized
            continue
          }
          let (status, output) = try await compiler.run(
            "/bin/bash", ["-c", command], in: current, environment)
          // What a tool of others says may be left out, as long as it succeeds.
          let isLeftOut = shown.isEmpty && !command.contains("swift run")
          if isLeftOut ? status != 0 : output != shown {
            problems.append(
              """
              \(transcript.file): \(command)
              prints:
              \(output)and the tutorial shows:
              \(shown)
              """)
          }
        }
      }
      return problems
    }
  }
#endif
