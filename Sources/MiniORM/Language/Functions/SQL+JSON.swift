/// JSON that a query builds, decoded as a Swift type.
///
/// JSON values become part of the result, conditions become `true` and `false`, numbers keep all
/// digits, and dates become texts that decode as a `Date`. For a column of bytes, running the query
/// throws.
///
/// See [JSON Functions And Operators](https://www.sqlite.org/json1.html).
extension SQL {
  /// Returns an object with keys and values, decoded as a type: `json_object`.
  ///
  /// ```swift
  /// companies.select {
  ///   SQL.jsonObject(as: Line.self, ("name", $0.name), ("tags", $0.tags))
  /// }
  /// ```
  public static func jsonObject<Content: Codable & Sendable, each Value>(
    as type: Content.Type, _ members: repeat (String, SQLExpression<each Value>)
  ) -> SQLExpression<Content> {
    var parts: [SQL] = []
    func add<Member>(_ member: (String, SQLExpression<Member>)) {
      parts += [SQL(binding: member.0), member.1.jsonPart]
    }
    repeat add(each members)
    return SQLExpression(.call("json_object", parts), Coding(JSON<Content>.self))
  }

  /// Returns an array of values, decoded as a type: `json_array`.
  public static func jsonArray<Content: Codable & Sendable, each Value>(
    as type: Content.Type, _ values: repeat SQLExpression<each Value>
  ) -> SQLExpression<Content> {
    var parts: [SQL] = []
    repeat parts.append((each values).jsonPart)
    return SQLExpression(.call("json_array", parts), Coding(JSON<Content>.self))
  }

  /// Returns an object with a key and a value for each row of a group: `json_group_object`.
  /// - Parameters:
  ///   - key: The key of a row.
  ///   - value: The value of a row.
  ///   - terms: The order of the keys, which is undefined without terms.
  ///   - filter: A condition for the rows to include.
  public static func jsonGroupObject<Value: Codable & Sendable, each Term: OrderingTerm>(
    _ key: SQLExpression<String>, _ value: SQLExpression<Value>, orderBy terms: repeat each Term,
    filter: (any SQLCondition)? = nil
  ) -> SQLExpression<[String: Value]> {
    .aggregate(
      "json_group_object", [key.sql, value.jsonPart],
      ordering: SQLExpression<Value>.terms(repeat each terms), filter: filter,
      Coding(JSON<[String: Value]>.self))
  }
}

extension SQLExpression where Value: Codable & Sendable {
  /// Returns an array of the values of a group's rows, with `null` for NULL: `json_group_array`.
  ///
  /// ```swift
  /// companies.group { $0.cityID }.select { ($0.cityID, $0.name.jsonGroupArray(orderBy: $0.name)) }
  /// ```
  /// - Parameters:
  ///   - distinct: Whether equal values appear once.
  ///   - terms: The order of the values, which is undefined without terms.
  ///   - filter: A condition for the rows to include.
  /// - Returns: The array, which is empty if there are no rows.
  public func jsonGroupArray<each Term: OrderingTerm>(
    distinct: Bool = false, orderBy terms: repeat each Term, filter: (any SQLCondition)? = nil
  ) -> SQLExpression<[Value]> {
    .aggregate(
      "json_group_array", [jsonPart], distinct: distinct,
      ordering: Self.terms(repeat each terms), filter: filter, Coding(JSON<[Value]>.self))
  }
}
