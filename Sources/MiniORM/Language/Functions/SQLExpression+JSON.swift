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

/// Changes to JSON, for ``Table/update(_:)``.
///
/// ```swift
/// companies.update { $0.address = $0.address.settingJSON("$.city", to: "Reims") }
/// ```
///
/// Values have the format of `JSONEncoder`, except that an expression's date is a text. NULL stays
/// NULL. See [JSON Functions And Operators](https://www.sqlite.org/json1.html#jset).
extension SQLExpression where Value: Codable {
  private func changed(_ name: String, _ path: JSONPath, _ value: SQL) -> Self {
    function(name, [path.sql, value], coding)
  }

  private static func part(_ value: some Codable & Sendable) -> SQL {
    .call("json", [SQL(binding: JSON(value))])
  }

  /// Returns the JSON with a value set at a path, whether or not the path exists: `json_set`.
  ///
  /// A missing last key is added. `[#]` appends to an array.
  public func settingJSON(_ path: JSONPath, to value: some Codable & Sendable) -> Self {
    changed("json_set", path, Self.part(value))
  }
  /// Returns the JSON with an expression's value set at a path: `json_set`.
  public func settingJSON<Other>(_ path: JSONPath, to value: SQLExpression<Other>) -> Self {
    changed("json_set", path, value.jsonPart)
  }

  /// Returns the JSON with a value inserted at a path, if the path does not exist: `json_insert`.
  ///
  /// `[#]` appends to an array.
  public func insertingJSON(_ value: some Codable & Sendable, at path: JSONPath) -> Self {
    changed("json_insert", path, Self.part(value))
  }
  /// Returns the JSON with an expression's value inserted at a path: `json_insert`.
  public func insertingJSON<Other>(_ value: SQLExpression<Other>, at path: JSONPath) -> Self {
    changed("json_insert", path, value.jsonPart)
  }

  /// Returns the JSON with the value at a path replaced, if the path exists: `json_replace`.
  public func replacingJSON(_ path: JSONPath, with value: some Codable & Sendable) -> Self {
    changed("json_replace", path, Self.part(value))
  }
  /// Returns the JSON with the value at a path replaced by an expression's value: `json_replace`.
  public func replacingJSON<Other>(_ path: JSONPath, with value: SQLExpression<Other>) -> Self {
    changed("json_replace", path, value.jsonPart)
  }

  /// Returns the JSON without the values at some paths, removed in order: `json_remove`.
  ///
  /// Removing the root, `$`, gives NULL, or throws if the column cannot be NULL.
  public func removingJSON(_ path: JSONPath, _ others: JSONPath...) -> Self {
    var paths = ([path] + others).map(\.sql)
    if !coding.isNullable, ([path] + others).contains(.root) {
      paths[0].record(
        .query(
          "Removing the root of JSON, $, gives NULL, but the result is not optional: remove a path below the root"
        ))
    }
    return function("json_remove", paths, coding)
  }

  /// Returns the JSON after a merge patch: `json_patch`. A `null` in the patch removes the key.
  ///
  /// See [RFC 7396](https://www.rfc-editor.org/rfc/rfc7396).
  /// - Parameter patch: The patch, which must encode as an object.
  public func patchingJSON(with patch: some Codable & Sendable) -> Self {
    function("json_patch", [SQL(binding: JSON(patch))], coding)
  }
  /// Returns the JSON after a merge patch from an expression: `json_patch`. A NULL patch changes
  /// nothing.
  public func patchingJSON<Other: Codable>(with patch: SQLExpression<Other>) -> Self {
    // SQLite returns NULL for a NULL patch.
    let part = patch.coding.isNullable ? .call("ifnull", [patch.sql, SQL(raw: "'{}'")]) : patch.sql
    return function("json_patch", [part], coding)
  }
}

// The only place where a value enters or leaves JSON in SQL.

extension SQLExpression {
  /// The value as part of JSON, as `JSONEncoder` writes the value, except that a date is a text.
  var jsonPart: SQL {
    if coding.isJSON { return .call("json", [sql]) }
    if Value.self == Bool.self || Value.self == Bool?.self {
      return SQL(raw: "json(CASE ").appending(
        sql, SQL(raw: " WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)"))
    }
    if coding.dates != nil { return date(storedAs: .text) }
    // The text of a number is JSON.
    if let text = coding.isDecimalText ? sql : decimalText { return .call("json", [text]) }
    if coding.isUUIDText { return .call("upper", [sql]) }
    if coding.type == .real { return .call("json", [.call(JSONNumber.name, [sql])]) }
    guard coding.type == .blob, let column else { return sql }
    var sql = sql
    sql.record(
      .query(
        "\(column.table).\(column.name) holds bytes, which JSON cannot hold: select the column beside the JSON, or store "
          + "it as text"))
    return sql
  }
}

extension Coding {
  /// Converts a value within JSON to the format of this coding.
  /// - Parameters:
  ///   - value: The SQL value: `->>`.
  ///   - text: The JSON text of the value: `->`.
  func element(_ value: SQL, text: @autoclosure () -> SQL) -> SQL {
    // A date in JSON may be a number or a text.
    if dates == .reference { return value.jsonDate }
    // As an SQL value, the number would be a REAL with 15 digits.
    if isDecimalText { return text() }
    // JSONEncoder writes a UUID in uppercase. `lower` makes it comparable with a bound UUID.
    if isUUIDText { return .call("lower", [value]) }
    guard type == .blob || Value.self is any ColumnRepresentation.Type else { return value }
    var value = value
    value.record(
      .query(
        "\(Value.self) cannot be read from JSON: read it as JSON<…> of a Codable type, or as a text, "
          + "a number, a Bool, Date, Decimal, UUID or Data"))
    return value
  }
}

extension SQL {
  /// Returns the text of a JSON number, or NULL for `null`. The number may be in a string.
  static func jsonNumber(_ json: SQL) -> SQL {
    .call("trim", [.call("nullif", [json, SQL(raw: "'null'")]), SQL(raw: "'\"'")])
  }
}
