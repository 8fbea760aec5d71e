/// See [Built-In Scalar SQL Functions](https://www.sqlite.org/lang_corefunc.html).
extension SQLExpression where Value: SQLText {
  /// Returns the text with the 26 letters of ASCII in lowercase: `lower`.
  public func lower() -> Self { function("lower", [], coding) }
  /// Returns the text with the 26 letters of ASCII in uppercase: `upper`.
  public func upper() -> Self { function("upper", [], coding) }

  /// Returns the text with some characters removed from both ends: `trim`.
  /// - Parameter characters: The characters to remove, or `nil` for spaces.
  public func trim(_ characters: String? = nil) -> Self { trimmed("trim", characters) }
  /// Returns the text with some characters removed from its beginning: `ltrim`.
  /// - Parameter characters: The characters to remove, or `nil` for spaces.
  public func ltrim(_ characters: String? = nil) -> Self { trimmed("ltrim", characters) }
  /// Returns the text with some characters removed from its end: `rtrim`.
  /// - Parameter characters: The characters to remove, or `nil` for spaces.
  public func rtrim(_ characters: String? = nil) -> Self { trimmed("rtrim", characters) }

  private func trimmed(_ name: String, _ characters: String?) -> Self {
    function(name, characters.map { [SQL(binding: $0)] } ?? [], coding)
  }

  /// Returns the number of Unicode scalars before the first NUL: `length`. The result is NULL only
  /// for NULL.
  public func length() -> SQLExpression<Value.SQLTruth.SQLCount> {
    function("length", [], Coding())
  }
  /// Returns the position of a value, counted in Unicode scalars from 1, or 0 if the text does not
  /// contain the value: `instr`. The result is NULL only for NULL.
  /// - Parameter text: The text to look for.
  public func instr(_ text: String) -> SQLExpression<Value.SQLTruth.SQLCount> {
    function("instr", [SQL(binding: text)], Coding())
  }
  /// Returns the position of an expression's text, from 1, or 0 if the text does not contain it:
  /// `instr`.
  /// - Parameter text: The text to look for.
  public func instr<Text: SQLText>(_ text: SQLExpression<Text>) -> SQLExpression<Int?> {
    function("instr", [text.sql], Coding())
  }
  /// Returns the code point of the first Unicode scalar, or NULL for an empty text: `unicode`.
  public func unicode() -> SQLExpression<Int?> { function("unicode", [], Coding()) }

  /// Returns a part of the text: `substr`.
  /// - Parameters:
  ///   - start: The position of the first Unicode scalar, from 1. A negative number counts from the
  ///     end.
  ///   - count: The number of scalars, or `nil` for all remaining scalars.
  public func substr(_ start: Int, _ count: Int? = nil) -> Self {
    function("substr", [SQL(binding: start)] + (count.map { [SQL(binding: $0)] } ?? []), coding)
  }
  /// Returns a part of the text from a position that is an expression, or NULL if the position is
  /// NULL: `substr`.
  /// - Parameters:
  ///   - start: The position of the first Unicode scalar, from 1. A negative number counts from the
  ///     end.
  ///   - count: The number of scalars, or `nil` for all remaining scalars.
  public func substr<Start: SQLNumeric>(_ start: SQLExpression<Start>, _ count: Int? = nil)
    -> SQLExpression<String?>
  { function("substr", [start.sql] + (count.map { [SQL(binding: $0)] } ?? []), Coding()) }

  /// Returns the text with every occurrence of a value replaced: `replace`.
  /// - Parameters:
  ///   - text: The text to look for.
  ///   - replacement: The replacement.
  public func replace(_ text: String, with replacement: String) -> Self {
    function("replace", [SQL(binding: text), SQL(binding: replacement)], coding)
  }

  /// Returns the text followed by a value: `||`.
  /// - Parameter text: The text to append.
  public func appending(_ text: String) -> Self { infix("||", SQL(binding: text), coding) }
  /// Returns the text followed by an expression's text, or NULL if either is NULL: `||`.
  /// - Parameter text: The text to append.
  public func appending(_ text: Self) -> Self { infix("||", text.sql, coding) }

  /// Returns the bytes of hexadecimal digits, or NULL if the text is not hexadecimal: `unhex`.
  /// - Parameter ignored: Characters to ignore between the digits.
  public func unhex(ignoring ignored: String = "") -> SQLExpression<[UInt8]?> {
    function("unhex", ignored.isEmpty ? [] : [SQL(binding: ignored)], Coding())
  }
}

extension SQLExpression where Value: SQLNumeric, Value.Unwrapped: FixedWidthInteger {
  /// Returns a text of the Unicode scalar with this code point: `char`. For NULL the result is a
  /// NUL.
  public func char() -> SQLExpression<String> { function("char", [], Coding()) }
}
