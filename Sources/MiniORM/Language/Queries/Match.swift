/// A search expression for a ``FullTextIndex``.
///
/// ```swift
/// companies.matching(text, Match(words: input, prefix: true))
/// companies.matching(text, .phrase("sparkling wine") && .phrase("reims").within(Company.columns.city))
/// ```
///
/// A string literal is plain text, as a user types it. User input is never parsed as FTS5 syntax,
/// except with ``init(raw:)``.
///
/// See [Full-text Query Syntax](https://www.sqlite.org/fts5.html#full_text_query_syntax).
public struct Match: ExpressibleByStringLiteral, Sendable {
  /// The search in FTS5 syntax.
  public let text: String
  let columns: [ColumnSchema?]
  /// The words of a plain text; empty for an expression in FTS5's syntax.
  private(set) var words: [String] = []
  private(set) var prefix = false

  private init(_ text: String, _ columns: [ColumnSchema?] = []) {
    // FTS5 rejects an empty search. An empty phrase finds no row.
    self.text = text.isEmpty ? "\"\"" : text
    self.columns = columns
  }

  init(_ words: [String], prefix: Bool) {
    let text = words.map { Self.quoted($0) }.joined(separator: " ")
    self.init(text + (prefix && !words.isEmpty ? " *" : ""))
    (self.words, self.prefix) = (words, prefix)
  }

  /// Creates a search for rows that contain all words of a text, in any order and any column.
  ///
  /// White space separates words. If the tokenizer divides a word such as `C++` or `well-known`,
  /// the parts must match as a phrase. Words without tokens are ignored. An empty text finds no
  /// row. A ``FullTextTokenizer/trigram(caseSensitive:removeDiacritics:)`` index finds words of one
  /// and two characters by reading every row, unless the search is part of another search.
  /// - Parameters:
  ///   - text: The text, as a user typed it.
  ///   - prefix: Whether the last word may be incomplete, for a search while the user types.
  public init(words text: String, prefix: Bool = false) {
    // The text is split by scalars, because a Character may combine a space with a combining mark.
    let words = text.unicodeScalars.split { $0.properties.isWhitespace || $0 == "\0" }
    self.init(words.map { String($0) }, prefix: prefix)
  }

  /// Creates a search for plain text, as a user types it.
  @_documentation(visibility: internal)
  public init(stringLiteral value: String) { self.init(words: value) }

  /// Creates a search from FTS5 syntax. Running a query with invalid syntax throws.
  /// - Parameter text: The search. Never pass user input.
  public init(raw text: String) { self.init(text) }

  /// Returns a search for consecutive words.
  /// - Parameters:
  ///   - text: The words.
  ///   - prefix: Whether the last word may be incomplete.
  ///   - atStart: Whether the words must be at the start of a column.
  public static func phrase(_ text: String, prefix: Bool = false, atStart: Bool = false) -> Match {
    atStart
      ? Match("^ " + quoted(text) + (prefix ? " *" : "")) : Match([text], prefix: prefix)
  }

  /// Returns a search for phrases that are close together.
  /// - Parameters:
  ///   - phrases: The phrases.
  ///   - distance: The maximum number of words between the first and the last phrase.
  public static func near(_ phrases: [String], distance: Int = 10) -> Match {
    guard !phrases.isEmpty else { return Match("") }
    let list = phrases.map { quoted($0) }.joined(separator: " ")
    // FTS5 counts with 32 bits. No text has that many words.
    return Match("NEAR(\(list), \(Swift.min(Swift.max(0, distance), 100_000_000)))")
  }

  /// Returns a search for rows that both searches find.
  public static func && (left: Match, right: Match) -> Match { left.combined("AND", right) }
  /// Returns a search for rows that at least one search finds.
  public static func || (left: Match, right: Match) -> Match { left.combined("OR", right) }

  /// Returns a search for rows that this search finds and the other search does not find.
  public func excluding(_ other: Match) -> Match { combined("NOT", other) }

  /// Limits the search to some columns.
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

  /// A NUL, which would end the search, becomes a space.
  private static func quoted(_ text: String) -> String {
    String(decoding: text.utf8.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
      .quotedIdentifier
  }
}
