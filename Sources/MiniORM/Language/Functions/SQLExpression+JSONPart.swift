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
    // JSONEncoder writes a UUID in uppercase, and MiniORM binds a UUID in lowercase.
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
