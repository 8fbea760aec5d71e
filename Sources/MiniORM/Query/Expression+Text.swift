/// `String`, or an optional one.
public protocol SQLText: ColumnValue {}
extension String: SQLText {}
extension Optional: SQLText where Wrapped: SQLText {}

/// See [Built-In Scalar SQL Functions](https://www.sqlite.org/lang_corefunc.html).
extension Expression where Value: SQLText {
  /// LIKE: whether the text matches a pattern with `%` for any characters and `_` for one. The 26
  /// letters of ASCII match in either case.
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - escape: The character that makes a following `%` or `_` stand for itself.
  public func like(_ pattern: String, escape: Character? = nil) -> Expression<Bool> {
    var right = SQL(binding: pattern)
    if let escape {
      right.append(" ESCAPE ")
      right.append(SQL(binding: String(escape)))
    }
    return infix("LIKE", right, Coding())
  }

  /// GLOB: whether the text matches a pattern with `*`, `?` and `[…]`, upper and lower case told
  /// apart.
  /// - Parameter pattern: The pattern.
  public func glob(_ pattern: String) -> Expression<Bool> {
    infix("GLOB", SQL(binding: pattern), Coding())
  }

  /// Whether the text contains another, upper and lower case told apart.
  /// - Parameter text: The text to look for.
  public func contains(_ text: String) -> Expression<Bool> {
    function("instr", [SQL(binding: text)], Coding<Int>()).infix(">", SQL(raw: "0"), Coding())
  }

  /// Whether the text begins with another, upper and lower case told apart.
  /// - Parameter prefix: The text to begin with.
  public func hasPrefix(_ prefix: String) -> Expression<Bool> {
    bytes(from: 1, of: prefix)
  }

  /// Whether the text ends with another, upper and lower case told apart.
  /// - Parameter suffix: The text to end with.
  public func hasSuffix(_ suffix: String) -> Expression<Bool> {
    bytes(from: -suffix.utf8.count, of: suffix)
  }

  /// Whether the bytes from a place on are those of a text. SQLite's functions on text stop at a
  /// NUL character; those on blobs do not.
  private func bytes(from start: Int, of text: String) -> Expression<Bool> {
    // Every text is at least the empty one, and NULL is not.
    guard !text.isEmpty else { return infix(">=", SQL(raw: "''"), Coding()) }
    let bytes = Array(text.utf8)
    var left = SQL(raw: "ifnull(substr(CAST(")
    left.append(sql)
    left.append(" AS BLOB), ")
    left.append(SQL(binding: start))
    left.append(", ")
    left.append(SQL(binding: bytes.count))
    // Of an empty blob substr makes NULL, which would be unknown where `false` is meant.
    left.append("), ")
    left.append(sql)
    left.append(")")
    return Expression<[UInt8]>(left, Coding()).infix("=", SQL(binding: bytes), Coding())
  }

  /// The text with the 26 letters of ASCII in lower case: `lower`.
  public func lower() -> Self { function("lower", [], coding) }
  /// The text with the 26 letters of ASCII in upper case: `upper`.
  public func upper() -> Self { function("upper", [], coding) }
  /// The text without spaces at its ends: `trim`.
  public func trim() -> Self { function("trim", [], coding) }
  /// The number of Unicode scalars before the first NUL: `length`. That of NULL is NULL.
  public func length() -> Expression<Int?> { function("length", [], Coding()) }
  /// Part of the text: `substr`.
  /// - Parameters:
  ///   - start: The first Unicode scalar, from 1; a negative number counts from the end.
  ///   - count: How many scalars.
  public func substr(_ start: Int, _ count: Int) -> Self {
    function("substr", [SQL(binding: start), SQL(binding: count)], coding)
  }
  /// The text with every occurrence of one text replaced by another: `replace`.
  /// - Parameters:
  ///   - text: The text to look for.
  ///   - replacement: What takes its place.
  public func replace(_ text: String, with replacement: String) -> Self {
    function("replace", [SQL(binding: text), SQL(binding: replacement)], coding)
  }
  /// The text followed by another: `||`.
  /// - Parameter text: The text to append.
  public func appending(_ text: String) -> Self { infix("||", SQL(binding: text), coding) }
}
