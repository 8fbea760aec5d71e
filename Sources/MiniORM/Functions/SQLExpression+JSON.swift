/// JSON: columns with `@Column(as: .json)`, and text that holds JSON. What is no JSON makes the query
/// throw `malformed JSON`.
///
/// See [JSON Functions And Operators](https://www.sqlite.org/json1.html).
extension SQLExpression where Value: Codable {
  /// A value within the JSON: `->>`. NULL where the path leads nowhere, or to `null`.
  ///
  /// ```swift
  /// companies.where { $0.address.json("$.city", as: String.self) == "Reims" }
  /// ```
  /// - Parameters:
  ///   - path: The path.
  ///   - type: The value's type: `String`, a number or `Bool`; `JSON<Content>` for an array, an
  ///     object or a date.
  public func json<Content: ColumnValue>(_ path: JSONPath, as type: Content.Type)
    -> SQLExpression<Content?>
  { infix("->>", path.sql, Coding()) }

  /// A part of the JSON, which is JSON itself: `->`. NULL where the path leads nowhere.
  ///
  /// ```swift
  /// companies.select { $0.profile.json("$.address", as: JSON<Address>.self) }
  /// ```
  /// - Parameters:
  ///   - path: The path.
  ///   - type: `JSON` of what the part is decoded as; `null` is `nil`.
  public func json<Content>(_ path: JSONPath, as type: JSON<Content>.Type) -> SQLExpression<
    Content?
  > {
    infix("->", path.sql, .json())
  }

  /// The whole of the JSON, without white space, as another type: `json`.
  /// - Parameter type: `JSON` of what it is decoded as; `null` is `nil`.
  public func json<Content>(as type: JSON<Content>.Type) -> SQLExpression<Content?> {
    function("json", [], .json())
  }

  /// Several values within the JSON, as an array: `json_extract`.
  /// - Parameters:
  ///   - first: A path.
  ///   - second: Another path.
  ///   - others: More paths. Where one leads nowhere, the array holds `null`.
  ///   - type: `JSON` of the array.
  public func jsonExtract<Content>(
    _ first: JSONPath, _ second: JSONPath, _ others: JSONPath..., as type: JSON<Content>.Type
  ) -> SQLExpression<Content?> {
    function("json_extract", ([first, second] + others).map(\.sql), .json())
  }

  /// What kind of value stands at a path: `json_type`. NULL where the path leads nowhere.
  /// - Parameter path: The path.
  public func jsonType(_ path: JSONPath = .root) -> SQLExpression<JSONType?> {
    function("json_type", [path.sql], Coding())
  }

  /// The number of elements of an array: `json_array_length`. 0 where there is no array, and NULL
  /// where there is nothing.
  /// - Parameter path: The path of the array.
  public func jsonArrayLength(_ path: JSONPath = .root) -> SQLExpression<Int?> {
    function("json_array_length", [path.sql], Coding())
  }

  /// Whether the text is JSON: `json_valid`. Of NULL it is NULL.
  public func jsonValid() -> SQLExpression<Bool?> { function("json_valid", [], Coding()) }

  /// The JSON in SQLite's binary form: `jsonb`. SQLite has it from 3.45.0 on.
  public func jsonb() -> SQLExpression<[UInt8]?> { function("jsonb", [], Coding()) }
}

extension SQLExpression {
  /// This value as a part of JSON that SQL builds: JSON as what it is and not as a text, a condition
  /// as `true` or `false`, and a date as text.
  var jsonPart: SQL {
    if coding.isJSON { return .call("json", [sql]) }
    if Value.self == Bool.self || Value.self == Bool?.self {
      return SQL(raw: "json(CASE ").appending(
        sql, SQL(raw: " WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)"))
    }
    return coding.dates == nil ? sql : stored(as: .text)
  }
}
