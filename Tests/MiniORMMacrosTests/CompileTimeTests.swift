#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @Suite(
    "Compile times", .enabled(if: Compiler.here != nil, "swiftc is not on the PATH"))
  struct CompileTimeTests {
    @Test("200 typical queries compile in less than 40 ms each, and none takes 300 ms")
    func typicalQueries() async throws {
      let compiler = try #require(Compiler.here)
      let script = compiler.package.appendingPathComponent("scripts/maintainer/compile-times")
      let ended = try await ChildProcess.run(script.path, ["--products", compiler.build.path])
      #expect(ended.status == 0, "\(ended.output)")
    }
  }
#endif
