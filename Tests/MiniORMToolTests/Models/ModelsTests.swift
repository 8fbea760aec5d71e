#if os(Linux)
  import Foundation
  import MiniORM
  import TestSupport
  import Testing

  /// What the tool writes for files of other programs.
  @Suite(
    "The tool's models", .enabled(if: ModelProgram.swiftc != nil, "swiftc is not on the PATH"))
  struct ModelsTests {
    @Test(
      "what is written compiles, declares the tables as they are, migrates nothing and reads every row"
    )
    func models() async throws {
      let tool = try ToolRun()
      let count = ProcessInfo.processInfo.environment["MODELS"].flatMap(Int.init) ?? 4
      let random = (0..<count).map { number in
        ("Random\(number)", RandomSchema.script(seed: UInt64(number)))
      }
      var program = ModelProgram()
      for (name, script) in FileSchemas.all + random {
        try await tool.makePlain("\(name).db", script)
        let written = try await tool(
          ["models", "\(name).db", "--namespace", name, "--output", "\(name).swift"])
        #expect(written.status == 0, "\(name): \(written.output)")
        try program.add(name, folder: tool.folder, notes: written.output)
      }
      let output = try await program.run(in: tool.folder)
      #expect(output == "", "\(output)")
    }
  }
#endif
