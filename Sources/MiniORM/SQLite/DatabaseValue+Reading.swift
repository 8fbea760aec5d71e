extension DatabaseValue {
  /// Returns the value as a type.
  ///
  /// ```swift
  /// let size = try row.values[2].value(as: Int?.self)
  /// ```
  /// - Parameter type: The type to read it as: an optional if it can be NULL.
  /// - Throws: ``DatabaseError`` with the operation `read` if it is not of that type. The error
  ///   does not hold the value.
  public func value<Value: ColumnValue>(as type: Value.Type = Value.self) throws(DatabaseError)
    -> Value
  {
    try EchoDatabase.read(self, as: type)
  }
}
