#if os(Linux)
  import Foundation
  import Testing

  /// How long the compiler takes for queries.
  @Suite(
    "Compile times", .enabled(if: Compiler.here != nil, "swiftc is not on the PATH"))
  struct CompileTimeTests {
    @Test("200 typical queries take the compiler less than 40 ms each, and none 300 ms")
    func typicalQueries() throws {
      let compiler = try #require(Compiler.here)
      let process = Process()
      process.executableURL = compiler.package.appendingPathComponent("scripts/compile-times")
      process.arguments = ["--products", compiler.build.path]
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "\(text)")
    }
  }
#endif
