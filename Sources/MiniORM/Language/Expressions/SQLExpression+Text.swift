/// A text type for SQL functions: `String`, or an optional string.
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

  /// Returns whether the text matches a pattern: `LIKE`.
  ///
  /// ```swift
  /// companies.where { $0.name.like("A%") }
  /// ```
  /// In the pattern, `%` matches any characters, and `_` matches a single character. The `escape`
  /// character escapes a following `%` or `_`. The comparison ignores the case of the 26 letters of
  /// ASCII.
  public func like(_ pattern: String, escape: Character? = nil) -> SQLExpression<Value.SQLTruth> {
    matches("LIKE", SQL(binding: pattern), escape)
  }
  /// Returns whether the text matches a pattern from an expression, or NULL: `LIKE`.
  public func like<Pattern: SQLText>(_ pattern: SQLExpression<Pattern>, escape: Character? = nil)
    -> SQLExpression<Bool?>
  { matches("LIKE", pattern.sql, escape) }

  /// Returns whether the text matches a case-sensitive pattern with `*`, `?` and `[…]`: `GLOB`.
  public func glob(_ pattern: String) -> SQLExpression<Value.SQLTruth> {
    matches("GLOB", SQL(binding: pattern))
  }
  /// Returns whether the text matches a pattern from an expression, or NULL: `GLOB`.
  public func glob<Pattern: SQLText>(_ pattern: SQLExpression<Pattern>) -> SQLExpression<Bool?> {
    matches("GLOB", pattern.sql)
  }

  /// Returns whether the text matches a regular expression: `REGEXP`.
  ///
  /// SQLite has no built-in `regexp` function. Running the query throws `no such function: REGEXP`,
  /// unless the connection has a function `regexp` that takes the pattern and the text.
  public func regexp(_ pattern: String) -> SQLExpression<Bool?> {
    matches("REGEXP", SQL(binding: pattern))
  }

  /// Returns whether the text contains a value, optionally ignoring the case of the 26 letters of
  /// ASCII.
  public func contains(_ text: String, caseInsensitive: Bool = false) -> SQLExpression<
    Value.SQLTruth
  > {
    let part = SQL(binding: text)
    let (whole, sought) = caseInsensitive ? (lower(), SQL.call("lower", [part])) : (self, part)
    return whole.function("instr", [sought], Coding<Int>()).infix(">", SQL(raw: "0"), Coding())
  }
  /// Returns whether the text contains an expression's text, or NULL. The comparison is
  /// case-sensitive.
  public func contains<Text: SQLText>(_ text: SQLExpression<Text>) -> SQLExpression<Bool?> {
    instr(text).infix(">", SQL(raw: "0"), Coding())
  }

  /// Returns whether the text begins with a prefix. The comparison is case-sensitive.
  ///
  /// SQLite can use an index on the column.
  public func hasPrefix(_ prefix: String) -> SQLExpression<Value.SQLTruth> {
    let same = bytes(from: 1, of: prefix)
    guard column != nil, !prefix.isEmpty else { return same }
    // Every text with the prefix lies in this range of bytes, which an index can find.
    let binary = infix(SQLPart.collate, SQL(raw: "BINARY"), coding)
    let lower = binary.infix(">=", SQL(binding: prefix), same.coding)
    guard let end = prefix.endOfPrefixed else { return lower.infix("AND", same.sql, same.coding) }
    return lower.infix("AND", binary.infix("<", SQL(binding: end), same.coding).sql, same.coding)
      .infix("AND", same.sql, same.coding)
  }

  /// Returns whether the text ends with a suffix. The comparison is case-sensitive.
  public func hasSuffix(_ suffix: String) -> SQLExpression<Value.SQLTruth> {
    bytes(from: -suffix.utf8.count, of: suffix)
  }

  /// Compares blobs, because SQLite's functions on text stop at a NUL character.
  private func bytes(from start: Int, of text: String) -> SQLExpression<Value.SQLTruth> {
    // Every text is at least the empty text, and NULL gives NULL.
    guard !text.isEmpty else { return infix(">=", SQL(raw: "''"), Coding()) }
    let bytes = Array(text.utf8)
    var left = SQL(raw: "ifnull(substr(CAST(")
    left.append(sql)
    left.append(" AS BLOB), ")
    left.append(SQL(binding: start))
    left.append(", ")
    left.append(SQL(binding: bytes.count))
    // For an empty blob, substr gives NULL instead of an empty blob.
    left.append("), ")
    left.append(sql)
    left.append(")")
    return SQLExpression<[UInt8]>(left, Coding()).infix("=", SQL(binding: bytes), Coding())
  }
}

extension String {
  /// The smallest text, in byte order, after every text with this prefix, or nil if there is no
  /// such text.
  fileprivate var endOfPrefixed: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      // UTF-8 sorts in the order of the scalars' numbers, which do not include the surrogates.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      var end = String.UnicodeScalarView(scalars)
      end.append(scalar)
      return String(end)
    }
    return nil
  }
}

/// See [Built-In Scalar SQL Functions](https://www.sqlite.org/lang_corefunc.html).
extension SQLExpression where Value: SQLText {
  /// Returns the text with the 26 letters of ASCII in lowercase: `lower`.
  public func lower() -> Self { function("lower", [], coding) }
  /// Returns the text with the 26 letters of ASCII in uppercase: `upper`.
  public func upper() -> Self { function("upper", [], coding) }

  /// Removes characters from both ends of the text, by default spaces: `trim`.
  public func trim(_ characters: String? = nil) -> Self { trimmed("trim", characters) }
  /// Removes characters from the beginning of the text, by default spaces: `ltrim`.
  public func ltrim(_ characters: String? = nil) -> Self { trimmed("ltrim", characters) }
  /// Removes characters from the end of the text, by default spaces: `rtrim`.
  public func rtrim(_ characters: String? = nil) -> Self { trimmed("rtrim", characters) }

  private func trimmed(_ name: String, _ characters: String?) -> Self {
    function(name, characters.map { [SQL(binding: $0)] } ?? [], coding)
  }

  /// Returns the number of Unicode scalars before the first NUL: `length`.
  public func length() -> SQLExpression<Value.SQLTruth.SQLCount> {
    function("length", [], Coding())
  }
  /// Returns the position of a value, counted in Unicode scalars from 1, or 0 if the text does not
  /// contain the value: `instr`.
  public func instr(_ text: String) -> SQLExpression<Value.SQLTruth.SQLCount> {
    function("instr", [SQL(binding: text)], Coding())
  }
  /// Returns the position of an expression's text, from 1, or 0 if it does not occur: `instr`.
  public func instr<Text: SQLText>(_ text: SQLExpression<Text>) -> SQLExpression<Int?> {
    function("instr", [text.sql], Coding())
  }
  /// Returns the code point of the first Unicode scalar, or NULL for an empty text: `unicode`.
  public func unicode() -> SQLExpression<Int?> { function("unicode", [], Coding()) }

  /// Returns a part of the text: `substr`.
  /// - Parameters:
  ///   - start: The position of the part, in Unicode scalars from 1. A negative number counts from
  ///     the end.
  ///   - count: The number of scalars; by default, all remaining scalars.
  public func substr(_ start: Int, _ count: Int? = nil) -> Self {
    function("substr", [SQL(binding: start)] + (count.map { [SQL(binding: $0)] } ?? []), coding)
  }
  /// Returns a part of the text from a computed position: `substr`. NULL gives NULL.
  public func substr<Start: SQLNumeric>(_ start: SQLExpression<Start>, _ count: Int? = nil)
    -> SQLExpression<String?>
  { function("substr", [start.sql] + (count.map { [SQL(binding: $0)] } ?? []), Coding()) }
  /// Returns a part of the text with a computed position and length: `substr`. NULL gives NULL.
  public func substr<Start: SQLNumeric, Count: SQLNumeric>(
    _ start: SQLExpression<Start>, _ count: SQLExpression<Count>
  ) -> SQLExpression<String?> { function("substr", [start.sql, count.sql], Coding()) }

  /// Replaces every occurrence of a text: `replace`.
  public func replace(_ text: String, with replacement: String) -> Self {
    function("replace", [SQL(binding: text), SQL(binding: replacement)], coding)
  }

  /// Appends a value to the text: `||`.
  public func appending(_ text: String) -> Self { infix("||", SQL(binding: text), coding) }
  /// Appends an expression's text, or returns NULL if either text is NULL: `||`.
  public func appending(_ text: Self) -> Self { infix("||", text.sql, coding) }

  /// Returns the bytes of hexadecimal digits, or NULL if the text is not hexadecimal: `unhex`.
  /// - Parameter ignored: Characters to ignore between the digits.
  public func unhex(ignoring ignored: String = "") -> SQLExpression<[UInt8]?> {
    function("unhex", ignored.isEmpty ? [] : [SQL(binding: ignored)], Coding())
  }
}

extension SQLExpression where Value: SQLNumeric, Value.Unwrapped: FixedWidthInteger {
  /// Returns the character with this code point: `char`. NULL gives a NUL character.
  public func char() -> SQLExpression<String> { function("char", [], Coding()) }
}
