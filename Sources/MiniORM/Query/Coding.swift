/// How values of an expression's type are bound and read: as a ``ColumnValue``, or through the
/// ``ColumnRepresentation`` that a column was declared with.
struct Coding<Value>: Sendable {
  let type: ColumnType
  let isNullable: Bool
  let encode: @Sendable (Value) -> any ColumnValue
  let decode: @Sendable (borrowing Cell) throws(DatabaseError) -> Value

  init() where Value: ColumnValue {
    type = Value.columnType
    isNullable = Value.isNullable
    encode = { $0 }
    decode = { cell throws(DatabaseError) in try Value(cell: cell) }
  }

  init<Representation: ColumnRepresentation>(_: Representation.Type)
  where Representation.Value == Value {
    type = Representation.columnType
    isNullable = Representation.isNullable
    encode = { Representation($0) }
    decode = { cell throws(DatabaseError) in try Representation(cell: cell).value }
  }

  private init(
    _ type: ColumnType, _ isNullable: Bool,
    _ encode: @escaping @Sendable (Value) -> any ColumnValue,
    _ decode: @escaping @Sendable (borrowing Cell) throws(DatabaseError) -> Value
  ) {
    (self.type, self.isNullable, self.encode, self.decode) = (type, isNullable, encode, decode)
  }

  /// The same without nil.
  func unwrapped<Wrapped>() -> Coding<Wrapped> where Value == Wrapped? {
    let (encode, decode) = (encode, decode)
    return Coding<Wrapped>(
      type, false, { encode($0) },
      { cell throws(DatabaseError) in
        guard let value = try decode(cell) else { throw cell.invalid("Unexpected NULL") }
        return value
      })
  }

  /// The same with NULL as nil.
  var optional: Coding<Value?> {
    let (encode, decode) = (encode, decode)
    return Coding<Value?>(
      type, true, { $0.map(encode) ?? DatabaseValue.null },
      { cell throws(DatabaseError) in cell.isNull ? nil : try decode(cell) })
  }
}
