extension DatabaseValue {
  /// Returns the value, converted to a type.
  ///
  /// ```swift
  /// let size = try row.values[2].value(as: Int?.self)
  /// ```
  /// - Parameter type: The type, optional for a value that can be NULL.
  /// - Throws: ``DatabaseError`` with the operation `read`, without the value, if the value cannot
  ///   be converted.
  public func value<Value: ColumnValue>(as type: Value.Type = Value.self) throws(DatabaseError)
    -> Value
  {
    try EchoDatabase.read(self, as: type)
  }
}
