/// How a full-text index divides text into words, and which of them are the same.
///
/// See [Tokenizers](https://www.sqlite.org/fts5.html#tokenizers).
public struct FullTextTokenizer: Sendable {
  private let words: [String]

  /// The text of the option `tokenize`.
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

  /// Words of the letters and digits of Unicode, in any case. The default.
  /// - Parameters:
  ///   - removeDiacritics: 0 to tell é from e; 1, SQLite's default, not to; 2 not to for characters
  ///     with several marks either.
  ///   - categories: The categories of Unicode that words consist of, such as `L* N* Co`.
  ///   - tokenCharacters: Further characters of words.
  ///   - separators: Characters that stand between words, though they are letters or digits.
  public static func unicode61(
    removeDiacritics: Int = 1, categories: String? = nil, tokenCharacters: String = "",
    separators: String = ""
  ) -> FullTextTokenizer {
    FullTextTokenizer(
      ["unicode61"] + (removeDiacritics == 1 ? [] : ["remove_diacritics", "\(removeDiacritics)"]),
      tokenCharacters, separators, categories: categories)
  }

  /// Words of ASCII's letters and digits and of everything beyond ASCII; upper and lower case are the
  /// same for ASCII only.
  /// - Parameters:
  ///   - tokenCharacters: Further characters of words.
  ///   - separators: Characters that stand between words, though they are letters or digits.
  public static func ascii(tokenCharacters: String = "", separators: String = "")
    -> FullTextTokenizer
  { FullTextTokenizer(["ascii"], tokenCharacters, separators) }

  /// The words of another tokenizer without their English endings: `searching` is `search`.
  /// - Parameter tokenizer: What divides the text.
  public static func porter(_ tokenizer: FullTextTokenizer = .unicode61()) -> FullTextTokenizer {
    FullTextTokenizer(["porter"] + tokenizer.words)
  }

  /// Every three characters in a row, which finds any part of a text. Searches have three characters
  /// at least.
  /// - Parameters:
  ///   - caseSensitive: Whether upper and lower case differ.
  ///   - removeDiacritics: Whether é is the same as e, where upper and lower case are. SQLite has
  ///     this from 3.45.0 on.
  public static func trigram(caseSensitive: Bool = false, removeDiacritics: Bool = false)
    -> FullTextTokenizer
  {
    FullTextTokenizer(
      ["trigram"] + (caseSensitive ? ["case_sensitive", "1"] : [])
        + (removeDiacritics ? ["remove_diacritics", "1"] : []))
  }
}

/// How much a full-text index keeps of where its words stand.
///
/// See [The detail option](https://www.sqlite.org/fts5.html#the_detail_option).
public enum FullTextDetail: String, Sendable {
  /// Each word's place. The default.
  case full
  /// Each word's columns: phrases and NEAR cannot be searched for.
  case column
  /// Nothing: neither phrases nor NEAR nor columns can be searched for.
  case none
}
