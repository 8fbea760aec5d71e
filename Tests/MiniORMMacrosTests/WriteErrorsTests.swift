#if os(Linux)
  import Foundation
  import Testing

  /// The compiler's errors for meaningless writes.
  @Suite(
    "Compiler diagnostics for writes",
    .enabled(if: Compiler.here != nil, "swiftc is not on the PATH"))
  struct WriteErrorsTests {
    private static let models = """
      import MiniORM
      @Table struct Person {
        let id: Int64
        var name: String
        var age: Int
        var level: Int?
      }
      @Table struct City { let id: Int64; var name: String; var size: Int }
      let people = Table<Person>()
      let cities = Table<City>()

      """

    private static let noValue =
      "getter for 'subscript(dynamicMember:)' is unavailable: A column cannot be read here: "
      + "write $0.column = $0.column + 1, $0.column = $0.other ?? 0 if the other column can be "
      + "NULL, or $0.column = $0.other.optional if the assigned column can"

    /// A write, and the first error.
    private static let mistakes: [(write: String, message: String)] = [
      (
        "people.update { $0.age = $0.level }",
        "cannot assign value of type 'SQLExpression<Int?>' to type 'SQLExpression<Int>'"
      ),
      ("people.update { $0.level = $0.age }", noValue),
      ("people.update { $0.age = nil }", "'nil' cannot be assigned to type 'SQLExpression<Int>'"),
      (
        #"people.update { $0.age += "x" }"#,
        "binary operator '+=' cannot be applied to operands of type 'SQLExpression<Int>' and 'String'"
      ),
      (
        "people.update { $0.aeg = 1 }",
        "value of type 'Assignments<Person>' has no dynamic member 'aeg' using key path from root "
          + "type 'Person.Columns'"
      ),
      (
        "people.insert(into: { $0.name }, from: cities.select { $0.size })",
        "'insert(into:from:)' is unavailable: the column and the query's values have different "
          + "types: '.optional' makes a value optional"
      ),
      (
        "people.insert(into: { ($0.name, $0.level) }, from: cities.select { ($0.name, $0.size) })",
        "'insert(into:from:)' is unavailable: the columns and the query's values have different "
          + "types: '.optional' makes a value optional, as in select { ($0.name, "
          + "$0.size.optional) }"
      ),
      (
        "people.insert(from: cities)",
        "instance method 'insert(from:assigningRowIDs:)' requires the types 'Person' and 'City' be "
          + "equivalent"
      ),
      (
        "people.update(from: cities, on: { $0.name == $1.name }) { $0.age = $1.name }",
        "cannot assign value of type 'SQLExpression<String>' to type 'SQLExpression<Int>'"
      ),
      (
        "people.delete().returning { $0.nme }",
        "value of type 'Person.Columns' has no member 'nme'"
      ),
      (
        "people.insert(City.Draft(name: \"\", size: 1))",
        "instance method 'insert' requires the types 'Person' and 'City.Draft.Stored' (aka 'City') "
          + "be equivalent"
      ),
    ]

    private static let notRun =
      "Nothing is written: the closure returns a change that has not run. End it with "
      + "'.run(in: db)' or '.returning().fetchAll(in: db)' (from macro '_changeNotRun')"

    /// Closures that end with a change. Some return the change without running it.
    private static let transactions: [(body: String, message: String?)] = [
      ("try await db.write { db in people.insert(draft) }", notRun),
      ("try await db.write { db in people.insert(contentsOf: [draft]).or(.ignore) }", notRun),
      ("try await db.write { db in people.update { $0.age += 1 } }", notRun),
      ("try await db.write { db in people.where { $0.age == 3 }.delete() }", notRun),
      ("try await db.write { db in people.delete().returning { $0.name } }", notRun),
      (
        "try await db.write { db in try people.insert(draft, in: db); return people.delete() }",
        notRun
      ),
      (
        "try await db.write { db in try db.transaction { _ in people.delete() }; return 1 }", notRun
      ),
      ("try await db.write { db in try people.delete().run(in: db) }", nil),
      (
        "let _: [String] = try await db.write { try people.delete().returning { $0.name }.fetchAll(in: $0) }",
        nil
      ),
      ("try await db.write(.exclusive) { db in try people.insert(draft, in: db) }", nil),
      ("try await db.write { db in let change = people.delete(); try change.run(in: db) }", nil),
      ("let _: Int = try await db.read { db in try people.count(in: db) }", nil),
      ("try await db.write { db in try db.transaction { try people.delete().run(in: $0) } }", nil),
      ("try await db.write { _ in }", nil),
    ]

    @Test("a transaction that returns a change that was not run does not compile")
    func notRun() throws {
      let compiler = try #require(Compiler.here)
      let source =
        Self.models + "let draft = Person.Draft(name: \"\", age: 1)\n"
        + Self.transactions.enumerated()
        .map { "func f\($0.offset)(_ db: Database) async throws { \($0.element.body) }" }
        .joined(separator: "\n")
      let first = Self.models.split(separator: "\n", omittingEmptySubsequences: false).count + 1
      var messages: [Int: String] = [:]
      for error in try compiler.errors(in: source) {
        let parts = error.split(separator: ":", maxSplits: 3)
        guard let line = parts.dropFirst().first.flatMap({ Int($0) }) else { continue }
        messages[line - first] = error.components(separatedBy: ": error: ").last ?? error
      }
      for (index, transaction) in Self.transactions.enumerated() {
        #expect(messages[index] == transaction.message, "\(transaction.body)")
      }
    }

    @Test("a meaningless write does not compile, and the error says why")
    func messages() throws {
      let compiler = try #require(Compiler.here)
      let source =
        Self.models
        + Self.mistakes.enumerated().map { "func f\($0.offset)() { _ = \($0.element.write) }" }
        .joined(separator: "\n")
      let first = Self.models.split(separator: "\n", omittingEmptySubsequences: false).count
      var messages: [Int: String] = [:]
      for error in try compiler.errors(in: source) {
        let parts = error.split(separator: ":", maxSplits: 3)
        guard let line = parts.dropFirst().first.flatMap({ Int($0) }) else { continue }
        let message = error.components(separatedBy: ": error: ").last ?? error
        messages[line - first] = messages[line - first] ?? message
      }
      for (index, mistake) in Self.mistakes.enumerated() {
        #expect(messages[index] == mistake.message, "\(mistake.write)")
      }
    }
  }
#endif
