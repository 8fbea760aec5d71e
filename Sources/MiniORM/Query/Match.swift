/// What a full-text search looks for.
///
/// ```swift
/// companies.matching(text, Match(words: input, prefix: true))
/// companies.matching(text, .phrase("sparkling wine") && .phrase("reims").within(Company.columns.city))
/// ```
///
/// A string literal is text as a person types it. However it is built, what a person typed is never
/// read as FTS5's own syntax, except with ``init(raw:)``.
///
/// See [Full-text Query Syntax](https://www.sqlite.org/fts5.html#full_text_query_syntax).
public struct Match: ExpressibleByStringLiteral, Sendable {
  /// The search as FTS5 reads it.
  public let text: String
  /// The columns that it is limited to somewhere.
  let columns: [ColumnSchema?]

  private init(_ text: String, _ columns: [ColumnSchema?] = []) {
    // FTS5 has no empty search; an empty phrase finds nothing.
    self.text = text.isEmpty ? "\"\"" : text
    self.columns = columns
  }

  /// Rows that have all the words of a text, in any order and any column.
  ///
  /// Words are what stands between white space. One that the tokenizer divides, such as `C++` or
  /// `well-known`, has to be found as a phrase; one that has nothing to look for is passed over. An
  /// empty text finds nothing.
  /// - Parameters:
  ///   - text: The text, as a person typed it.
  ///   - prefix: Whether the last word may go on, as while somebody types.
  public init(words text: String, prefix: Bool = false) {
    // By scalars: a Character may be a space and the mark that stands on it.
    let words = text.unicodeScalars.split { $0.properties.isWhitespace || $0 == "\0" }
      .map { Self.quoted(String($0)) }
    self.init(words.joined(separator: " ") + (prefix && !words.isEmpty ? " *" : ""))
  }

  /// Text as a person types it.
  /// - Parameter value: The text.
  public init(stringLiteral value: String) { self.init(words: value) }

  /// A search in FTS5's own syntax. A mistake in it makes the query throw.
  /// - Parameter text: The search: never put a person's input here.
  public init(raw text: String) { self.init(text) }

  /// Words that follow one another.
  /// - Parameters:
  ///   - text: The words.
  ///   - prefix: Whether the last word may go on.
  ///   - atStart: Whether the words stand at the beginning of a column.
  public static func phrase(_ text: String, prefix: Bool = false, atStart: Bool = false) -> Match {
    Match((atStart ? "^ " : "") + quoted(text) + (prefix ? " *" : ""))
  }

  /// Phrases that stand near one another.
  /// - Parameters:
  ///   - phrases: The phrases.
  ///   - distance: How many words may be between the first and the last of them.
  public static func near(_ phrases: [String], distance: Int = 10) -> Match {
    guard !phrases.isEmpty else { return Match("") }
    let list = phrases.map { quoted($0) }.joined(separator: " ")
    // FTS5 counts with 32 bits; no text has so many words.
    return Match("NEAR(\(list), \(Swift.min(Swift.max(0, distance), 100_000_000)))")
  }

  /// Rows that are found by both.
  public static func && (left: Match, right: Match) -> Match { left.combined("AND", right) }
  /// Rows that are found by one or both.
  public static func || (left: Match, right: Match) -> Match { left.combined("OR", right) }

  /// Rows that are found by this and not by another.
  /// - Parameter other: What must not be found.
  public func excluding(_ other: Match) -> Match { combined("NOT", other) }

  /// The same, found in some columns only.
  /// - Parameter columns: Columns of the full-text index.
  public func within<each Value>(_ columns: repeat SQLExpression<each Value>) -> Match {
    var found: [ColumnSchema?] = []
    repeat found.append((each columns).column)
    let names = found.map { ($0?.name ?? "").quotedIdentifier }.joined(separator: " ")
    return Match("{\(names)} : (\(text))", self.columns + found)
  }

  private func combined(_ name: String, _ other: Match) -> Match {
    Match("(\(text)) \(name) (\(other.text))", columns + other.columns)
  }

  /// Text in FTS5's quotation marks, in which only those themselves have a meaning. A NUL would end
  /// the search.
  private static func quoted(_ text: String) -> String {
    String(decoding: text.utf8.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
      .quotedIdentifier
  }
}
