/// The text that a full-text search looks for.
///
/// ```swift
/// companies.matching(text, Match(words: input, prefix: true))
/// companies.matching(text, .phrase("sparkling wine") && .phrase("reims").within(Company.columns.city))
/// ```
///
/// A string literal is text as a user types it. However a search is built, user input is never read
/// as FTS5's own syntax, except with ``init(raw:)``.
///
/// See [Full-text Query Syntax](https://www.sqlite.org/fts5.html#full_text_query_syntax).
public struct Match: ExpressibleByStringLiteral, Sendable {
  /// The search in FTS5's syntax.
  public let text: String
  /// The columns that parts of it are limited to.
  let columns: [ColumnSchema?]

  private init(_ text: String, _ columns: [ColumnSchema?] = []) {
    // FTS5 has no empty search; an empty phrase finds nothing.
    self.text = text.isEmpty ? "\"\"" : text
    self.columns = columns
  }

  /// Creates a search for rows that have all the words of a text, in any order and any column.
  ///
  /// Words are separated by white space. A word that the tokenizer divides, such as `C++` or
  /// `well-known`, must be found as a phrase; a word without anything to look for is ignored. An
  /// empty text finds nothing.
  /// - Parameters:
  ///   - text: The text, as a user typed it.
  ///   - prefix: Whether the last word may be incomplete, for searching while a user types.
  public init(words text: String, prefix: Bool = false) {
    // By scalars: a Character may be a space together with a combining mark.
    let words = text.unicodeScalars.split { $0.properties.isWhitespace || $0 == "\0" }
      .map { Self.quoted(String($0)) }
    self.init(words.joined(separator: " ") + (prefix && !words.isEmpty ? " *" : ""))
  }

  /// Creates a search for text as a user types it.
  /// - Parameter value: The text.
  public init(stringLiteral value: String) { self.init(words: value) }

  /// Creates a search from FTS5's own syntax. A mistake in it makes the query throw.
  /// - Parameter text: The search: never put user input here.
  public init(raw text: String) { self.init(text) }

  /// Returns a search for consecutive words.
  /// - Parameters:
  ///   - text: The words.
  ///   - prefix: Whether the last word may be incomplete.
  ///   - atStart: Whether the words must be at the beginning of a column.
  public static func phrase(_ text: String, prefix: Bool = false, atStart: Bool = false) -> Match {
    Match((atStart ? "^ " : "") + quoted(text) + (prefix ? " *" : ""))
  }

  /// Returns a search for phrases that are near one another.
  /// - Parameters:
  ///   - phrases: The phrases.
  ///   - distance: The maximum number of words between the first and the last of them.
  public static func near(_ phrases: [String], distance: Int = 10) -> Match {
    guard !phrases.isEmpty else { return Match("") }
    let list = phrases.map { quoted($0) }.joined(separator: " ")
    // FTS5 counts with 32 bits; no text has so many words.
    return Match("NEAR(\(list), \(Swift.min(Swift.max(0, distance), 100_000_000)))")
  }

  /// Returns a search for rows that both searches find.
  public static func && (left: Match, right: Match) -> Match { left.combined("AND", right) }
  /// Returns a search for rows that at least one of the searches finds.
  public static func || (left: Match, right: Match) -> Match { left.combined("OR", right) }

  /// Returns a search for rows that this search finds and another does not.
  /// - Parameter other: The other search.
  public func excluding(_ other: Match) -> Match { combined("NOT", other) }

  /// Returns the same search, limited to some columns.
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

  /// Returns text in FTS5's quotation marks, in which only the marks themselves have a special
  /// meaning. A NUL would end the search.
  private static func quoted(_ text: String) -> String {
    String(decoding: text.utf8.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
      .quotedIdentifier
  }
}
