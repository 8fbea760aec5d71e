#if os(Linux)
  import Foundation
  import Synchronization
  import TestSupport
  import Testing

  /// Follows tutorials as a reader does: writes the files of each step, compiles the program after
  /// each step, and runs the commands of the transcripts in order.
  struct TutorialReplay: Sendable {
    /// The program after a step.
    private struct Program: Sendable {
      let step: Tutorial.Step
      /// The name of the module.
      let module: String
      /// The text of each source, by the reader's file name, and of each test.
      let sources: [String: String]
      let tests: [String: String]
      /// True if the next transcript runs the program or its tests.
      var isRun = false
      var isTested = false
      /// True for the last program of a package.
      var isFinished = false
    }

    /// A command of a transcript, with the expected output.
    fileprivate struct Command: Sendable {
      let text: String
      fileprivate(set) var output = ""
      /// Commands for a second terminal, each entered after a number of output lines.
      fileprivate(set) var others: [(lines: Int, text: String)] = []
    }

    private struct Transcript: Sendable {
      let file: String
      let commands: [Command]
      /// The index of the program that `swift run` runs.
      let program: Int?
      /// The index of its package.
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

    /// A line with the prefix `$ ` is a command, followed by the output. A line with the prefix
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

    /// Returns the compile errors or, if everything compiles, the differences from the expected
    /// output.
    func problems() async throws -> [String] {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let (results, report) = AsyncStream.makeStream(of: (Int, String).self)
      async let compilation: Void = compile(in: folder, report)

      // Each transcript runs as soon as its program is built, while the other programs compile.
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
            guard Self.masked(printed) != Self.masked(command.output) else { continue }
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

    /// Replaces the times and the names of generations that `miniorm backups` prints: they differ
    /// between runs. Expenses have days without a time.
    private static func masked(_ output: String) -> String {
      output.replacing(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{3} \+0000)?/, with: "(time)")
        .replacing(/\b[0-9a-f]{12}-[0-9a-f]{16}\b/, with: "(generation)")
    }

    /// Compiles all programs, in parallel on all cores, roughly in order.
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

    /// - Returns: The compiler's diagnostics for a program and its tests.
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

  /// A shell for the reader's commands, in a folder where `MiniORM` is this package. `swift run`
  /// runs the built program.
  private struct Terminal {
    /// The folder of the clone, and the current folder.
    private let home: URL
    private var folder: URL
    private var course = 0
    /// True if MINIORM_TOOL is set and the command-line tool is built.
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
      // A child process writes the script. If this process held the file open for writing while
      // another thread forks, running the script would fail with ETXTBSY ("Text file busy").
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

    /// Begins a package in a new terminal.
    mutating func begin(_ course: Int) {
      if course != self.course { folder = home }
      self.course = course
    }

    /// Returns false for transcripts that need the tool if the tool is not built. Later transcripts
    /// do not depend on these.
    func canEnter(_ commands: [String]) -> Bool {
      hasTool || !commands.contains { $0.contains("miniorm ") }
    }

    /// Runs a command.
    /// - Returns: The output. Tutorials may omit the output of tools other than `swift run` and
    ///   `swift test`: their success returns the expected, empty output.
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

    /// Runs a command, and other commands in a second terminal meanwhile, each after as many lines
    /// as the tutorial shows before it. The first command ends on its own.
    private func enterBeside(_ command: TutorialReplay.Command) async throws -> String {
      let file = folder.deletingLastPathComponent().appendingPathComponent("\(UUID())")
      let (folder, environment) = (folder, environment)
      let ending = Ending()
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          // Line buffering, as in a terminal: a file would be written only at the end.
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

    /// Set when the program has ended.
    private final class Ending: Sendable {
      let isOver = Mutex(false)
    }

    private static func printed(in file: URL) -> String {
      screens(String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self))
    }

    /// Replaces each clearing of the screen by an empty line.
    private static func screens(_ output: String) -> String {
      output.replacingOccurrences(of: "\u{1B}[2J\u{1B}[H", with: "\n")
    }
  }

  extension String {
    fileprivate var lineCount: Int { utf8.count { $0 == UInt8(ascii: "\n") } }
  }
#endif
