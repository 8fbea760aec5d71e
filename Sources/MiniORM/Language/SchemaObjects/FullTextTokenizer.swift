/// The rules that divide text into words, and that decide whether words are equal.
///
/// See [Tokenizers](https://www.sqlite.org/fts5.html#tokenizers).
public struct FullTextTokenizer: Sendable {
  private let words: [String]

  var isTrigram: Bool { words.first == "trigram" }
  var isCaseSensitive: Bool {
    zip(words, words.dropFirst()).contains { $0 == "case_sensitive" && $1 != "0" }
  }

  var sql: String {
    words.map { word in
      let isBare = word.utf8.allSatisfy {
        $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x7a || $0 == 0x5f
      }
      return isBare && !word.isEmpty ? word : word.quotedLiteral
    }.joined(separator: " ")
  }

  private init(
    _ words: [String], _ tokenCharacters: String = "", _ separators: String = "",
    categories: String? = nil
  ) {
    self.words =
      words + (categories.map { ["categories", $0] } ?? [])
      + (tokenCharacters.isEmpty ? [] : ["tokenchars", tokenCharacters])
      + (separators.isEmpty ? [] : ["separators", separators])
  }

  /// Creates a tokenizer from SQLite's text, for an index that another program created.
  ///
  /// ```swift
  /// FullTextTokenizer(sql: "porter unicode61 remove_diacritics 0")
  /// ```
  /// - Parameter sql: The value of the index's option `tokenize`. Never pass user input.
  public init(sql: String) { words = sql.wordsOfSQL }

  /// Returns a tokenizer for words of Unicode letters and digits, ignoring case: the default.
  /// - Parameters:
  ///   - removeDiacritics: 0 distinguishes é from e. 1, SQLite's own default, ignores the
  ///     difference. 2 also ignores it for characters with several marks, such as ệ.
  ///   - categories: The Unicode categories of word characters, such as `L* N* Co`.
  ///   - tokenCharacters: Additional word characters.
  ///   - separators: Letters or digits that separate words.
  public static func unicode61(
    removeDiacritics: Int = 2, categories: String? = nil, tokenCharacters: String = "",
    separators: String = ""
  ) -> FullTextTokenizer {
    FullTextTokenizer(
      ["unicode61"] + (removeDiacritics == 1 ? [] : ["remove_diacritics", "\(removeDiacritics)"]),
      tokenCharacters, separators, categories: categories)
  }

  /// Returns a tokenizer for words of ASCII letters and digits, and of all characters outside
  /// ASCII. Only ASCII letters are compared without case.
  public static func ascii(tokenCharacters: String = "", separators: String = "")
    -> FullTextTokenizer
  { FullTextTokenizer(["ascii"], tokenCharacters, separators) }

  /// Returns a tokenizer that removes English endings from words: `searching` becomes `search`.
  public static func porter(_ tokenizer: FullTextTokenizer = .unicode61()) -> FullTextTokenizer {
    FullTextTokenizer(["porter"] + tokenizer.words)
  }

  /// Returns a tokenizer that indexes every three consecutive characters, and finds any part of a
  /// text, such as a word of Chinese or Japanese.
  ///
  /// A word of one or two characters is not in the index. For such words, ``Match/init(words:prefix:)``
  /// and ``Match/phrase(_:prefix:atStart:)`` read the text of every row.
  /// - Parameters:
  ///   - caseSensitive: Whether uppercase and lowercase differ.
  ///   - removeDiacritics: Whether é equals e. Requires ignoring case, and SQLite 3.45.0.
  public static func trigram(caseSensitive: Bool = false, removeDiacritics: Bool = false)
    -> FullTextTokenizer
  {
    FullTextTokenizer(
      ["trigram"] + (caseSensitive ? ["case_sensitive", "1"] : [])
        + (removeDiacritics ? ["remove_diacritics", "1"] : []))
  }
}

/// The information about the positions of words in a full-text index.
///
/// See [The detail option](https://www.sqlite.org/fts5.html#the_detail_option).
public enum FullTextDetail: String, Sendable {
  /// The position of each word. This is the default.
  case full
  /// The columns of each word. Searches for phrases and NEAR are not possible.
  case column
  /// No positions. Searches for phrases, NEAR and columns are not possible.
  case none
}
