#if os(Linux)
  import Foundation
  import Testing

  /// Reading, binding and SELECT agree on the position of each column.
  ///
  /// By default, a part of all models is compiled and run; `MINIORM_DECLARATIONS=2000` runs more.
  /// There are 7,380 models: each sequence of one to four properties of nine kinds.
  @Suite(
    "Positions of columns", .enabled(if: Compiler.here != nil, "swiftc is not on the PATH"))
  struct ColumnPositionTests {
    private static let count =
      ProcessInfo.processInfo.environment["MINIORM_DECLARATIONS"].flatMap { Int($0) } ?? 100

    @Test("a row reads the columns that it binds, for every order of properties")
    func positions() async throws {
      let compiler = try #require(Compiler.here)
      let (count, total) = (min(Self.count, GeneratedDeclaration.count), GeneratedDeclaration.count)
      let numbers = (0..<count).map { $0 * total / count }
      for start in stride(from: 0, to: count, by: 100) {
        let some = numbers[start..<min(start + 100, count)].map(GeneratedDeclaration.init)
        let models = GeneratedDeclaration.preamble + some.map(\.source).joined()
        let output = try await compiler.run([
          "Models.swift": models, "Main.swift": GeneratedDeclaration.main(some),
        ])
        #expect(output == "", "\(output.prefix(4_000))")
      }
    }
  }
#endif
