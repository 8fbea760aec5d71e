/// JSON: columns with `@Column(as: .json)`, and text that contains JSON.
///
/// For text that is not JSON, the query throws `malformed JSON`. See [JSON Functions And
/// Operators](https://www.sqlite.org/json1.html).
extension SQLExpression where Value: Codable {
  /// Returns a value within the JSON, or NULL if the path does not exist or holds `null`: `->>`.
  ///
  /// ```swift
  /// companies.where { $0.address.json("$.city", as: String.self) == "Reims" }
  /// ```
  /// The type is `String`, a number, `Bool`, `Date`, `Decimal`, `UUID` or `Data`, or
  /// `JSON<Content>` for an array or an object. For other types with a different form in JSON, such
  /// as `[UInt8]`, running the query throws.
  public func json<Content: ColumnValue>(_ path: JSONPath, as type: Content.Type)
    -> SQLExpression<Content?>
  {
    let coding = Coding<Content>.element
    let value = infix("->>", path.sql, coding.optional)
    let sql = coding.element(
      value.sql, text: .jsonNumber(infix("->", path.sql, coding.optional).sql))
    return SQLExpression<Content?>(sql, coding.optional)
  }

  /// Returns a part of the JSON as JSON, or NULL if the path does not exist: `->`. The type is
  /// `JSON` of the type to decode, and `null` is decoded as `nil`.
  ///
  /// ```swift
  /// companies.select { $0.profile.json("$.address", as: JSON<Address>.self) }
  /// ```
  public func json<Content>(_ path: JSONPath, as type: JSON<Content>.Type) -> SQLExpression<
    Content?
  > {
    infix("->", path.sql, .json())
  }

  /// Returns the whole JSON as a different type, without white space: `json`.
  /// - Parameter type: `JSON` of the type to decode. `null` is decoded as `nil`.
  public func json<Content>(as type: JSON<Content>.Type) -> SQLExpression<Content?> {
    function("json", [], .json())
  }

  /// Returns several values within the JSON as an array of type `JSON`, with `null` for a path that
  /// does not exist: `json_extract`.
  public func jsonExtract<Content>(
    _ first: JSONPath, _ second: JSONPath, _ others: JSONPath..., as type: JSON<Content>.Type
  ) -> SQLExpression<Content?> {
    function("json_extract", ([first, second] + others).map(\.sql), .json())
  }

  /// Returns the type of the value at a path, or NULL if the path does not exist: `json_type`.
  public func jsonType(_ path: JSONPath = .root) -> SQLExpression<JSONType?> {
    function("json_type", [path.sql], Coding())
  }

  /// Returns the number of an array's elements, 0 for other values, or NULL if the path does not
  /// exist: `json_array_length`.
  public func jsonArrayLength(_ path: JSONPath = .root) -> SQLExpression<Int?> {
    function("json_array_length", [path.sql], Coding())
  }

  /// Returns whether the text is JSON, or NULL for NULL: `json_valid`.
  public func jsonValid() -> SQLExpression<Bool?> { function("json_valid", [], Coding()) }

  /// Returns the JSON in SQLite's binary format: `jsonb`. Requires SQLite 3.45.0.
  public func jsonb() -> SQLExpression<[UInt8]?> { function("jsonb", [], Coding()) }
}
