#if os(Linux)
  import Foundation
  import Synchronization
  import TestSupport
  import Testing

  /// Follows tutorials as a reader does: writes each file that a step shows, compiles the program
  /// after each step, and enters the commands of the transcripts, in their order.
  struct TutorialReplay: Sendable {
    /// The program after a step.
    private struct Program: Sendable {
      let step: Tutorial.Step
      /// What its package calls it.
      let module: String
      /// The text of each source, by the name that the reader gives it, and of its tests'.
      let sources: [String: String]
      let tests: [String: String]
      /// Whether the next transcript runs it, or its tests.
      var isRun = false
      var isTested = false
      /// Whether it is the last one of its package.
      var isFinished = false
    }

    /// A command of a transcript with the output that is shown.
    fileprivate struct Command: Sendable {
      let text: String
      fileprivate(set) var output = ""
      /// What is entered in a second terminal while it runs, each when so many lines are printed.
      fileprivate(set) var others: [(lines: Int, text: String)] = []
    }

    /// The commands of a transcript.
    private struct Transcript: Sendable {
      let file: String
      let commands: [Command]
      /// The program that `swift run` stands for: its place among the programs.
      let program: Int?
      /// The place of its package among the packages.
      let course: Int
    }

    private let compiler: TutorialCompiler
    private var programs: [Program] = []
    private var transcripts: [Transcript] = []
    private var manifests: [Program] = []

    init(_ catalog: TutorialCatalog, with compiler: TutorialCompiler) {
      self.compiler = compiler
      for (number, course) in catalog.courses.enumerated() {
        var module = "Program"
        var sources: [String: String] = [:]
        var program: Int?
        for step in course.flatMap(\.steps) {
          guard let code = step.code, let text = catalog.resources[code.file] else { continue }
          if code.isTranscript {
            transcripts.append(
              Transcript(
                file: code.file, commands: Self.commands(of: text), program: program,
                course: number))
            if let program, text.contains("swift run") { programs[program].isRun = true }
            if let program, text.contains("swift test") { programs[program].isTested = true }
          } else if code.name == "Package.swift" {
            module = text.firstMatch(of: /name: "(\w+)"/).map { String($0.1) } ?? module
            manifests.append(
              Program(step: step, module: module, sources: [code.name: text], tests: [:]))
          } else {
            sources[code.name] = text
            program = programs.count
            programs.append(
              Program(
                step: step, module: module,
                sources: sources.filter { !$0.key.hasSuffix("Tests.swift") },
                tests: sources.filter { $0.key.hasSuffix("Tests.swift") }))
          }
        }
        if let program { programs[program].isFinished = true }
      }
    }

    /// A line that begins with `$ ` is a command, and what follows is its output. One that begins with
    /// `2$ ` is a command in a second terminal.
    private static func commands(of text: String) -> [Command] {
      var commands: [Command] = []
      for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        if line.hasPrefix("$ ") {
          commands.append(Command(text: String(line.dropFirst(2))))
        } else if line.hasPrefix("2$ "), let output = commands.last?.output {
          commands[commands.count - 1].others.append(
            (output.lineCount, String(line.dropFirst(3))))
        } else if !commands.isEmpty {
          commands[commands.count - 1].output += "\(line)\n"
        }
      }
      return commands
    }

    /// What does not compile; where all does, what prints something else than is shown.
    func problems() async throws -> [String] {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let (results, report) = AsyncStream.makeStream(of: (Int, String).self)
      async let compilation: Void = compile(in: folder, report)

      // A transcript is entered as soon as its program is built, and others are still compiled.
      var terminal = try await Terminal(compiler, in: folder)
      var waiting = transcripts[...]
      var compiled: Set<Int> = []
      var mistakes: [(Int, String)] = []
      var differences: [String] = []
      for await (index, output) in results {
        compiled.insert(index)
        if !output.isEmpty {
          let step = (programs + manifests)[index].step
          let file = step.code?.file ?? ""
          mistakes.append((index, "\(step.place): \(file) does not compile:\n\(output)"))
        }
        while mistakes.isEmpty, let next = waiting.first,
          next.program.map(compiled.contains) ?? true
        {
          waiting.removeFirst()
          terminal.begin(next.course)
          guard terminal.canEnter(next.commands.map(\.text)) else { continue }
          let program = folder.appendingPathComponent("program-\(next.program ?? 0)")
          for command in next.commands {
            let printed = try await terminal.enter(command, running: program)
            guard printed != command.output else { continue }
            differences.append(
              """
              \(next.file): \(command.text)
              prints:
              \(printed)and the tutorial shows:
              \(command.output)
              """)
          }
        }
      }
      try await compilation
      return mistakes.isEmpty ? differences : mistakes.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Compiles all the programs, as many at once as there are cores, about in their order.
    private func compile(
      in folder: URL, _ report: AsyncStream<(Int, String)>.Continuation
    ) async throws {
      defer { report.finish() }
      let all = programs + manifests
      let lanes = ProcessInfo.processInfo.activeProcessorCount
      try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<lanes {
          group.addTask {
            for index in stride(from: lane, to: all.count, by: lanes) {
              report.yield((index, try await compile(all[index], index, in: folder)))
            }
          }
        }
        try await group.waitForAll()
      }
    }

    /// - Returns: What the compiler says of a program, and of its tests.
    private func compile(_ program: Program, _ index: Int, in folder: URL) async throws -> String {
      let (place, result) = (folder.appendingPathComponent("\(index)"), "program-\(index)")
      guard index < programs.count else {
        return try await compiler.check(program.sources, in: place)
      }
      let said = try await compiler.compile(
        program.sources, as: program.module, fileByFile: program.isFinished, in: place,
        to: program.isRun ? folder.appendingPathComponent(result) : nil)
      guard said.isEmpty, !program.tests.isEmpty else { return said }
      return try await compiler.compile(
        tests: program.tests, of: program.module, program.sources,
        in: folder.appendingPathComponent("\(index)-tests"),
        to: program.isTested ? folder.appendingPathComponent(result + "-tests") : nil)
    }
  }

  /// Where a reader enters commands: a folder in which `MiniORM` is this package. `swift run` runs
  /// the program that is built already.
  private struct Terminal {
    /// The folder that holds the clone, and that in which the reader is.
    private let home: URL
    private var folder: URL
    private var course = 0
    /// Whether the command-line tool is built: MINIORM_TOOL is set.
    private let hasTool: Bool
    private var environment = ProcessInfo.processInfo.environment

    init(_ compiler: TutorialCompiler, in folder: URL) async throws {
      home = folder.appendingPathComponent("reader")
      self.folder = home
      let files = FileManager.default
      let tools = folder.appendingPathComponent("bin")
      for url in [tools, home] {
        try files.createDirectory(at: url, withIntermediateDirectories: true)
      }
      try files.createSymbolicLink(
        at: home.appendingPathComponent("MiniORM"), withDestinationURL: compiler.package)
      let script = """
        #!/bin/sh
        case "$1" in
        run)
          shift
          if [ $# -gt 0 ]; then shift; fi
          exec "$PROGRAM" "$@" ;;
        test) exec "$PROGRAM-tests" --testing-library swift-testing ;;
        esac
        exec "\(compiler.swift)" "$@"
        """
      // Written by a process of its own: where another one is spawned while this process has the file open for writing, it
      // cannot be run until that one has begun ("Text file busy").
      let path = tools.appendingPathComponent("swift").path
      let written = try await ChildProcess.run(
        "/bin/sh", ["-c", #"printf %s "$1" >"$2" && chmod +x "$2""#, "sh", script, path])
      try #require(written.status == 0, "\(written.output)")
      hasTool = files.isExecutableFile(atPath: compiler.tool.path)
      if hasTool {
        try files.createSymbolicLink(
          at: tools.appendingPathComponent("miniorm"), withDestinationURL: compiler.tool)
      }
      environment["PATH"] = "\(tools.path):\(environment["PATH"] ?? "")"
      environment["TMPDIR"] = folder.path
    }

    /// Begins a package: the reader opens another terminal.
    mutating func begin(_ course: Int) {
      if course != self.course { folder = home }
      self.course = course
    }

    /// Whether the commands of a transcript can be entered. Without the tool, those that use it or look at
    /// what it has made are left out; nothing else follows from them.
    func canEnter(_ commands: [String]) -> Bool {
      hasTool || !commands.contains { $0.contains("miniorm ") }
    }

    /// Enters a command.
    /// - Returns: What it prints. What is shown, where that is nothing and a command other than
    ///   `swift run` and `swift test` succeeds: what tools of others say may be left out.
    mutating func enter(
      _ command: TutorialReplay.Command, running program: URL
    ) async throws -> String {
      let text = command.text
      if text.hasPrefix("cd ") {
        folder = folder.appendingPathComponent(String(text.dropFirst(3))).standardized
        return command.output
      }
      environment["PROGRAM"] = program.path
      guard command.others.isEmpty else { return try await enterBeside(command) }
      let ended = try await ChildProcess.run("/bin/bash", ["-c", text], in: folder, environment)
      let printed = Self.screens(ended.output)
      guard command.output.isEmpty, !text.contains("swift run"), !text.contains("swift test") else {
        return printed
      }
      return ended.status == 0 ? command.output : printed + "(status \(ended.status))\n"
    }

    /// Enters a command, and others in a second terminal while it runs, each when as many lines are
    /// printed as the tutorial shows before it. The first one ends by itself.
    private func enterBeside(_ command: TutorialReplay.Command) async throws -> String {
      let file = folder.deletingLastPathComponent().appendingPathComponent("\(UUID())")
      let (folder, environment) = (folder, environment)
      let ending = Ending()
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          // A program writes line by line to a terminal, and only at its end into a file.
          let line = "exec stdbuf -oL \(command.text) > '\(file.path)' 2>&1"
          defer { ending.isOver.withLock { $0 = true } }
          _ = try await ChildProcess.run(
            "/bin/bash", ["-c", line], in: folder, environment, limit: .seconds(120))
        }
        var said = ""
        for (lines, text) in command.others {
          while !ending.isOver.withLock({ $0 }), Self.printed(in: file).lineCount < lines {
            try await Task.sleep(for: .milliseconds(5))
          }
          let ended = try await ChildProcess.run(
            "/bin/bash", ["-c", text], in: folder, environment)
          said += ended.output
          if ended.status != 0 { said += "(status \(ended.status))\n" }
        }
        try await group.waitForAll()
        return Self.printed(in: file) + said
      }
    }

    /// Whether a program has ended.
    private final class Ending: Sendable {
      let isOver = Mutex(false)
    }

    private static func printed(in file: URL) -> String {
      screens(String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self))
    }

    /// What is printed, with an empty line where the terminal is cleared.
    private static func screens(_ output: String) -> String {
      output.replacingOccurrences(of: "\u{1B}[2J\u{1B}[H", with: "\n")
    }
  }

  extension String {
    fileprivate var lineCount: Int { utf8.count { $0 == UInt8(ascii: "\n") } }
  }
#endif
