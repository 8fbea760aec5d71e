// The stored form of a date, a UUID or a decimal depends on the column. A text that is compared with
// a number is never less, so a wrong form selects the wrong rows without an error.

@_documentation(visibility: internal)
extension SQL.StringInterpolation {
  /// Unavailable: the stored form depends on the column.
  @available(
    *, unavailable,
    message:
      "a Date, a UUID or a Decimal has several stored forms: write \\(value, as: $0.column), or name the column's format as in \\(value, as: .text), \\(date, as: .unixSecondsReal), \\(id, as: .uuidBytes). A value of a generic type goes into Arguments"
  )
  public mutating func appendInterpolation<Value: ColumnValue>(_ value: Value?) {}

  /// Unavailable: the stored form depends on the column.
  @available(
    *, unavailable,
    message:
      "a Date, a UUID or a Decimal has several stored forms: write \\(values, as: $0.column), or name the column's format as in \\(values, as: .text), \\(dates, as: .unixSecondsReal), \\(ids, as: .uuidBytes)"
  )
  @_disfavoredOverload
  public mutating func appendInterpolation<Values: Sequence>(_ values: Values)
  where Values.Element: ColumnValue {}
}

@_documentation(visibility: internal)
extension SQLExpression {
  /// Unavailable: the stored form depends on the column.
  @available(
    *, unavailable,
    message:
      "a Date, a UUID or a Decimal has several stored forms: name the form that the SQL yields, as in SQLExpression<Date>(sql, as: .unixSecondsReal), or .text for a column without as:"
  )
  public init(_ sql: SQL) where Value: ColumnValue { self.init(wrapping: sql) }
}

@_documentation(visibility: internal)
extension DatabaseValue {
  /// Unavailable: the stored form depends on the column.
  @available(
    *, unavailable,
    message:
      "a Date, a UUID or a Decimal has several stored forms: name the column's format, as in DatabaseValue(date, as: .unixSecondsReal), or .text for a column without as:"
  )
  public init<Value: ColumnValue>(_ value: Value) throws(DatabaseError) {
    try self.init(storing: value)
  }
}
