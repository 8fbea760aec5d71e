#if os(Linux)
  import Foundation
  import Testing

  /// What the compiler says of expressions that have no meaning.
  @Suite(
    "The compiler's view of expressions",
    .enabled(if: Compiler.here != nil, "swiftc is not on the PATH"))
  struct ExpressionErrorsTests {
    private static let people = """
      import MiniORM
      @Table struct Person {
        let id: Int64
        var name: String
        var age: Int
        var level: Int?
        var nickname: String?
      }

      """

    /// A condition on people, and the one error that it gives.
    private static let mistakes: [(condition: String, message: String)] = [
      (
        "$0.name == nil",
        "'==' is unavailable: only an optional is compared with nil; 'isNil' says whether SQLite "
          + "finds NULL here"
      ),
      (
        "$0.age > 3 && $0.name != nil",
        "'!=' is unavailable: only an optional is compared with nil; 'isNil' says whether SQLite "
          + "finds NULL here"
      ),
    ]

    @Test("C7, C8: a condition without a meaning does not compile, and the error says why")
    func messages() throws {
      let compiler = try #require(Compiler.here)
      let lines = Self.mistakes.map { "_ = Table<Person>().where { \($0.condition) }" }
      let source =
        Self.people
        + lines.enumerated().map { "func f\($0.offset)() { \($0.element) }" }
        .joined(separator: "\n")
      let errors = try compiler.errors(in: source).map { line in
        line.components(separatedBy: ": error: ").last ?? line
      }
      #expect(errors == Self.mistakes.map(\.message))
    }
  }
#endif
