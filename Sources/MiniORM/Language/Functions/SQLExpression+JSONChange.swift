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
