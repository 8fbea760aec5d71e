/// `String`, or an optional one.
public protocol SQLText: ColumnValue {}
extension String: SQLText {}
extension Optional: SQLText where Wrapped: SQLText {}

/// See [Built-In Scalar SQL Functions](https://www.sqlite.org/lang_corefunc.html).
extension SQLExpression where Value: SQLText {
  private func matches<Truth: SQLBoolean>(
    _ name: String, _ pattern: SQL, _ escape: Character? = nil
  ) -> SQLExpression<Truth> {
    var right = pattern
    if let escape {
      right.append(" ESCAPE ")
      right.append(SQL(binding: String(escape)))
    }
    return infix(name, right, Coding())
  }

  /// LIKE: whether the text matches a pattern with `%` for any characters and `_` for one. The 26
  /// letters of ASCII match in either case.
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - escape: The character that makes a following `%` or `_` stand for itself.
  public func like(_ pattern: String, escape: Character? = nil) -> SQLExpression<Value.SQLTruth> {
    matches("LIKE", SQL(binding: pattern), escape)
  }
  /// LIKE: whether the text matches a pattern that is another expression.
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - escape: The character that makes a following `%` or `_` stand for itself.
  public func like(_ pattern: SQLExpression<String>, escape: Character? = nil)
    -> SQLExpression<Value.SQLTruth>
  { matches("LIKE", pattern.sql, escape) }
  /// LIKE: whether the text matches a pattern that is another expression, NULL where that is.
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - escape: The character that makes a following `%` or `_` stand for itself.
  public func like(_ pattern: SQLExpression<String?>, escape: Character? = nil) -> SQLExpression<
    Bool?
  > {
    matches("LIKE", pattern.sql, escape)
  }

  /// GLOB: whether the text matches a pattern with `*`, `?` and `[…]`, upper and lower case told
  /// apart.
  /// - Parameter pattern: The pattern.
  public func glob(_ pattern: String) -> SQLExpression<Value.SQLTruth> {
    matches("GLOB", SQL(binding: pattern))
  }
  /// GLOB: whether the text matches a pattern that is another expression.
  /// - Parameter pattern: The pattern.
  public func glob(_ pattern: SQLExpression<String>) -> SQLExpression<Value.SQLTruth> {
    matches("GLOB", pattern.sql)
  }
  /// GLOB: whether the text matches a pattern that is another expression, NULL where that is.
  /// - Parameter pattern: The pattern.
  public func glob(_ pattern: SQLExpression<String?>) -> SQLExpression<Bool?> {
    matches("GLOB", pattern.sql)
  }

  /// REGEXP: whether the text matches a regular expression.
  ///
  /// SQLite has no such function of its own. Until the connection has one named `regexp`, of the
  /// pattern and the text, running the query throws `no such function: REGEXP`.
  /// - Parameter pattern: The regular expression.
  public func regexp(_ pattern: String) -> SQLExpression<Bool?> {
    matches("REGEXP", SQL(binding: pattern))
  }

  /// Whether the text contains another.
  /// - Parameters:
  ///   - text: The text to look for.
  ///   - caseInsensitive: Whether the 26 letters of ASCII match in either case.
  public func contains(_ text: String, caseInsensitive: Bool = false) -> SQLExpression<
    Value.SQLTruth
  > {
    let part = SQL(binding: text)
    let (whole, sought) = caseInsensitive ? (lower(), SQL.call("lower", [part])) : (self, part)
    return whole.function("instr", [sought], Coding<Int>()).infix(">", SQL(raw: "0"), Coding())
  }
  /// Whether the text contains that of another expression, upper and lower case told apart.
  /// - Parameter text: The text to look for.
  public func contains(_ text: SQLExpression<String>) -> SQLExpression<Value.SQLTruth> {
    contains(text.sql)
  }
  /// Whether the text contains that of another expression, NULL where that is.
  /// - Parameter text: The text to look for.
  public func contains(_ text: SQLExpression<String?>) -> SQLExpression<Bool?> {
    contains(text.sql)
  }

  private func contains<Truth: SQLBoolean>(_ text: SQL) -> SQLExpression<Truth> {
    function("instr", [text], Coding<Int>()).infix(">", SQL(raw: "0"), Coding())
  }

  /// Whether the text begins with another, upper and lower case told apart.
  ///
  /// An index of the column serves it.
  /// - Parameter prefix: The text to begin with.
  public func hasPrefix(_ prefix: String) -> SQLExpression<Value.SQLTruth> {
    let same = bytes(from: 1, of: prefix)
    guard column != nil, !prefix.isEmpty else { return same }
    // Every text with the prefix lies in this range of bytes, and an index finds the range.
    let binary = infix("COLLATE", SQL(raw: "BINARY"), coding)
    let lower = binary.infix(">=", SQL(binding: prefix), same.coding)
    guard let end = prefix.endOfPrefixed else { return lower.infix("AND", same.sql, same.coding) }
    return lower.infix("AND", binary.infix("<", SQL(binding: end), same.coding).sql, same.coding)
      .infix("AND", same.sql, same.coding)
  }

  /// Whether the text ends with another, upper and lower case told apart.
  /// - Parameter suffix: The text to end with.
  public func hasSuffix(_ suffix: String) -> SQLExpression<Value.SQLTruth> {
    bytes(from: -suffix.utf8.count, of: suffix)
  }

  /// Whether the bytes from a place on are those of a text. SQLite's functions on text stop at a
  /// NUL character; those on blobs do not.
  private func bytes(from start: Int, of text: String) -> SQLExpression<Value.SQLTruth> {
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
    return SQLExpression<[UInt8]>(left, Coding()).infix("=", SQL(binding: bytes), Coding())
  }
}

extension String {
  /// The least text, compared by bytes, that comes after all that begin with this one; nil where
  /// there is none.
  fileprivate var endOfPrefixed: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      // UTF-8 sorts as the numbers of the scalars do, among which the surrogates are none.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      var end = String.UnicodeScalarView(scalars)
      end.append(scalar)
      return String(end)
    }
    return nil
  }
}
