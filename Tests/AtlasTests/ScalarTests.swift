import MiniORM
import Testing

@testable import Atlas

@Suite("A scalar's row")
struct ScalarTests {
  @Test(
    "A scalar's properties become a row",
    arguments: [
      Scalar(
        codePoint: 0x2603, name: "SNOWMAN", category: .otherSymbol,
        age: UnicodeVersion(major: 1, minor: 1), numericValue: nil, isEmoji: true),
      Scalar(
        codePoint: 0x41, name: "LATIN CAPITAL LETTER A", category: .uppercaseLetter,
        age: UnicodeVersion(major: 1, minor: 1), numericValue: nil, lowercase: "a"),
      Scalar(
        codePoint: 0xDF, name: "LATIN SMALL LETTER SHARP S", category: .lowercaseLetter,
        age: UnicodeVersion(major: 1, minor: 1), numericValue: nil, uppercase: "SS",
        titlecase: "Ss"),
      Scalar(
        codePoint: 0xBD, name: "VULGAR FRACTION ONE HALF", category: .otherNumber,
        age: UnicodeVersion(major: 1, minor: 1), numericValue: 0.5),
      Scalar(
        codePoint: 0, name: nil, category: .control, age: UnicodeVersion(major: 1, minor: 1),
        numericValue: nil),
      Scalar(
        codePoint: 0xE000, name: nil, category: .privateUse,
        age: UnicodeVersion(major: 1, minor: 1), numericValue: nil),
      Scalar(
        codePoint: 0x4E00, name: "CJK UNIFIED IDEOGRAPH-4E00", category: .otherLetter,
        age: UnicodeVersion(major: 1, minor: 1), numericValue: 1),
      Scalar(
        codePoint: 0xAC00, name: "HANGUL SYLLABLE GA", category: .otherLetter,
        age: UnicodeVersion(major: 2, minor: 0), numericValue: nil),
    ])
  func row(expected: Scalar) {
    #expect(Scalar(assigned: expected.codePoint) == expected)
  }

  @Test(
    "A surrogate, a noncharacter, an unassigned code point and one beyond the last have no row",
    arguments: [0xD800, 0xDFFF, 0xFFFF, 0x378, 0x110000] as [UInt32])
  func none(codePoint: UInt32) {
    #expect(Scalar(assigned: codePoint) == nil)
  }

  @Test(
    "What would disturb a terminal is not printed",
    arguments: [
      (0x41, "A"), (0x301, "\u{25CC}\u{301}"), (0x1B, ""), (0x202E, ""), (0xE000, ""), (0x2028, ""),
    ] as [(UInt32, String)])
  func glyph(codePoint: UInt32, glyph: String) {
    #expect(Scalar(assigned: codePoint)?.glyph == glyph)
  }

  @Test("A version is stored so that versions compare as numbers do")
  func version() throws {
    let version = UnicodeVersion(major: 15, minor: 1)
    #expect(try DatabaseValue(version) == .integer(1501))
    #expect(version.description == "15.1")
  }

  @Test("Every category has a title of its own")
  func categories() {
    #expect(Set(GeneralCategory.allCases.map(\.title)).count == GeneralCategory.allCases.count)
    #expect(GeneralCategory.nonspacingMark.title == "nonspacing mark")
  }
}
