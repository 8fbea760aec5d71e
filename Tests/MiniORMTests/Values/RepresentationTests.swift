import Foundation
import Testing

@testable import MiniORM

@Suite("Custom column types")
struct RepresentationTests {
  enum Size: String, ColumnValue, CaseIterable { case small, large = "L", none = "" }
  enum Priority: Int8, ColumnValue { case low = -1, high = 127 }

  struct Flags: OptionSet, ColumnValue {
    let rawValue: Int
    static let a = Flags(rawValue: 1)
    static let b = Flags(rawValue: 2)
  }

  struct Celsius: ColumnValue, Equatable {
    var degrees: Double
    init(_ degrees: Double) { self.degrees = degrees }
    static var columnType: ColumnType { .real }
    init(cell: borrowing Cell) throws(DatabaseError) {
      degrees = try Double(cell: cell)
      guard degrees >= -273.15 else { throw cell.invalid("Colder than cold") }
    }
    func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
      guard degrees >= -273.15 else { throw parameter.invalid("Colder than cold") }
      try degrees.bind(to: parameter)
    }
  }

  struct Address: Codable, Equatable, Sendable {
    var street: String
    var numbers: [Int] = []
    var note: String?
  }

  @Test("enumerations with raw values become columns by conformance")
  func enumerations() async throws {
    #expect(try await stored(Size.allCases) == Size.allCases)
    #expect(try await stored([Priority.low, .high]) == [.low, .high])
    #expect(try await stored([nil, Size.none]) == [nil, Size.none])
    #expect(try await stored([Flags.a, [.a, .b], []]) == [.a, [.a, .b], []])
    #expect(try DatabaseValue(Size.large) == .text("L"))
    #expect(try DatabaseValue(Priority.low) == .integer(-1))
    let error = try await failure { _ = try await read(Size.self, "'medium'") }
    #expect(
      error.summary
        == "read 20 -.cell -: The stored value is not a raw value of Size in column cell")
    let range = try await failure { _ = try await read(Priority.self, "128") }
    #expect(
      range.summary == "read 20 -.cell -: The integer is out of the range of Int8 in column cell")
  }

  @Test("a custom type reads and binds itself")
  func own() async throws {
    #expect(try await stored([Celsius(20.5), Celsius(0)]) == [Celsius(20.5), Celsius(0)])
    #expect(try await stored([nil, Celsius(1)]) == [nil, Celsius(1)])
    let read = try await failure { _ = try await MiniORMTests.read(Celsius.self, "-300.0") }
    #expect(read.summary == "read 20 -.cell -: Colder than cold in column cell")
    let bind = #expect(throws: DatabaseError.self) { try DatabaseValue(Celsius(-300)) }
    #expect(bind?.summary == "bind 20 -.- -: Colder than cold")
  }

  @Test("Codable values are JSON text with sorted keys")
  func json() async throws {
    let values = [
      Address(street: "'; DROP TABLE x --"), Address(street: "日本\0😀", numbers: [1, 2], note: "n"),
    ]
    #expect(try await stored(values.map { JSON($0) }).map(\.value) == values)
    #expect(
      try DatabaseValue(JSON(Address(street: "a/b", numbers: [1], note: "x")))
        == .text(#"{"note":"x","numbers":[1],"street":"a/b"}"#))
    #expect(try DatabaseValue(JSON([String]())) == .text("[]"))
    #expect(try DatabaseValue(JSON(5)) == .text("5"))
    #expect(try DatabaseValue(Optional<JSON<[Int]>>(nil as [Int]?)) == .null)
  }

  @Test(
    "a value that cannot be decoded throws an error with its column",
    arguments: ["", "{", "[1]", "null", "\0"])
  func undecodable(text: String) async throws {
    let error = try await failure { _ = try await read(JSON<Address>.self, "\(text)") }
    #expect(
      error.summary == "read 20 -.cell -: The text is not valid JSON for Address in column cell")
  }

  @Test("a value that cannot be encoded throws")
  func unencodable() throws {
    let error = #expect(throws: DatabaseError.self) { try DatabaseValue(JSON(Double.nan)) }
    #expect(
      error?.summary
        == "bind 20 -.- -: The value of type Double cannot be encoded as JSON: numbers must be finite, and encode(to:) must not throw"
    )
  }
}
