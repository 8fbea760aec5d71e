#if os(Linux)
  import Foundation
  import Testing

  /// The compiler's errors for meaningless expressions.
  @Suite(
    "Compiler diagnostics for expressions",
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

    private static let inText =
      "call to global actor '`no SQL expression in a String: join with appending(_:), convert with "
      + "cast(to:)`'-isolated instance method 'appendInterpolation' in a synchronous nonisolated context "
      + "[#ActorIsolatedCall]"

    /// A condition on people, and the only error.
    private static let mistakes: [(condition: String, message: String)] = [
      (
        "$0.name == nil",
        "'==' is unavailable: only an optional can be compared with nil; 'isNil' tests for NULL "
          + "in SQL"
      ),
      (
        "$0.age > 3 && $0.name != nil",
        "'!=' is unavailable: only an optional can be compared with nil; 'isNil' tests for NULL "
          + "in SQL"
      ),
      (
        "$0.name == $0.level",
        "conformance of 'SQLExpression<Value>' to 'SQLOperand' is unavailable: both sides must "
          + "have the same type, optional or not: convert with 'cast(to:)', replace NULL with "
          + "'??'"
      ),
      (
        "($0.age * 2 + 1 - $0.name) * (3 - $0.age) > 4",
        "call to global actor '`operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`'-isolated "
          + "operator function '-' in a synchronous nonisolated context [#ActorIsolatedCall]"
      ),
      (
        #"$0.age > "3""#,
        "conformance of 'String' to 'SQLOperand' is unavailable: both sides must have the same "
          + "type, optional or not: convert a column with 'cast(to:)', join texts with "
          + "'appending(_:)'"
      ),
      (
        #"$0.age.like("3%")"#,
        "referencing instance method 'like(_:escape:)' on 'SQLExpression' requires that 'Int' conform "
          + "to 'SQLText'"
      ),
      (
        "$0.name.sum() > 3",
        "referencing instance method 'sum(distinct:filter:)' on 'SQLExpression' requires that 'String' "
          + "conform to 'SQLSummable'"
      ),
      (#"$0.name == "\($0.age)""#, inText),
      (#"$0.name.like("%\($0.level)%") && $0.age > 3"#, inText),
      (
        #"Case.when($0.age > 3, then: "x") == "x""#,
        "binary operator '==' cannot be applied to operands of type 'Case<Bool>.Branches<String>' "
          + "and 'String'"
      ),
      (
        #"$0.nickname ?? 3 == "x""#,
        "binary operator '??' cannot be applied to operands of type 'SQLExpression<String?>' and 'Int'"
      ),
      (
        "RowValue($0.age, $0.name) > (1, 2)",
        "binary operator '>' cannot be applied to operands of type 'RowValue<Int, String>' and "
          + "'(Int, Int)'"
      ),
    ]

    /// A query, and the only error.
    private static let queries: [(query: String, message: String)] = [
      (
        #"people.where { $0.title == "x" }"#,
        "value of type 'Person.Columns' has no member 'title'"
      ),
      (
        "people.select { ($0.name, $0.title) }",
        "value of type 'Person.Columns' has no member 'title'"
      ),
      (
        #"people.join(cities).where { person, city in person.mayor == "x" }"#,
        "value of type 'Person.Columns' has no member 'mayor'"
      ),
      (
        "people.join(cities) { $0.cityID == 1 }",
        "'join(_:on:)' is unavailable: the closure compares columns of both tables: { "
          + "$0.authorID == $1.id }; write a condition on a single table in 'where'"
      ),
      (
        "people.leftJoin(cities) { $0.cityID == 1 }",
        "'leftJoin(_:on:)' is unavailable: the closure compares columns of both tables: { "
          + "$0.authorID == $1.id }; write a condition on a single table in 'where'"
      ),
      (
        "people.select { $0.cityID }.leftJoin(cities) { $0 == $1.id }",
        "'leftJoin(_:on:)' is unavailable: join before 'select', or give the values a name: "
          + #"'select { … }.alias("name").leftJoin(…)'"#
      ),
      (
        "people.select { $0.cityID }.join(cities) { $0 == $1.id }",
        "'join(_:on:)' is unavailable: join before 'select', or give the values a name: "
          + #"'select { … }.alias("name").join(…)'"#
      ),
      (
        "people.update { $0.nickname = $0.name }",
        "getter for 'subscript(dynamicMember:)' is unavailable: A column cannot be read here: "
          + "write $0.column = $0.column + 1, $0.column = $0.other ?? 0 if the other column can "
          + "be NULL, or $0.column = $0.other.optional if the assigned column can"
      ),
      (
        "people.insert(into: { ($0.nickname, $0.age) }, from: people.select { ($0.name, $0.age) })",
        "'insert(into:from:)' is unavailable: the columns and the query's values have different "
          + "types: '.optional' makes a value optional, as in select { ($0.name, "
          + "$0.size.optional) }"
      ),
      (
        #"people.join(cities).where { $0.name == "x" }"#,
        "value of tuple type '(Person.Columns, City.Columns)' has no member 'name'"
      ),
      (
        "people.join(cities) { $0.name == $1.id }",
        "conformance of 'SQLExpression<Value>' to 'SQLOperand' is unavailable: both sides must "
          + "have the same type, optional or not: convert with 'cast(to:)', replace NULL with "
          + "'??'"
      ),
      (
        "people.where { $0.age }",
        "'where' is unavailable: 'where' takes a condition: write { $0.age > 0 }"
      ),
      (
        #"people.where { ($0.age > 3, $0.name == "x") }"#,
        "'where' is unavailable: 'where' takes a single condition: join conditions with && and ||"
      ),
      (
        "people.having { $0.age.max() > 3 }",
        "value of type 'Table<Person>' has no member 'having'"
      ),
      ("people.filter { $0.age > 3 }", "value of type 'Table<Person>' has no member 'filter'"),
      ("people.all()", "value of type 'Table<Person>' has no member 'all'"),
      (
        "people.delete { $0.age > 3 }",
        "'delete' is unavailable: write 'where { … }.delete().run(in: database)'"
      ),
      ("people.fetchCount(1)", "value of type 'Table<Person>' has no member 'fetchCount'"),
      ("people.fetchAll(1)", "'fetchAll' is unavailable: write 'fetchAll(in: database)'"),
      ("people.fetchOne(1)", "'fetchOne' is unavailable: write 'fetchOne(in: database)'"),
      (
        "people.order { ($0.name, 3) }",
        "'buildExpression' is unavailable: order by an expression, a tuple of expressions or an "
          + "[Ordering]: { ($0.name, $0.age.descending) }"
      ),
      (
        "people.group { ($0.name, $0) }",
        "'buildExpression' is unavailable: write an expression or a tuple of expressions: { "
          + "($0.cityID, $0.name) }"
      ),
      (
        "people.select { ($0.name, 3) }",
        "'select' is unavailable: select an expression, columns, or a tuple of both: { "
          + "($0.name, $0.age + 1) }; write a constant as SQL.value(3) or SQL.value(nil as "
          + "Int?)"
      ),
      (
        "people.select { ($0.name, nil as Int?) }",
        "'select' is unavailable: select an expression, columns, or a tuple of both: { "
          + "($0.name, $0.age + 1) }; write a constant as SQL.value(3) or SQL.value(nil as "
          + "Int?)"
      ),
      (
        "SQL.select { (SQL.value(1), 3) }",
        "'select' is unavailable: select an expression or a tuple of expressions: { "
          + "(SQL.value(3), SQL.value(nil as Int?)) }"
      ),
      (
        "people.select { ($0.id, $0.name) }.join(cities)",
        "type '(Int64, String)' cannot conform to 'Selection' [#ProtocolTypeNonConformance]"
      ),
      (
        #"people.select { ($0.id, $0.name) }.where { _, name in name == "x" }"#,
        "'where' is unavailable: write 'where' before 'select', or select a model or a @Selection, "
          + "whose columns have names"
      ),
      (
        "people.select { ($0.id, $0.name) }.scalar()",
        "type '(Int64, String)' cannot conform to 'ColumnValue' [#ProtocolTypeNonConformance]"
      ),
      (
        "people.select { ($0.name, SQL.rank()) }",
        "conformance of 'WindowFunction<Value>' to 'Projection' is unavailable: a window "
          + "function needs a window: call 'over'"
      ),
      (
        #"people.select { Case.when($0.age > 3, then: "x") }"#,
        "conformance of 'Case<Subject>.Branches<Value>' to 'Projection' is unavailable: a CASE ends "
          + "with 'else(_:)' or 'end()'"
      ),
      (
        #"people.select { $0.name + "x" }"#,
        "conformance of 'String' to 'SQLOperandValue' is unavailable: both sides must have the "
          + "same type, optional or not: convert a column with 'cast(to:)', join texts with "
          + "'appending(_:)'"
      ),
      (
        #"people.update { $0.age = "x" }"#,
        "cannot assign value of type 'String' to type 'SQLExpression<Int>'"
      ),
      (
        "people.update { $0.name = nil }",
        "'nil' cannot be assigned to type 'SQLExpression<String>'"
      ),
      (
        "people.where { $0.cityID == cities.select { $0.id } }",
        "operator function '==' requires that 'Select<Int64>' conform to 'SQLOperand'"
      ),
    ]

    @Test("a meaningless query does not compile, and the error says why")
    func queryMessages() throws {
      let compiler = try #require(Compiler.here)
      let source =
        """
        import MiniORM
        @Table struct City { let id: Int64; var name: String; var mayor: String? }
        @Table struct Person {
          let id: Int64; var name: String; var age: Int; var cityID: Int64?; var nickname: String?
        }
        let people = Table<Person>()
        let cities = Table<City>()

        """
        + Self.queries.enumerated().map { "func f\($0.offset)() { _ = \($0.element.query) }" }
        .joined(separator: "\n")
      let errors = try compiler.errors(in: source).map { line in
        line.components(separatedBy: ": error: ").last ?? line
      }
      #expect(errors == Self.queries.map(\.message))
    }

    @Test("a meaningless condition does not compile, and the error says why")
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
