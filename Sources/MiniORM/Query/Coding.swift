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
  /// The type that knows how values are stored: the values' own, or a representation.
  let stored: any Any.Type
  let encode: @Sendable (Value) -> any ColumnValue
  let decode: @Sendable (borrowing Cell) throws(DatabaseError) -> Value

  init() where Value: ColumnValue {
    type = Value.columnType
    isNullable = Value.isNullable
    dates = Value.self == Date.self || Value.self == Date?.self ? .text : nil
    stored = Value.self
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
    stored = Representation.self
    encode = { Representation($0) }
    decode = { cell throws(DatabaseError) in try Representation(cell: cell).value }
  }

  private init(
    _ type: ColumnType, _ isNullable: Bool, _ dates: DateStorage?, _ stored: any Any.Type,
    _ encode: @escaping @Sendable (Value) -> any ColumnValue,
    _ decode: @escaping @Sendable (borrowing Cell) throws(DatabaseError) -> Value
  ) {
    (self.type, self.isNullable, self.dates, self.stored) = (type, isNullable, dates, stored)
    (self.encode, self.decode) = (encode, decode)
  }

  /// The same without nil.
  func unwrapped<Wrapped>() -> Coding<Wrapped> where Value == Wrapped? {
    let (encode, decode) = (encode, decode)
    return Coding<Wrapped>(
      type, false, dates, stored, { encode($0) },
      { cell throws(DatabaseError) in
        guard let value = try decode(cell) else { throw cell.invalid("Unexpected NULL") }
        return value
      })
  }

  /// The same with NULL as nil.
  var optional: Coding<Value?> {
    let (encode, decode) = (encode, decode)
    return Coding<Value?>(
      type, true, dates, stored, { $0.map(encode) ?? DatabaseValue.null },
      { cell throws(DatabaseError) in cell.isNull ? nil : try decode(cell) })
  }
}

/// A ``Coding`` of values of any type.
protocol StoredCoding: Sendable {
  var stored: any Any.Type { get }
}

extension Coding: StoredCoding {}

extension StoredCoding {
  /// Whether equal values are stored as the same, NULL aside.
  func isStored(like other: any StoredCoding) -> Bool {
    stored == other.stored || Self.base(stored) == Self.base(other.stored)
  }

  /// What both are called in a message.
  func difference(from other: any StoredCoding) -> String {
    "\(Self.base(stored)) and \(Self.base(other.stored))"
  }

  private static func base(_ type: any Any.Type) -> any Any.Type {
    (type as? any Wrapping.Type).map { base($0.wrapped) } ?? type
  }
}

private protocol Wrapping {
  static var wrapped: any Any.Type { get }
}

extension Optional: Wrapping {
  fileprivate static var wrapped: any Any.Type { Wrapped.self }
}
