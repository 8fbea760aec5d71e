#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How a column stores its dates, as far as the date functions know.
enum DateStorage: Sendable {
  case text, seconds, milliseconds
}

/// How values of an expression's type are bound and read: as a ``ColumnValue``, or through the
/// ``ColumnRepresentation`` that a column was declared with.
struct Coding<Value>: Sendable {
  let type: ColumnType
  let isNullable: Bool
  /// How dates are stored, where the values are dates.
  let dates: DateStorage?
  let encode: @Sendable (Value) -> any ColumnValue
  let decode: @Sendable (borrowing Cell) throws(DatabaseError) -> Value

  init() where Value: ColumnValue {
    type = Value.columnType
    isNullable = Value.isNullable
    dates = Value.self == Date.self || Value.self == Date?.self ? .text : nil
    encode = { $0 }
    decode = { cell throws(DatabaseError) in try Value(cell: cell) }
  }

  init<Representation: ColumnRepresentation>(_: Representation.Type)
  where Representation.Value == Value {
    type = Representation.columnType
    isNullable = Representation.isNullable
    dates =
      switch Representation.self {
      case is UnixSeconds.Type, is UnixSeconds?.Type: .seconds
      case is UnixMilliseconds.Type, is UnixMilliseconds?.Type: .milliseconds
      default: nil
      }
    encode = { Representation($0) }
    decode = { cell throws(DatabaseError) in try Representation(cell: cell).value }
  }

  private init(
    _ type: ColumnType, _ isNullable: Bool, _ dates: DateStorage?,
    _ encode: @escaping @Sendable (Value) -> any ColumnValue,
    _ decode: @escaping @Sendable (borrowing Cell) throws(DatabaseError) -> Value
  ) {
    (self.type, self.isNullable, self.dates) = (type, isNullable, dates)
    (self.encode, self.decode) = (encode, decode)
  }

  /// The same without nil.
  func unwrapped<Wrapped>() -> Coding<Wrapped> where Value == Wrapped? {
    let (encode, decode) = (encode, decode)
    return Coding<Wrapped>(
      type, false, dates, { encode($0) },
      { cell throws(DatabaseError) in
        guard let value = try decode(cell) else { throw cell.invalid("Unexpected NULL") }
        return value
      })
  }

  /// The same with NULL as nil.
  var optional: Coding<Value?> {
    let (encode, decode) = (encode, decode)
    return Coding<Value?>(
      type, true, dates, { $0.map(encode) ?? DatabaseValue.null },
      { cell throws(DatabaseError) in cell.isNull ? nil : try decode(cell) })
  }
}
