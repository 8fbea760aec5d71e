import Testing

@testable import MiniORM

@Suite("Arguments")
struct ArgumentsTests {
  private static func row(_ sql: SQL, _ arguments: Arguments) async throws -> [DatabaseValue]? {
    let database = try await Database.inMemory()
    let row = try await database.read { try $0.query(sql, arguments).first?.values }
    try await database.close()
    return row
  }

  private static func error(_ sql: SQL, _ arguments: Arguments) async throws -> DatabaseError {
    try await failure { _ = try await row(sql, arguments) }
  }

  @Test("values are given in order")
  func positional() async throws {
    let row = try await Self.row("SELECT ?, ?, ?", [1, nil, "three"])
    #expect(row == [.integer(1), .null, .text("three")])
    #expect(try await Self.row("SELECT ?2, ?1", [1, 2]) == [.integer(2), .integer(1)])
    #expect(try await Self.row("SELECT :a, :b", [1, 2]) == [.integer(1), .integer(2)])
    #expect(try await Self.row("SELECT ?", Arguments([DatabaseValue.blob([1])])) == [.blob([1])])
    #expect(try await Self.row("SELECT ?3, ?3", [1, 2, 3]) == [.integer(3), .integer(3)])
  }

  @Test("values are given by name, with every prefix, also for repeated parameters")
  func named() async throws {
    let row = try await Self.row(
      "SELECT :a, @b, $c, :a", ["a": 1, "b": nil, "c": "three"])
    #expect(row == [.integer(1), .null, .text("three"), .integer(1)])
    let values: [String: any ColumnValue] = ["a": 1, "b": 2.5]
    #expect(try await Self.row("SELECT :b, :a", Arguments(values)) == [.real(2.5), .integer(1)])
    #expect(
      try await Self.row("SELECT :a, @a, $a", ["a": 1]) == [.integer(1), .integer(1), .integer(1)])
    #expect(try await Self.row("SELECT :é", ["é": 1]) == [.integer(1)])
  }

  @Test("a name inside a string literal is not a parameter")
  func quoted() async throws {
    #expect(try await Self.row("SELECT ':a', ?", [1]) == [.text(":a"), .integer(1)])
  }

  static let mismatches: [(SQL, Arguments, String)] = [
    (
      "SELECT ?, ?", [1],
      "The number of values must equal the number of parameters. Values: 1; parameters: 2"
    ),
    (
      "SELECT ?", [1, 2],
      "The number of values must equal the number of parameters. Values: 2; parameters: 1"
    ),
    (
      "SELECT ?", [],
      "The number of values must equal the number of parameters. Values: 0; parameters: 1"
    ),
    (
      "SELECT :a", [],
      "The number of values must equal the number of parameters. Values: 0; parameters: 1"
    ),
    (
      "SELECT 1", [1],
      "The number of values must equal the number of parameters. Values: 1; parameters: 0"
    ),
    (
      "SELECT ?5", [1],
      "The number of values must equal the number of parameters. Values: 1; parameters: 5"
    ),
    (
      "SELECT :a, :b, :c", ["b": 1],
      "No value was given for the parameters a, c: give a value for each"
    ),
    ("SELECT ?, :a", ["a": 1], "No value was given for the parameters ?1: give a value for each"),
    (
      "SELECT :a", ["a": 1, "b": 2],
      "The statement has no parameter named b, or it was given twice: correct the name, and give each value once"
    ),
    (
      "SELECT :a", ["a": 1, "a": 2],
      "The statement has no parameter named a, or it was given twice: correct the name, and give each value once"
    ),
    (
      "SELECT :a", [":a": 1],
      "The statement has no parameter named :a, or it was given twice: correct the name, and give each value once"
    ),
    (
      "SELECT :a", ["A": 1],
      "The statement has no parameter named A, or it was given twice: correct the name, and give each value once"
    ),
    (
      "SELECT \(1), ?", [2],
      "The statement has both interpolated values and arguments: use only interpolation, or only arguments"
    ),
    (
      "SELECT \(1), ?", [],
      "A raw SQL fragment contains a parameter without a value: interpolate the value"
    ),
    (
      "SELECT '\(1)'", [],
      "The place of an interpolated value is inside a comment or a text of the SQL: move it out"
    ),
  ]

  @Test("a missing or surplus value throws, and nothing runs", arguments: mismatches.indices)
  func wrong(index: Int) async throws {
    let (sql, arguments, message) = Self.mismatches[index]
    let error = try await Self.error(sql, arguments)
    #expect(error.facts == ErrorFacts(.bind, .range, message, sql: sql.text))
  }

  @Test(
    "a value that cannot be stored throws, and the error does not contain it",
    arguments: [Double.nan, .signalingNaN])
  func refused(value: Double) async throws {
    let error = try await Self.error("SELECT ?", [value])
    #expect(error.operation == .bind)
    #expect(error.code == .mismatch)
    #expect(error.sql == "SELECT ?")
  }

  @Test(
    "texts and blobs of every size round-trip",
    arguments: [0, 1, 4095, 4096, 4097, 300_000])
  func sizes(count: Int) async throws {
    let text = String(repeating: "x", count: count)
    let blob = [UInt8](repeating: 7, count: count)
    let row = try await Self.row(
      "SELECT ?, ?, ?, ?", [text, DatabaseValue.blob(blob), text + "y", DatabaseValue.blob([])])
    #expect(row == [.text(text), .blob(blob), .text(text + "y"), .blob([])])
  }

  @Test("a statement that runs again has none of its earlier values")
  func again() async throws {
    let database = try await Database.inMemory()
    try await database.read { db in
      for length in [4000, 3, 5000, 0, 4096, 1] {
        let texts = (0..<5).map { String(repeating: "\($0)", count: length) }
        let row = try db.query(
          "SELECT \(texts[0]), \(texts[1]), \(texts[2]), \(texts[3]), \(texts[4])")
        #expect(row.first?.values == texts.map { .text($0) })
      }
      let hits = db.cache?.hits ?? 0
      #expect(hits >= 5)
    }
    try await database.close()
  }
}
