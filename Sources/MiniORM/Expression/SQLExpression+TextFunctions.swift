/// See [Built-In Scalar SQL Functions](https://www.sqlite.org/lang_corefunc.html).
extension SQLExpression where Value: SQLText {
  /// The text with the 26 letters of ASCII in lower case: `lower`.
  public func lower() -> Self { function("lower", [], coding) }
  /// The text with the 26 letters of ASCII in upper case: `upper`.
  public func upper() -> Self { function("upper", [], coding) }

  /// The text without some characters at both ends: `trim`.
  /// - Parameter characters: The characters to remove; spaces when there are none given.
  public func trim(_ characters: String? = nil) -> Self { trimmed("trim", characters) }
  /// The text without some characters at its beginning: `ltrim`.
  /// - Parameter characters: The characters to remove; spaces when there are none given.
  public func ltrim(_ characters: String? = nil) -> Self { trimmed("ltrim", characters) }
  /// The text without some characters at its end: `rtrim`.
  /// - Parameter characters: The characters to remove; spaces when there are none given.
  public func rtrim(_ characters: String? = nil) -> Self { trimmed("rtrim", characters) }

  private func trimmed(_ name: String, _ characters: String?) -> Self {
    function(name, characters.map { [SQL(binding: $0)] } ?? [], coding)
  }

  /// The number of Unicode scalars before the first NUL: `length`. That of NULL is NULL.
  public func length() -> SQLExpression<Int?> { function("length", [], Coding()) }
  /// Where another text begins, counted in Unicode scalars from 1; 0 where it is not: `instr`.
  /// - Parameter text: The text to look for.
  public func instr(_ text: String) -> SQLExpression<Int?> {
    function("instr", [SQL(binding: text)], Coding())
  }
  /// Where the text of another expression begins, from 1; 0 where it is not: `instr`.
  /// - Parameter text: The text to look for.
  public func instr<Text: SQLText>(_ text: SQLExpression<Text>) -> SQLExpression<Int?> {
    function("instr", [text.sql], Coding())
  }
  /// The number of the first Unicode scalar, NULL for the empty text: `unicode`.
  public func unicode() -> SQLExpression<Int?> { function("unicode", [], Coding()) }

  /// Part of the text: `substr`.
  /// - Parameters:
  ///   - start: The first Unicode scalar, from 1; a negative number counts from the end.
  ///   - count: How many scalars; without it, all that follow.
  public func substr(_ start: Int, _ count: Int? = nil) -> Self {
    function("substr", [SQL(binding: start)] + (count.map { [SQL(binding: $0)] } ?? []), coding)
  }
  /// Part of the text, from a place that is an expression: `substr`. NULL where the place is.
  /// - Parameters:
  ///   - start: The first Unicode scalar, from 1; a negative number counts from the end.
  ///   - count: How many scalars; without it, all that follow.
  public func substr<Start: SQLNumeric>(_ start: SQLExpression<Start>, _ count: Int? = nil)
    -> SQLExpression<String?>
  { function("substr", [start.sql] + (count.map { [SQL(binding: $0)] } ?? []), Coding()) }

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
  /// The text followed by that of another expression: `||`. NULL where one of them is.
  /// - Parameter text: The text to append.
  public func appending(_ text: Self) -> Self { infix("||", text.sql, coding) }

  /// The bytes that hexadecimal digits stand for, NULL where the text is none: `unhex`.
  /// - Parameter ignored: Characters to pass over between the digits.
  public func unhex(ignoring ignored: String = "") -> SQLExpression<[UInt8]?> {
    function("unhex", ignored.isEmpty ? [] : [SQL(binding: ignored)], Coding())
  }
}

extension SQLExpression where Value: SQLNumeric, Value.Unwrapped: FixedWidthInteger {
  /// The text of the one Unicode scalar with this number: `char`. That of NULL is NUL.
  public func char() -> SQLExpression<String> { function("char", [], Coding()) }
}
