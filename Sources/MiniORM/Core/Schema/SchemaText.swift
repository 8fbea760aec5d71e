/// The schema of a file as text: the version, the steps, every statement, and the format of each
/// column as a comment.
///
/// ```sql
/// -- Schema version 2
/// -- Step 2: names in one column
/// -- Checksum: 3f1c09aa62b0d4e7
///
/// CREATE TABLE "chore" (
///   "id" INTEGER PRIMARY KEY NOT NULL, -- int64
///   "due" TEXT -- date
/// ) STRICT;
/// ```
package enum SchemaText {
  package static let version = "-- Schema version "
  package static let step = "-- Step "
  package static let checksum = "-- Checksum: "
  /// The comment before an object that MiniORM has not created.
  package static let foreign = "-- Created by another program"

  /// Returns a checksum of the text without the line of the checksum. Line ends and indentation do
  /// not matter.
  package static func checksum(of text: String) -> String {
    let lines = text.split(whereSeparator: \.isNewline)
      .filter { !$0.utf8.starts(with: checksum.utf8) }
    // The hash ignores comments, so the marks of comments are removed.
    let hash = SchemaHash.of(lines.joined(separator: "\n").replacing("--", with: " "))
    let digits = String(UInt64(bitPattern: hash), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The parts of a CREATE TABLE statement, without comments and line breaks.
  package struct Table {
    /// The text before the parenthesis.
    package var head = ""
    /// The columns and constraints, each with the comment behind it.
    package var declarations: [(text: String, comment: String?)] = []
    /// The text after the parenthesis.
    package var options = ""

    package init(_ sql: String) {
      let tokens = SQLToken.all(in: sql)
      let open = tokens.firstIndex { $0.isSymbol("(") } ?? tokens.endIndex
      let close = tokens[open...].matchingClose ?? tokens.endIndex
      head = SchemaText.line(tokens[..<open], sql)
      options = SchemaText.line(tokens[min(close + 1, tokens.endIndex)...], sql)
      var (start, depth) = (open + 1, 0)
      for index in tokens.indices where index > open && index <= close {
        let token = tokens[index]
        if index == close || (depth == 0 && token.isSymbol(",")) {
          // The comment stands behind the comma, or before the parenthesis.
          let before = index == close ? tokens[index - 1] : token
          let end = index == close ? token.range.lowerBound : tokens[index + 1].range.lowerBound
          let gap = sql.part(before.range.upperBound..<max(before.range.upperBound, end))
          declarations.append(
            (SchemaText.line(tokens[start..<index], sql), SchemaText.comment(in: gap)))
          start = index + 1
        } else if token.isSymbol("(") {
          depth += 1
        } else if token.isSymbol(")") {
          depth -= 1
        }
      }
    }

    /// The statement as MiniORM writes it.
    package var sql: String { text { _ in nil } }

    func text(comment: (Int) -> String?) -> String {
      let lines = declarations.indices.map { index in
        declarations[index].text + (index == declarations.count - 1 ? "" : ",")
          + (comment(index).map { " -- \($0)" } ?? "")
      }
      return "\(head) (\n  \(lines.joined(separator: "\n  "))\n)"
        + (options.isEmpty ? "" : " \(options)")
    }
  }

  /// Returns the first comment in the space between two tokens.
  private static func comment(in gap: String) -> String? {
    let rest = gap.utf8.drop { $0 != UInt8(ascii: "-") }.dropFirst(3)
    let text = rest.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }

  /// Joins tokens on a single line. Spaces without a line break or a comment are kept.
  private static func line(_ tokens: ArraySlice<SQLToken>, _ sql: String) -> String {
    var (text, end) = ("", tokens.first?.range.lowerBound ?? 0)
    for token in tokens {
      let gap = sql.part(end..<token.range.lowerBound)
      text += gap.utf8.allSatisfy { $0 == UInt8(ascii: " ") } ? gap : " "
      text += sql.part(token.range)
      end = token.range.upperBound
    }
    return text
  }
}
