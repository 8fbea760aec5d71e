import Foundation
import Testing

@testable import MiniORM

@Suite("UUID, URL and Decimal as column values")
struct FoundationValueTests {
  @Test("UUIDs round-trip as text and as bytes")
  func uuids() async throws {
    let known = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    let zero = try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000000"))
    let uuids = [known, zero] + (0..<20).map { _ in UUID() }
    #expect(try await stored(uuids) == uuids)
    #expect(try await stored([nil, known]) == [nil, known])
    #expect(try await stored(uuids.map { UUIDBytes($0) }).map(\.value) == uuids)
    #expect(try DatabaseValue(known, as: .text) == .text("e621e1f8-c36c-495a-93fc-0c247a3e6e5f"))
    #expect(
      try DatabaseValue(UUIDBytes(known))
        == .blob([
          0xE6, 0x21, 0xE1, 0xF8, 0xC3, 0x6C, 0x49, 0x5A, 0x93, 0xFC, 0x0C, 0x24, 0x7A, 0x3E,
          0x6E, 0x5F,
        ]))
    #expect(try await read(UUID.self, "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'") == known)
  }

  @Test(
    "a text that is not a UUID throws",
    arguments: ["", "e621e1f8", "e621e1f8-c36c-495a-93fc-0c247a3e6e5", "not a uuid", "\0"])
  func malformedUUID(text: String) async throws {
    let error = try await failure { _ = try await read(UUID.self, "\(text)") }
    #expect(error.summary == "read 20 -.cell -: The text is not a UUID in column cell")
  }

  @Test("a blob of another size than 16 bytes is not a UUID", arguments: [0, 15, 17])
  func malformedUUIDBytes(count: Int) async throws {
    let bytes = [UInt8](repeating: 1, count: count)
    let error = try await failure { _ = try await read(UUIDBytes.self, "\(bytes)") }
    #expect(error.summary == "read 20 -.cell -: Expected 16 bytes for a UUID in column cell")
  }

  @Test("URLs round-trip; an empty text is not a URL")
  func urls() async throws {
    let texts = [
      "https://example.com/", "https://example.com/a%20b?q=%E6%97%A5#f", "file:///data/a",
      "mailto:a@example.com", "relative/path", "https://user:secret@example.com:8080/",
    ]
    let urls = try texts.map { try #require(URL(string: $0)) }
    #expect(try await stored(urls) == urls)
    #expect(try await stored([nil, urls[0]]) == [nil, urls[0]])
    let base = try #require(URL(string: "https://example.com/a/"))
    let relative = try #require(URL(string: "b", relativeTo: base))
    #expect(try DatabaseValue(relative) == .text("https://example.com/a/b"))
    let error = try await failure { _ = try await read(URL.self, "''") }
    #expect(error.summary == "read 20 -.cell -: The text is not a URL in column cell")
  }

  @Test("decimals keep every digit")
  func decimals() async throws {
    var random = SeededRandom(8)
    let texts = [
      "0", "1", "-1", "0.1", "0.10", "-0.000001", "3.14159265358979323846264338327950288419",
      "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999",
      "0.00000000000000000000000000000000000001", "123456789.987654321", "100000000000",
    ]
    var values = try texts.map { try #require(Decimal(string: $0)) }
    values += [.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi]
    for _ in 0..<300 {
      let mantissa = Decimal(UInt64.random(in: 0 ... .max, using: &random))
      let exponent = Int.random(in: -60...60, using: &random)
      values.append(
        Decimal(
          sign: Bool.random(using: &random) ? .plus : .minus, exponent: exponent,
          significand: mantissa))
    }
    let all = values
    #expect(try await stored(all) == all)
    #expect(try await stored([nil, all[3]]) == [nil, all[3]])
    #expect(
      try DatabaseValue(all[6], as: .text) == .text("3.14159265358979323846264338327950288419"))
  }

  @Test("Decimal's NaN is refused")
  func decimalNaN() throws {
    let error = #expect(throws: DatabaseError.self) { try DatabaseValue(Decimal.nan, as: .text) }
    #expect(
      error?.summary
        == "bind 20 -.- -: Decimal.nan cannot be stored: use an Optional for a missing number")
  }

  @Test("common spellings of a decimal are read")
  func decimalForms() async throws {
    let forms = [
      "1.50": "1.5", "+2": "2", ".5": "0.5", "5.": "5", "1e3": "1000", "1E-3": "0.001",
      "-1.5e+2": "-150", "007": "7", "000000000000000000000000000000000000000000001": "1",
    ]
    for (text, number) in forms {
      let value = try await read(Decimal.self, "\(text)")
      #expect(value == Decimal(string: number), "\(text)")
    }
  }

  @Test(
    "a text that is not a decimal number, or exceeds a Decimal, throws",
    arguments: [
      "", "abc", "1abc", "1,5", "1.2.3", "--1", "1e", "e1", ".", "-", "0x10", " 1", "1 ", "NaN",
      "inf", "1\0", "１", "1e200", "1e-200", "1e99999999999999999999",
      "1234567890123456789012345678901234567890123456789",
      "0.1234567890123456789012345678901234567890123456789",
    ])
  func malformedDecimal(text: String) async throws {
    let error = try await failure { _ = try await read(Decimal.self, "\(text)") }
    #expect(
      error.summary
        == "read 20 -.cell -: The text is not a decimal number, or has more digits than a Decimal "
        + "in column cell")
  }
}
