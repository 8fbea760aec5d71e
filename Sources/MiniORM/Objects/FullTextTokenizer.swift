/// How a full-text index divides text into words, and which words are the same.
///
/// See [Tokenizers](https://www.sqlite.org/fts5.html#tokenizers).
public struct FullTextTokenizer: Sendable {
  private let words: [String]

  /// The value of the option `tokenize`.
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

  /// Returns a tokenizer for words of Unicode letters and digits, ignoring case. This is the
  /// default.
  /// - Parameters:
  ///   - removeDiacritics: 0 distinguishes é from e; 1, SQLite's default, does not; 2 does not
  ///     either, even for characters with several marks.
  ///   - categories: The categories of Unicode that words consist of, such as `L* N* Co`.
  ///   - tokenCharacters: Further characters that are part of words.
  ///   - separators: Letters or digits that separate words.
  public static func unicode61(
    removeDiacritics: Int = 1, categories: String? = nil, tokenCharacters: String = "",
    separators: String = ""
  ) -> FullTextTokenizer {
    FullTextTokenizer(
      ["unicode61"] + (removeDiacritics == 1 ? [] : ["remove_diacritics", "\(removeDiacritics)"]),
      tokenCharacters, separators, categories: categories)
  }

  /// Returns a tokenizer for words of ASCII letters and digits and all characters outside ASCII,
  /// ignoring case for ASCII only.
  /// - Parameters:
  ///   - tokenCharacters: Further characters that are part of words.
  ///   - separators: Letters or digits that separate words.
  public static func ascii(tokenCharacters: String = "", separators: String = "")
    -> FullTextTokenizer
  { FullTextTokenizer(["ascii"], tokenCharacters, separators) }

  /// Returns a tokenizer that removes English endings from the words of another: `searching`
  /// becomes `search`.
  /// - Parameter tokenizer: The tokenizer that divides the text.
  public static func porter(_ tokenizer: FullTextTokenizer = .unicode61()) -> FullTextTokenizer {
    FullTextTokenizer(["porter"] + tokenizer.words)
  }

  /// Returns a tokenizer for every three consecutive characters, which finds any part of a text.
  /// Searches must have at least three characters.
  /// - Parameters:
  ///   - caseSensitive: Whether uppercase and lowercase differ.
  ///   - removeDiacritics: Whether é is the same as e, which requires ignoring case and SQLite
  ///     3.45.0.
  public static func trigram(caseSensitive: Bool = false, removeDiacritics: Bool = false)
    -> FullTextTokenizer
  {
    FullTextTokenizer(
      ["trigram"] + (caseSensitive ? ["case_sensitive", "1"] : [])
        + (removeDiacritics ? ["remove_diacritics", "1"] : []))
  }
}

/// How much a full-text index stores about the positions of words.
///
/// See [The detail option](https://www.sqlite.org/fts5.html#the_detail_option).
public enum FullTextDetail: String, Sendable {
  /// The position of each word. This is the default.
  case full
  /// The columns of each word: phrases and NEAR cannot be searched for.
  case column
  /// Nothing: neither phrases nor NEAR nor columns can be searched for.
  case none
}
