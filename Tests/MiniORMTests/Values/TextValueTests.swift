import Foundation
import Testing

@testable import MiniORM

@Suite("Text and bytes as column values")
struct TextValueTests {
  static let texts = [
    "", " ", "a", "'", "''", "\"", "; DROP TABLE stored --", "'; DROP TABLE stored --",
    "日本語のテキスト", "😀", "👨‍👩‍👧‍👦", "e\u{301}", "é", "\0", "\0a", "a\0", "a\0b\0c", "\u{FEFF}a",
    "\u{10FFFF}", "line\nline\r\n\t", "%_\\", "?1 :name @name $name", "NULL", "1", "1.0",
    String(repeating: "x", count: 4095), String(repeating: "x", count: 4096),
    String(repeating: "é", count: 4097), String(repeating: "🦊", count: 262_144),
  ]

  @Test("text round-trips: quotes, emoji, NUL, Japanese, a megabyte")
  func text() async throws {
    var random = SeededRandom(3)
    let random100 = (0..<100).map { _ in
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        if let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random)) {
          scalars.append(scalar)
        }
      }
      return String(scalars)
    }
    let texts = Self.texts + random100
    // Canonically equivalent texts are == in Swift. The bytes must be equal too.
    #expect(try await stored(texts).map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    #expect(try await stored([nil, "", "a"]) == [nil, "", "a"])
  }

  @Test("SQLite sees the length of the text in bytes, including NUL characters")
  func length() async throws {
    try await withFile { database throws in
      for text in Self.texts {
        let length = try await database.read { db in
          try db.value(Int.self, "SELECT octet_length(\(text))")
        }
        #expect(length == text.utf8.count)
      }
    }
  }

  @Test("bytes round-trip, and no bytes are an empty blob, not NULL")
  func bytes() async throws {
    var random = SeededRandom(4)
    var blobs: [[UInt8]] = [[], [0], [0, 0], [255], Array("text".utf8)]
    for count in [1, 15, 16, 4095, 4096, 4097, 1_048_576] {
      blobs.append((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
    #expect(try await stored(blobs) == blobs)
    #expect(try await stored(blobs.map { Data($0) }) == blobs.map { Data($0) })
    #expect(try await stored([nil, Data(), Data([1])]) == [nil, Data(), Data([1])])
    #expect(try await stored([nil, [UInt8](), [1]]) == [nil, [], [1]])
    // A slice keeps the indices of its base.
    #expect(try await stored([Data([1, 2, 3, 4])[1..<3]]) == [Data([2, 3])])
    #expect(try DatabaseValue(Data()) == .blob([]))
    #expect(try DatabaseValue([UInt8]()) == .blob([]))
    try await withFile { database throws in
      let rows = try await database.read { db in
        try db.query("SELECT typeof(\(Data())) AS data, typeof(\([UInt8]())) AS bytes")
      }
      #expect(rows.map(\.values) == [[.text("blob"), .text("blob")]])
    }
  }

  @Test("text that is not UTF-8 throws, and is not repaired")
  func invalidUTF8() async throws {
    let cases: [SQL] = [
      "CAST(x'ff' AS TEXT)", "CAST(x'61c328' AS TEXT)", "CAST(x'eda080' AS TEXT)",
      "CAST(x'f09f98' AS TEXT)",
    ]
    for sql in cases {
      let error = try await failure { _ = try await read(String.self, sql) }
      #expect(error.summary == "read 20 -.cell -: The text is not valid UTF-8 in column cell")
    }
  }

  @Test("untyped values keep their storage class")
  func untyped() async throws {
    let values: [DatabaseValue] = [
      .null, .integer(.min), .integer(0), .real(0.5), .real(3), .text(""), .text("1"), .blob([]),
      .blob([0, 255]),
    ]
    #expect(try await stored(values) == values)
  }
}
