/// JSON that a query builds. Each is read as a Swift type: JSON among the values becomes a part of it,
/// conditions become `true` and `false`, and dates become texts that read as a `Date`.
///
/// See [JSON Functions And Operators](https://www.sqlite.org/json1.html).
extension SQL {
  /// An object of some keys and values: `json_object`.
  ///
  /// ```swift
  /// companies.select {
  ///   SQL.jsonObject(as: Line.self, ("name", $0.name), ("tags", $0.tags))
  /// }
  /// ```
  /// - Parameters:
  ///   - type: What the object is decoded as.
  ///   - members: Keys, each with an expression.
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

  /// An array of some values: `json_array`.
  /// - Parameters:
  ///   - type: What the array is decoded as.
  ///   - values: The values.
  public static func jsonArray<Content: Codable & Sendable, each Value>(
    as type: Content.Type, _ values: repeat SQLExpression<each Value>
  ) -> SQLExpression<Content> {
    var parts: [SQL] = []
    repeat parts.append((each values).jsonPart)
    return SQLExpression(.call("json_array", parts), Coding(JSON<Content>.self))
  }

  /// An object of the keys and values of a group's rows: `json_group_object`.
  /// - Parameters:
  ///   - key: The key of a row.
  ///   - value: The value of a row.
  ///   - terms: The order of the keys; without one, any.
  ///   - filter: The condition of the rows to take.
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
  /// An array of the values of a group's rows, NULL as `null`: `json_group_array`.
  ///
  /// ```swift
  /// companies.group { $0.cityID }.select { ($0.cityID, $0.name.jsonGroupArray(orderBy: $0.name)) }
  /// ```
  /// - Parameters:
  ///   - distinct: Whether equal values come once.
  ///   - terms: The order of the values; without one, any.
  ///   - filter: The condition of the rows to take.
  /// - Returns: The array; an empty one where there are no rows.
  public func jsonGroupArray<each Term: OrderingTerm>(
    distinct: Bool = false, orderBy terms: repeat each Term, filter: (any SQLCondition)? = nil
  ) -> SQLExpression<[Value]> {
    .aggregate(
      "json_group_array", [jsonPart], distinct: distinct,
      ordering: Self.terms(repeat each terms), filter: filter, Coding(JSON<[Value]>.self))
  }
}
