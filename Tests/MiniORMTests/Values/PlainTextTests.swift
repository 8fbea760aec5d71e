import Foundation
import Testing

@testable import MiniORM

/// Values parsed and formatted without Foundation, compared with Foundation's results.
@Suite("Texts of dates, UUIDs and JSON")
struct PlainTextTests {
  /// Reads a text with more than three decimals by arithmetic on integers.
  private func interval(_ whole: Int64, _ decimals: String) -> Double? {
    var (units, scale) = (Int128(whole), 0)
    for digit in decimals {
      (units, scale) = (units * 10 + Int128(digit.wholeNumberValue ?? 0), scale + 1)
    }
    let digits = "\(units.magnitude)"
    let padded = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
    return Double("\(units < 0 ? "-" : "")\(padded.dropLast(scale)).\(padded.suffix(scale))")
  }

  @Test("a date is written with the decimals that identify it", arguments: 0..<8)
  func dates(seed: UInt64) throws {
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
      let text = try #require(date.iso8601)
      #expect(Date(iso8601: text) == date)
      #expect(Date(iso8601: text.replacing(" ", with: "T") + "Z") == date)
      let decimals = String(text.dropFirst(20))
      let whole = Int64(interval.rounded(.down))
      if decimals.count > 3, decimals.count < 20 {
        #expect(self.interval(whole, decimals) == interval)
      } else if decimals.count == 3, let rest = Double(decimals) {
        let milliseconds = Double((whole + 978_307_200) * 1000) + rest
        #expect(Date(timeIntervalSince1970: milliseconds / 1000) == date)
      }
    }
  }

  @Test("decimals are read as the nearest date", arguments: 4...18)
  func decimals(count: Int) {
    var random = SeededRandom(UInt64(count))
    for _ in 0..<2_000 {
      let whole = Int64.random(in: -63_000_000_000...252_000_000_000, using: &random)
      let decimals = (0..<count).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
      let start = Date(timeIntervalSinceReferenceDate: Double(whole))
      let date = start.iso8601.map { $0.dropLast(3) + decimals }.flatMap {
        Date(iso8601: String($0))
      }
      #expect(date?.timeIntervalSinceReferenceDate == interval(whole, decimals))
    }
  }

  @Test(
    "every day of every kind of year is read as by SQLite",
    arguments: [0, 1, 4, 100, 400, 1582, 1900, 1970, 2000, 2001, 2023, 2024, 9999])
  func days(year: Int) async throws {
    let texts = (0...13).flatMap { month in
      (0...32).map { day in
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
        return String(repeating: "0", count: 4 - "\(year)".count)
          + "\(year)-\(two(month))-\(two(day)) 23:59:59.5"
      }
    }
    try await withFile { database throws in
      let known = try await database.read { db in
        // SQLite reads 30 February as 2 March.
        try texts.map { text in
          try db.value(
            Double?.self,
            "SELECT iif(date(\(text)) = substr(\(text), 1, 10), unixepoch(\(text), 'subsec'), NULL)"
          ) ?? nil
        }
      }
      #expect(texts.map { Date(iso8601: $0)?.timeIntervalSince1970 } == known)
    }
  }

  @Test("a modified text is read as by SQLite, or refused", arguments: 0..<4)
  func brokenDates(seed: UInt64) async throws {
    var random = SeededRandom(seed)
    let marks = Array("0123456789-:.TZ+ \0é٣".utf8)
    var read: [(text: String, date: Date)] = []
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
      if let date = Date(iso8601: string) { read.append((string, date)) }
    }
    #expect(read.count > 1000)
    let texts = read.map(\.text)
    try await withFile { database throws in
      let known = try await database.read { db in
        try texts.map { try db.value(Double?.self, "SELECT unixepoch(\($0), 'subsec')") ?? nil }
      }
      for (index, seconds) in known.enumerated() {
        let (text, date) = read[index]
        #expect(abs(date.timeIntervalSince1970 - (seconds ?? .infinity)) < 0.002, "\(text)")
      }
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
