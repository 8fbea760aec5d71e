import Foundation
import Testing

@testable import MiniORM

/// Values parsed and formatted without Foundation, compared with Foundation's results.
@Suite("Dates, UUIDs and JSON without an intermediate String")
struct PlainTextTests {
  private func plainDate(_ text: String) -> Date? {
    var text = text
    return text.withUTF8 { Date(plainText: $0) }
  }

  @Test("the fast path writes and reads a date like the general path", arguments: 0..<8)
  func dates(seed: UInt64) {
    var random = SeededRandom(seed)
    for index in 0..<20_000 {
      let interval: Double =
        switch index % 5 {
        case 0: Double.random(in: -6.3e10...2.5e11, using: &random)
        case 1: (Double.random(in: -1e9...1e9, using: &random) * 1e6).rounded() / 1e6
        case 2: (Double.random(in: -1e9...1e9, using: &random) * 1e3).rounded() / 1e3
        case 3: Double(Int64.random(in: -4_000_000_000...4_000_000_000, using: &random))
        default: Double.random(in: -10...10, using: &random) / 1e6
        }
      let date = Date(timeIntervalSinceReferenceDate: interval)
      if let text = date.plainText { #expect(text == date.iso8601) }
      guard let text = date.iso8601 else { continue }
      #expect(Date(iso8601: text) == date)
      if let plain = plainDate(text) { #expect(plain == date) }
      // With another separator and a time zone.
      let other = text.replacing(" ", with: "T") + "Z"
      if let plain = plainDate(other) { #expect(plain == Date(iso8601: other)) }
    }
  }

  @Test("the dates of applications take the fast path")
  func usualDates() {
    for milliseconds in stride(
      from: -900_000_000_000 as Int64, to: 900_000_000_000, by: 987_654_321)
    {
      let date = Date(timeIntervalSinceReferenceDate: Double(milliseconds) / 1000)
      #expect(date.plainText != nil && date.plainText == date.iso8601)
      #expect(date.plainText.flatMap(plainDate) == date)
    }
  }

  @Test(
    "every day of every kind of year, and the next day after each month",
    arguments: [0, 1, 4, 100, 400, 1582, 1900, 1970, 2000, 2001, 2023, 2024, 9999])
  func days(year: Int) {
    for month in 0...13 {
      for day in 0...32 {
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
        let text =
          String(repeating: "0", count: 4 - "\(year)".count)
          + "\(year)-\(two(month))-\(two(day)) 23:59:59.5"
        #expect(plainDate(text) == Date(iso8601: text), "\(text)")
      }
    }
  }

  @Test(
    "a modified text is read like the general path, or left to it",
    arguments: 0..<4)
  func brokenDates(seed: UInt64) {
    var random = SeededRandom(seed)
    let marks = Array("0123456789-:.TZ+ \0é٣".utf8)
    for _ in 0..<20_000 {
      var text = Array(
        "2026-11-22 07:30:00.125".utf8.prefix(Int.random(in: 15...23, using: &random)))
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let mark = marks[Int.random(in: 0..<marks.count, using: &random)]
        if Bool.random(using: &random) {
          text[Int.random(in: 0..<text.count, using: &random)] = mark
        } else {
          text.append(mark)
        }
      }
      let string = String(decoding: text, as: UTF8.self)
      if let date = plainDate(string) { #expect(date == Date(iso8601: string), "\(string)") }
    }
  }

  @Test("a UUID is written in lower case, and read as by Foundation")
  func uuids() {
    func plain(_ text: String) -> UUID? {
      var text = text
      return text.withUTF8 { UUID(text: $0) }
    }
    var random = SeededRandom(3)
    for _ in 0..<5_000 {
      let uuid = UUID()
      #expect(uuid.text == uuid.uuidString.lowercased())
      #expect(plain(uuid.text) == uuid && plain(uuid.uuidString) == uuid)
      var text = Array(uuid.uuidString.utf8)
      text[Int.random(in: 0..<36, using: &random)] = UInt8.random(in: 0x20...0x7e, using: &random)
      let string = String(decoding: text, as: UTF8.self)
      // Foundation also parses " 7" and "+7" as digits.
      let isHexadecimal = string.wholeMatch(of: /[0-9A-Fa-f-]*/) != nil
      let hasHyphens = string.indices.filter { string[$0] == "-" }.count == 4
      let isUUID = isHexadecimal && hasHyphens
      #expect(plain(string) == (isUUID ? UUID(uuidString: string) : nil), "\(string)")
    }
    for text in [
      "", "-", String(repeating: "a", count: 36), UUID().uuidString + "0",
      String(UUID().uuidString.dropLast()),
    ] {
      #expect(plain(text) == nil)
    }
  }

  private func decoded<Value: Decodable & Equatable>(_ type: Value.Type, _ text: String) -> Value? {
    try? JSONDecoder().decode(type, from: Data(text.utf8))
  }

  private func check<Value: Codable & Equatable>(_ values: Value, _ count: Int) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(values), as: UTF8.self)
    if let plain = PlainJSON.write(values) { #expect(plain == text) }
    if let plain = PlainJSON.read(Value.self, from: text) { #expect(plain == values) }
  }

  @Test("arrays are written and read as by JSONEncoder and JSONDecoder", arguments: 0..<50)
  func arrays(seed: UInt64) throws {
    let texts = HostileText.some(5, seed: seed)
    try check(texts, 5)
    try check(texts.map { "\($0.utf8.count)/é \($0.hashValue)" }, 5)
    #expect(PlainJSON.write(["a/b", "é", ""]) == #"["a/b","é",""]"#)
    var random = SeededRandom(seed)
    let numbers = (0..<8).map { _ in
      Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...63, using: &random)
    }
    try check(numbers, 8)
    try check(numbers.map { Int($0) }, 8)
    try check(numbers.map { $0 % 2 == 0 }, 8)
    try check([0, -1, .max, .min] as [Int64], 4)
    try check([] as [String], 0)
    #expect(PlainJSON.write(1.5) == nil && PlainJSON.read([Double].self, from: "[1]") == nil)
  }

  @Test("a modified text is read as by JSONDecoder, or left to it", arguments: 0..<4)
  func brokenArrays(seed: UInt64) {
    var random = SeededRandom(seed)
    let marks =
      Array(#"[]{},:"\0123456789.-+eE truefalsn"#.utf8) + [0x09, 0x0a, 0x0b, 0x7f, 0x00, 0xc3]
    for start in [#"["a", "bc",""]"#, "[1, 20 ,-3]", "[true,false, true ]", "[]", "[0]"] {
      for _ in 0..<3_000 {
        var text = Array(start.utf8)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          let mark = marks[Int.random(in: 0..<marks.count, using: &random)]
          let place = Int.random(in: 0..<text.count, using: &random)
          if Bool.random(using: &random) {
            text[place] = mark
          } else {
            text.insert(mark, at: place)
          }
        }
        let string = String(decoding: text, as: UTF8.self)
        if let plain = PlainJSON.read([String].self, from: string) {
          #expect(plain == decoded([String].self, string), "\(string)")
        }
        if let plain = PlainJSON.read([Int].self, from: string) {
          #expect(plain == decoded([Int].self, string), "\(string)")
        }
        if let plain = PlainJSON.read([Int64].self, from: string) {
          #expect(plain == decoded([Int64].self, string), "\(string)")
        }
        if let plain = PlainJSON.read([Bool].self, from: string) {
          #expect(plain == decoded([Bool].self, string), "\(string)")
        }
      }
    }
  }
}
