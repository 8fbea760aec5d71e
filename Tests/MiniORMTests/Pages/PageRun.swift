#if os(Linux)
  import Foundation
  import Synchronization
  import TestSupport

  /// Runs the programs of pages, and collects the statements and output of each Swift block.
  struct PageRun: Sendable {
    let compiler: TutorialCompiler

    /// Compares the SQL and output on pages with the results of the programs.
    /// - Parameter pages: The pages. Pages with neither SQL nor output do not run.
    /// - Returns: The differences, in the order of the pages.
    func problems(of pages: [Page]) async throws -> [String] {
      try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
        var problems = [[String]](repeating: [], count: pages.count)
        for (number, page) in pages.enumerated() {
          // Limits the number of compilers that run beside the other tests.
          if number > 1, let (earlier, found) = try await group.next() { problems[earlier] = found }
          group.addTask { (number, try await self.problems(of: page)) }
        }
        while let (number, found) = try await group.next() { problems[number] = found }
        return problems.flatMap(\.self)
      }
    }

    private func problems(of page: Page) async throws -> [String] {
      guard !page.blocks.isEmpty else { return page.problems }
      var ran: [Int: [String]] = [:]
      for program in page.programs {
        let (said, ended) = try await output(of: program)
        guard let ended else { return ["\(page.name): it does not compile:\n\(said)"] }
        guard ended.status == 0 else {
          return [
            "\(page.name): its program ends with \(ended.status):\n\(ended.output.suffix(2_000))"
          ]
        }
        Self.collect(ended.output, into: &ran)
      }
      return page.problems + page.differences(from: ran)
    }

    private typealias Output = (said: String, ended: ChildProcess.Ended?)

    /// The programs that run or have run. Pages with planted mistakes share programs.
    private static let outputs = Mutex<[String: Task<Output, any Error>]>([:])

    /// Compiles and runs a program once.
    /// - Returns: The compiler's diagnostics, and the program's output if it compiles.
    private func output(of program: String) async throws -> Output {
      let task = Self.outputs.withLock { outputs in
        let task = outputs[program] ?? Task { try await run(program) }
        outputs[program] = task
        return task
      }
      return try await task.value
    }

    private func run(_ program: String) async throws -> Output {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      defer { try? FileManager.default.removeItem(at: folder) }
      let executable = folder.appendingPathComponent("page")
      let said = try await compiler.compile(
        ["main.swift": "import MiniORM\npageBegins()\n" + program, "Watching.swift": watching],
        as: "Page", in: folder, to: executable)
      guard said.isEmpty else { return (said, nil) }
      return (
        "", try await ChildProcess.run(executable.path, in: folder, limit: .seconds(60))
      )
    }

    /// Collects the statements and output of each block. Lines that the program printed for this
    /// purpose begin with ␁.
    private static func collect(_ output: String, into ran: inout [Int: [String]]) {
      var block = 0
      for line in output.split(separator: "\n") {
        if line.hasPrefix("\u{1}block ") {
          block = Int(line.dropFirst(7)) ?? 0
        } else {
          ran[block, default: []].append(String(line.drop { $0 == "\u{1}" }))
        }
      }
    }
  }

  /// Functions that a page's program calls between its blocks. A trace on each connection reports
  /// statements; a query that does not run reports its text.
  private let watching = #"""
    import CSQLCipher
    import MiniORM

    func pageBegins() {
      let watch:
        @convention(c) (
          OpaquePointer?, UnsafeMutablePointer<UnsafePointer<CChar>?>?, OpaquePointer?
        ) -> CInt = { connection, _, _ in
          sqlite3_trace_v2(
            connection, CUnsignedInt(SQLITE_TRACE_STMT),
            { _, _, _, text in
              if let text { note(String(cString: text.assumingMemoryBound(to: CChar.self))) }
              return 0
            }, nil)
        }
      sqlite3_auto_extension(unsafeBitCast(watch, to: (@convention(c) () -> Void).self))
    }

    private func note(_ sql: String) {
      print("\u{1}" + sql.split { $0.isWhitespace }.joined(separator: " "))
    }

    func pageBlock(_ line: Int) { print("\u{1}block \(line)") }
    func pageQuery(_ query: some SelectStatement) { note(query.sql.text) }
    func pageQuery(_ change: some Change) { note(change.sql.text) }
    func pageQuery<Output>(_ change: Returning<Output>) { note(change.sql.text) }
    @_disfavoredOverload func pageQuery<Value>(_: Value) {}

    /// Runs the CREATE statements of models. A failure is found where a page shows them.
    func pageModels(_ schema: DatabaseSchema) async throws {
      let database = try await Database.inMemory()
      _ = try? await database.migrate(schema)
      try await database.close()
    }

    """#
#endif
