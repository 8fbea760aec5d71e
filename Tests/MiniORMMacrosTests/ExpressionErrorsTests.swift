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
      (
        "$0.name == $0.level",
        "cannot convert value of type 'Expression<Int?>' to expected argument type "
          + "'Expression<String>'"
      ),
      (
        #"$0.age > "3""#,
        "binary operator '>' cannot be applied to operands of type 'Expression<Int>' and 'String'"
      ),
      (
        #"$0.age.like("3%")"#,
        "referencing instance method 'like(_:escape:)' on 'Expression' requires that 'Int' conform "
          + "to 'SQLText'"
      ),
      (
        "$0.name.sum() > 3",
        "referencing instance method 'sum(distinct:filter:)' on 'Expression' requires that 'String' "
          + "conform to 'SQLNumeric'"
      ),
      (
        #"Case.when($0.age > 3, then: "x") == "x""#,
        "binary operator '==' cannot be applied to operands of type 'Case<Bool>.Branches<String>' "
          + "and 'String'"
      ),
      (
        #"$0.nickname ?? 3 == "x""#,
        "binary operator '??' cannot be applied to operands of type 'Expression<String?>' and 'Int'"
      ),
      (
        "RowValue($0.age, $0.name) > (1, 2)",
        "binary operator '>' cannot be applied to operands of type 'RowValue<Int, String>' and "
          + "'(Int, Int)'"
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
