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
