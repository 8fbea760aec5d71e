import Foundation
import Synchronization
import Testing

@testable import MiniORM

private let initials = SQLFunction("initials", deterministic: true, innocuous: true) {
  (name: String) in String(name.split(separator: " ").compactMap(\.first))
}
private let joined = SQLVariadicFunction("joined") { values in
  values.map { "\($0)" }.joined(separator: "|")
}
private let weighted = SQLFunction("weighted") { (score: Double?, age: Int, name: String) in
  score.map { $0 * Double(age) + Double(name.count) }
}
private let constant = SQLFunction("a \"name\"; --") { Int64(42) }

private struct Refused: Error, CustomStringConvertible { var description = "not\0 today" }
private struct Localized: LocalizedError { var errorDescription: String? { "No such street" } }

/// Counts live instances.
private final class Counted: Sendable {
  static let alive = Mutex(0)
  init() { Self.alive.withLock { $0 += 1 } }
  deinit { Self.alive.withLock { $0 -= 1 } }
}

private func configured(
  _ functions: [any SQLFunctionProtocol], _ collations: [Collation] = []
) -> Configuration {
  var configuration = Configuration()
  configuration.functions = functions
  configuration.collations = collations
  return configuration
}

/// Runs a test on a file with some people, with functions.
private func withPeople(
  _ functions: [any SQLFunctionProtocol], _ body: (Database, Table<Person>) async throws -> Void
) async throws {
  try await withTemporaryDatabase(configuration: configured(functions)) { database throws in
    try await database.migrate(DatabaseSchema(Person.self))
    try await Table<Person>().insert(contentsOf: Person.some, in: database)
    try await body(database, Table<Person>())
  }
}

@Suite("SQL functions written in Swift")
struct SQLFunctionTests {
  @Test("an index needs a function that is declared deterministic")
  func deterministic() async throws {
    try await withPeople([initials, joined]) { database, people throws in
      try await database.write { db in
        try db.execute("CREATE INDEX good ON person(initials(name))")
      }
      let error = try await failure {
        try await database.write { try $0.execute("CREATE INDEX bad ON person(joined(name))") }
      }
      // Later versions of SQLite check first whether the function is innocuous.
      let messages = [
        "non-deterministic functions prohibited in index expressions", "unsafe use of joined()",
      ]
      #expect(messages.contains(error.message))
    }
    // An innocuous function passes that check.
    let other = SQLFunction("other", innocuous: true) { (name: String) in name }
    try await withPeople([other]) { database, _ throws in
      let error = try await failure {
        try await database.write { try $0.execute("CREATE INDEX bad ON person(other(name))") }
      }
      #expect(error.message == "non-deterministic functions prohibited in index expressions")
    }
  }

  @Test("a typed function is called as an expression, and by name")
  func typed() async throws {
    try await withPeople([initials, weighted, constant]) { database, people throws in
      let query = people.where { initials($0.name) == "A" }
      #expect(
        query.sql.text == people.sql.text + #" WHERE ("initials"("person"."name") = ?)"#)
      #expect(try query.sql.values == [.text("A")])
      #expect(try await query.fetchAll(in: database).map(\.name) == ["Ada"])

      let several = people.where { weighted($0.score, $0.age, $0.name) > 300 }
      #expect(
        several.sql.text
          == people.sql.text
          + #" WHERE ("weighted"("person"."score", "person"."age", "person"."name") > ?)"#)
      #expect(try await several.fetchAll(in: database).map(\.id) == [1, 5])

      let odd = people.where { $0.id * 14 == constant() }
      #expect(try await odd.fetchAll(in: database).map(\.id) == [3])
      #expect(
        try await database.values("SELECT INITIALS('Ada Lovelace') || initials(name) FROM person")
          == ["ALA", "ALB", "ALC", "ALD", "ALE"].map { .text($0) })
    }
  }

  @Test("a variadic function takes every storage class")
  func variadic() async throws {
    try await withPeople([joined]) { database, people throws in
      let values = try await database.read { db in
        try db.query("SELECT joined(), joined(1), joined(NULL, 1.5, 'a', x'', x'00ff', \("x\0y"))")
          .flatMap(\.values)
      }
      #expect(
        values == [
          .text(""), .text("1"),
          .text("NULL|1.5|'a'|x''|x'00ff'|'x\0y'"),
        ])
      let query = people.where { joined($0.id, $0.nickname) == "2|NULL" }
      #expect(
        query.sql.text
          == people.sql.text + #" WHERE ("joined"("person"."id", "person"."nickname") = ?)"#)
      #expect(try await query.fetchAll(in: database).map(\.id) == [2])
    }
  }

  static let values: [DatabaseValue] = [
    .null, .integer(.min), .real(.infinity), .real(1.5), .text(""), .text("x\0y"), .text("長é👩‍👩‍👧"),
    .blob([]), .blob([0, 1, 0]), .blob([UInt8](repeating: 7, count: 100_000)),
  ]

  @Test("every value round-trips through a function", arguments: values)
  func identity(value: DatabaseValue) async throws {
    let same = SQLFunction("same") { (value: DatabaseValue) in value }
    try await withTemporaryDatabase(configuration: configured([same])) { database throws in
      let found = try await database.read { db throws in
        try db.value(DatabaseValue.self, "SELECT same(\(value))")
      }
      #expect(found == value)
    }
  }

  @Test("x REGEXP y calls a function named regexp")
  func regexp() async throws {
    let regexp = SQLFunction("regexp", deterministic: true) { (pattern: String, text: String) in
      try text.firstMatch(of: Regex(pattern)) != nil
    }
    try await withPeople([regexp]) { database, people throws in
      let query = people.where(sql: "name REGEXP \("^[AB].*[ab]$")").order { $0.id }
      #expect(try await query.fetchAll(in: database).map(\.name) == ["Ada", "Bob"])
    }
    try await withPeople([]) { database, people throws in
      let error = try await failure {
        try await people.where(sql: "name REGEXP \("a")").fetchAll(in: database)
      }
      #expect(error.summary == "prepare 1 -.- -: no such function: REGEXP")
    }
  }

  @Test("an aggregate computes over groups, over windows and over no rows")
  func aggregates() async throws {
    let product = SQLAggregate("product", initial: 1) { (total: inout Int, age: Int) in
      total *= age
    } result: {
      $0
    }
    let moving = SQLAggregate("moving", initial: [Int]()) { (rows: inout [Int], age: Int) in
      rows.append(age)
    } inverse: { rows, _ in
      rows.removeFirst()
    } result: { rows in
      rows.map { "\($0)" }.joined(separator: "+")
    }
    try await withPeople([product, moving]) { database, people throws in
      let ages = SQL("SELECT \(product(Person.columns.age)) FROM person")
      #expect(ages.text == #"SELECT "product"("person"."age") FROM person"#)
      #expect(try await database.values(ages) == [.integer(36 * 20 * 20 * 65 * 41)])
      #expect(
        try await database.values("SELECT product(age) FROM person GROUP BY isActive ORDER BY 1")
          == [.integer(1300), .integer(29520)])
      #expect(
        try await database.values("SELECT product(age) FROM person WHERE id > 9") == [.integer(1)])
      #expect(
        try await database.values(
          "SELECT product(DISTINCT age) FILTER (WHERE age < 40) FROM person") == [.integer(720)])
      let c = Person.columns
      try await expect(
        people.select {
          (
            product($0.age, distinct: true, filter: $0.age < 40),
            product($0.age, filter: $0.isActive)
          )
        },
        #"""
        SELECT "product"(DISTINCT "person"."age") FILTER (WHERE ("person"."age" < ?)),
          "product"("person"."age") FILTER (WHERE ("person"."isActive" = 1))
        FROM "person"
        """#,
        [.integer(40)], rows: [(720, 29520)], in: database)
      try await database.expect(
        moving(c.age, filter: c.id > 1).over(orderBy: c.id, frame: .rows(.preceding(1))),
        #""moving"("person"."age") FILTER (WHERE ("person"."id" > ?)) OVER "#
          + #"(ORDER BY "person"."id" ROWS BETWEEN ? PRECEDING AND CURRENT ROW)"#,
        ["", "20", "20+20", "20+65", "65+41"], binding: [.integer(1), .integer(1)])
      #expect(
        try await database.values("SELECT moving(age) FROM person") == [.text("36+20+20+65+41")])
      #expect(
        try await database.values(
          """
          SELECT moving(age) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
          FROM person
          """) == ["36", "36+20", "20+20", "20+65", "65+41"].map { .text($0) })
      let error = try await failure {
        try await database.values("SELECT product(age) OVER () FROM person")
      }
      #expect(
        error.summary == "prepare 1 -.- -: product() may not be used as a window function")
    }
  }

  @Test("the statement's error has the message that a function throws")
  func throwing() async throws {
    let refuse = SQLFunction("refuse") { (_: Int) throws -> Int in throw Refused() }
    let localized = SQLFunction("localized") { () throws -> Int in throw Localized() }
    let own = SQLFunction("own") { () throws -> Int in
      throw DatabaseError(.read, code: .inputOutput, "The sensor is gone")
    }
    let nan = SQLFunction("nan") { Double.nan }
    let sum = SQLAggregate("strict", initial: 0) { (total: inout Int, value: Int) in
      guard value < 60 else { throw Localized() }
      total += value
    } result: { total in
      guard total < 60 else { throw Refused() }
      return total
    }
    try await withPeople([refuse, localized, own, nan, sum, initials]) { database, people throws in
      let cases: [(SQL, ResultCode, String)] = [
        ("SELECT refuse(1)", .error, "not\u{FFFD} today"),
        ("SELECT localized()", .error, "No such street"),
        ("SELECT own()", .inputOutput, "The sensor is gone"),
        (
          "SELECT nan()", .mismatch,
          "nan: NaN cannot be stored: SQLite would turn it into NULL. "
            + "Use an Optional for a missing number"
        ),
        (
          "SELECT initials(1)", .mismatch,
          "initials: Expected TEXT but found INTEGER in the 1st argument"
        ),
        (
          "SELECT initials(NULL)", .mismatch,
          "initials: Expected TEXT but found NULL in the 1st argument"
        ),
        (
          "SELECT initials(x'')", .mismatch,
          "initials: Expected TEXT but found BLOB in the 1st argument"
        ),
        (
          "SELECT initials(\(1))", .mismatch,
          "initials: Expected TEXT but found INTEGER in the 1st argument"
        ),
        (
          "SELECT strict(name) FROM person", .mismatch,
          "strict: Expected INTEGER but found TEXT in the 1st argument"
        ),
        ("SELECT strict(age) FROM person", .error, "No such street"),
        ("SELECT strict(age) FROM person WHERE age < 60", .error, "not\u{FFFD} today"),
      ]
      for (sql, code, message) in cases {
        let error = try await failure { try await database.values(sql) }
        #expect(error.facts == ErrorFacts(.step, code, message, sql: sql.text))
      }
      let wrong = try await failure { try await database.values("SELECT initials()") }
      #expect(
        wrong.facts
          == ErrorFacts(
            .prepare, .error, "wrong number of arguments to function initials()",
            sql: "SELECT initials()", offset: 7))
      // The error rolls back the statement but not the transaction.
      try await database.write { db throws in
        try db.execute("UPDATE person SET age = 1 WHERE id = 1")
        #expect(throws: DatabaseError.self) {
          try db.execute("UPDATE person SET age = own() WHERE id = 2")
        }
      }
      #expect(try await people.find(1, in: database)?.age == 1)
    }
  }

  @Test("a DatabaseError thrown by a function keeps its code, table and column")
  func thrownCodes() async throws {
    let codes: [ResultCode] = [
      .full, .busy, .interrupt, .constraintUnique, .corrupt, .mismatch, .notADatabase, .locked,
    ]
    let refuse = SQLFunction("refuse") { (index: Int) throws -> Int in
      throw DatabaseError(
        .read, code: codes[index], "Refused \(index)", table: "sensor", column: "value",
        rowType: "Sensor")
    }
    let any = SQLVariadicFunction("any") { _ throws -> Int in
      throw DatabaseError(.read, code: .full, "No room")
    }
    let step = SQLAggregate("step", initial: 0) { (_: inout Int, value: Int) throws in
      throw DatabaseError(.read, code: .busy, "Busy at \(value)")
    } result: {
      $0
    }
    let last = SQLAggregate("last", initial: 0) { (state: inout Int, value: Int) in
      state = value
    } result: { _ throws -> Int in
      throw DatabaseError(.read, code: .inputOutput, "At last")
    }
    let window = SQLAggregate("windowed", initial: 0) { (state: inout Int, value: Int) in
      state += value
    } inverse: { (_: inout Int, _: Int) throws in
      throw DatabaseError(.read, code: .cannotOpen, "No way back")
    } result: {
      $0
    }
    try await withPeople([refuse, any, step, last, window]) { database, people throws in
      for (index, code) in codes.enumerated() {
        for sql in ["SELECT refuse(\(index))", "SELECT refuse(\(index)) FROM person"] as [SQL] {
          let error = try await failure { try await database.values(sql) }
          #expect(error.code == code)
          #expect(error.operation == .step)
          #expect(error.table == "sensor" && error.column == "value" && error.rowType == "Sensor")
          #expect(error.sql == sql.text)
          #expect(error.message == "Refused …")
        }
      }
      let cases: [(SQL, ResultCode, String)] = [
        ("SELECT any(1, 2, 3)", .full, "No room"),
        ("SELECT step(id) FROM person WHERE id = 3", .busy, "Busy at 3"),
        ("SELECT last(id) FROM person", .inputOutput, "At last"),
        (
          "SELECT windowed(id) OVER (ORDER BY id ROWS 1 PRECEDING) FROM person", .cannotOpen,
          "No way back"
        ),
      ]
      for (sql, code, message) in cases {
        let error = try await failure { try await database.values(sql) }
        #expect(error.facts == ErrorFacts(.step, code, message, sql: sql.text))
        // Scripts and typed queries report the same error.
        let script = try await failure {
          try await database.write { db throws in try db.execute(script: sql.text) }
        }
        #expect(script.facts == error.facts)
      }
      let typed = try await failure {
        try await people.select { any($0.id) }.fetchAll(in: database)
      }
      #expect(typed.code == .full)
      // With a code that would make SQLite roll back, only the statement is rolled back. A later
      // failure reports its own error.
      try await database.write { db throws in
        try db.execute("UPDATE person SET age = 1 WHERE id = 1")
        let error = #expect(throws: DatabaseError.self) {
          try db.execute("UPDATE person SET age = any() WHERE id = 2")
        }
        #expect(error?.code == .full)
        let other = #expect(throws: DatabaseError.self) {
          try db.execute("INSERT INTO person (id, name) VALUES (1, 'x')")
        }
        #expect(other?.code.primary == .constraint)
      }
      #expect(try await people.find(1, in: database)?.age == 1)
    }
  }

  @Test("a bound value quoted in a function's error is hidden")
  func hidden() async throws {
    let quoting = SQLFunction("quoting") { (text: String) throws -> Int in
      throw DatabaseError(.read, "Cannot parse \(text)")
    }
    try await withTemporaryDatabase(configuration: configured([quoting])) { database throws in
      let error = try await failure {
        try await database.values("SELECT quoting(\("secret"))")
      }
      #expect(error.summary == "step 1 -.- -: Cannot parse …")
    }
  }

  @Test("CHECK, indexes and generated columns need an innocuous function")
  func schemas() async throws {
    let plain = SQLFunction("plain", deterministic: true) { (name: String) in name }
    try await withTemporaryDatabase(configuration: configured([initials, plain])) {
      database throws in
      try await database.write { db throws in
        try db.execute(
          """
          CREATE TABLE t(
            name TEXT CHECK (initials(name) <> 'X'), short AS (initials(name)))
          """)
        try db.execute("CREATE INDEX i ON t(initials(name))")
        try db.execute("INSERT INTO t VALUES ('Ada Lovelace')")
        #expect(try db.value(String.self, "SELECT short FROM t") == "AL")
        let check = #expect(throws: DatabaseError.self) {
          try db.execute("INSERT INTO t VALUES ('Xi')")
        }
        #expect(check?.code == .constraintCheck)
      }
      for sql: SQL in [
        "CREATE TABLE u(name TEXT CHECK (plain(name) <> 'X'))", "CREATE INDEX j ON t(plain(name))",
        "CREATE TABLE u(name, other AS (plain(name)))",
      ] {
        let error = try await failure {
          try await database.write { db in
            try db.execute(sql)
            try db.execute("INSERT INTO u(name) VALUES ('Ada')")
          }
        }
        #expect(error.message == "unsafe use of plain()")
      }
    }
  }

  @Test("writer, readers and connections reopened with another key have the functions")
  func everyConnection() async throws {
    let numeric = Collation("numeric") { $0.compare($1, options: .numeric) }
    let configuration = configured([initials], [numeric])
    try await withTemporaryDatabase(configuration: configuration) { database throws in
      let sql: SQL = """
        SELECT column1 FROM (VALUES ('a10'), ('b9'), ('a9'))
        WHERE initials(column1) <> '' ORDER BY column1 COLLATE numeric
        """
      let expected: [DatabaseValue] = ["a9", "a10", "b9"].map { .text($0) }
      for _ in 0..<2 {
        #expect(try await database.values(sql) == expected)
        let written = try await database.write { db in try db.query(sql).map(\.values[0]) }
        #expect(written == expected)
        try await database.changeKey(to: .raw(testKeyBytes.reversed()))
      }
    }
  }

  @Test("functions and collations are released with the connections")
  func release() async throws {
    try await withTemporaryPath { path throws in
      func use() async throws {
        let counted = Counted()
        let function = SQLFunction("f") { withExtendedLifetime(counted) { 1 } }
        let aggregate = SQLAggregate("g", initial: Counted()) { (_: inout Counted, value: Int) in
          if value == 3 { throw Refused() }
        } inverse: { _, _ in
        } result: { _ in
          1
        }
        let collation = Collation("c") { left, right in
          withExtendedLifetime(counted) { left.compare(right) }
        }
        let database = try await Database(
          path: path, key: .raw(testKeyBytes),
          configuration: configured([function, aggregate], [collation]))
        #expect(Counted.alive.withLock { $0 } == 1)
        for sql: SQL in [
          "SELECT f()", "SELECT g(column1) FROM (VALUES (1), (2))", "SELECT g(1) WHERE 0",
          "SELECT g(column1) FROM (VALUES (1), (3), (4))",
          "SELECT g(column1) OVER (ROWS 1 PRECEDING) FROM (VALUES (1), (2), (5))",
          "SELECT g(column1) OVER (ROWS 1 PRECEDING) FROM (VALUES (1), (3), (5))",
          "SELECT 'a' < 'b' COLLATE c",
        ] {
          _ = try? await database.values(sql)
          #expect(Counted.alive.withLock { $0 } == 1)
        }
        // The statement stops between two rows.
        try await database.read { db throws in
          let statement = try db.statement(
            "SELECT g(column1) OVER (ROWS 1 PRECEDING) FROM (VALUES (1), (2), (5))")
          #expect(try statement.step())
        }
        #expect(Counted.alive.withLock { $0 } == 1)
        try await database.changeKey(to: .raw(testKeyBytes))
        #expect(Counted.alive.withLock { $0 } == 1)
        try await database.close()
      }
      try await use()
      #expect(Counted.alive.withLock { $0 } == 0)
    }
  }

  @Test(
    "an invalid or repeated name is refused when the database opens",
    arguments: [
      (
        [SQLFunction("f") { 1 }, SQLFunction("F") { 2 }], [],
        "Two functions are named F, with the same number of arguments (0): rename one of them"
      ),
      (
        [SQLVariadicFunction("f") { _ in 1 }, SQLVariadicFunction("f") { _ in 1 }], [],
        "Two functions are named f, with the same number of arguments (any number): rename one of them"
      ),
      (
        [SQLFunction("") { 1 }], [],
        "The name of a function must have 1 to 255 bytes of UTF-8 and no NUL character: rename the function"
      ),
      (
        [SQLFunction("a\0b") { 1 }], [],
        "The name of a function must have 1 to 255 bytes of UTF-8 and no NUL character: rename the function"
      ),
      (
        [SQLFunction(String(repeating: "é", count: 128)) { 1 }], [],
        "The name of a function must have 1 to 255 bytes of UTF-8 and no NUL character: rename the function"
      ),
      (
        [], [Collation("c") { _, _ in .orderedSame }, Collation("C") { _, _ in .orderedSame }],
        "A collation named C exists already: choose another name"
      ),
      (
        [], [Collation("NoCase") { _, _ in .orderedSame }],
        "A collation named NoCase exists already: choose another name"
      ),
      (
        [], [.nocase, Collation("unicase")],
        "The collation \"unicase\" has no comparison: write Collation(\"unicase\") { left, right in … } in Configuration.collations"
      ),
      (
        [], [Collation("\0") { _, _ in .orderedSame }],
        "The name of a collation must have 1 to 255 bytes of UTF-8 and no NUL character: rename the collation"
      ),
    ] as [([any SQLFunctionProtocol], [Collation], String)])
  func names(functions: [any SQLFunctionProtocol], collations: [Collation], message: String)
    async throws
  {
    try await withTemporaryPath { path throws in
      let error = try await failure {
        try await Database(
          path: path, key: .raw(testKeyBytes), configuration: configured(functions, collations))
      }
      #expect(error.facts == ErrorFacts(.configure, .misuse, message, path: path))
    }
  }

  @Test("one name may take several numbers of arguments, and replace a built-in function")
  func overloads() async throws {
    let functions: [any SQLFunctionProtocol] = [
      SQLFunction("f") { 0 }, SQLFunction("f") { (_: Int) in 1 },
      SQLVariadicFunction("f") { $0.count },
      SQLFunction("upper") { (text: String) in "<\(text)>" },
    ]
    try await withTemporaryDatabase(configuration: configured(functions)) { database throws in
      let values = try await database.read { db in
        try db.query("SELECT f(), f(5), f(5, 6), f('a', 'b', 'c'), upper('a')")
      }
      #expect(
        values.map(\.values) == [
          [.integer(0), .integer(1), .integer(2), .integer(3), .text("<a>")]
        ])
    }
  }
}
