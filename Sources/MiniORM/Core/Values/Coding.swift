#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

enum DateStorage: String, Sendable, CaseIterable {
  case text, iso8601, textSeconds, seconds, milliseconds
  /// Seconds since 1970 with a fraction.
  case real
  /// Seconds since 2001, as in JSON.
  case reference
}

struct Coding<Value>: Sendable {
  // A single reference: expressions are copied often, and each operator creates a coding.
  private let known: Known

  var type: ColumnType { known.type }
  var isNullable: Bool { known.isNullable }
  var dates: DateStorage? { known.dates }
  /// The type that determines the storage format, without optionals: the value type or its
  /// representation. Nil if unknown.
  var stored: (any Any.Type)? { known.stored }
  private var isPlain: Bool { known.isPlain }
  var isDecimalText: Bool { known.isDecimalText }
  var isUUIDText: Bool { stored.map { $0 == UUID.self } ?? false }
  var decode: @Sendable (borrowing Cell) throws(DatabaseError) -> Value { known.decode }

  func encode(_ value: Value) -> any ColumnValue { known.encode(value) }

  /// Encodes a value for a comparison. A date between two stored counts equals neither.
  func encodeCompared(_ value: Value) -> any ColumnValue {
    guard dates != nil, let type = stored as? any TimeStored.Type, let date = value as? Date
    else { return encode(value) }
    return type.compared(date) ?? encode(value)
  }

  private final class Known: Sendable {
    let type: ColumnType
    let isNullable: Bool
    let dates: DateStorage?
    let stored: (any Any.Type)?
    let isPlain: Bool
    let isDecimalText: Bool
    let encode: @Sendable (Value) -> any ColumnValue
    let decode: @Sendable (borrowing Cell) throws(DatabaseError) -> Value

    init(
      _ type: ColumnType, _ isNullable: Bool, _ dates: DateStorage?, _ stored: (any Any.Type)?,
      isPlain: Bool = false, _ encode: @escaping @Sendable (Value) -> any ColumnValue,
      _ decode: @escaping @Sendable (borrowing Cell) throws(DatabaseError) -> Value
    ) {
      (self.type, self.isNullable, self.dates, self.stored) = (type, isNullable, dates, stored)
      (self.isPlain, self.encode, self.decode) = (isPlain, encode, decode)
      isDecimalText = stored.map { $0 == Decimal.self } ?? false
    }
  }

  init() where Value: ColumnValue {
    // The codings of Bool and Bool? are cached, because most operators return a condition.
    if Value.self == Bool.self {
      self = unsafeBitCast(codingOfBool, to: Coding.self)  // Value is Bool
    } else if Value.self == Bool?.self {
      // Value is Bool?, so the types are equal.
      self = unsafeBitCast(codingOfOptionalBool, to: Coding.self)
    } else {
      self.init(new: Value.self)
    }
  }

  fileprivate init(new type: Value.Type) where Value: ColumnValue {
    known = Known(
      Value.columnType, Value.isNullable,
      Value.self == Date.self || Value.self == Date?.self ? .text : nil, Self.base(type),
      isPlain: true, { $0 }, { cell throws(DatabaseError) in try Value(cell: cell) })
  }

  init<Representation: ColumnRepresentation>(_: Representation.Type)
  where Representation.Value == Value {
    let stored = Self.base(Representation.self)
    known = Known(
      Representation.columnType, Representation.isNullable, DateStorage(of: stored), stored,
      { Representation($0) },
      { cell throws(DatabaseError) in try Representation(cell: cell).value })
  }

  private init(_ known: Known) { self.known = known }

  func isSame<Other>(as other: Coding<Other>) -> Bool {
    ObjectIdentifier(known) == ObjectIdentifier(other.known)
  }

  var plainKind: PlainKind? { isPlain ? PlainKind.of[ObjectIdentifier(Value.self)] : nil }

  private static func base<Stored: ColumnValue>(_ type: Stored.Type) -> any Any.Type {
    // Faster than a dynamic cast alone.
    guard Stored.isNullable, let optional = type as? any Wrapping.Type else { return type }
    return optional.wrapped
  }

  var ofUnknownStorage: Coding {
    Coding(Known(type, isNullable, dates, nil, isPlain: isPlain, known.encode, known.decode))
  }

  var isJSON: Bool { stored is any JSONStored.Type }

  /// Both `null` and NULL are read as `nil`.
  static func json<Content: Codable & Sendable>() -> Coding where Value == Content? {
    Coding(
      Known(
        .text, true, nil, JSON<Content>.self,
        { $0.map { JSON($0) as any ColumnValue } ?? DatabaseValue.null },
        { cell throws(DatabaseError) in cell.isNull ? nil : try JSON<Content?>(cell: cell).value }))
  }

  func unwrapped<Wrapped>() -> Coding<Wrapped> where Value == Wrapped? {
    let (encode, decode) = (known.encode, known.decode)
    return Coding<Wrapped>(
      Coding<Wrapped>.Known(type, false, dates, stored, { encode($0) }) {
        cell throws(DatabaseError) in
        guard let value = try decode(cell) else { throw cell.invalid("Unexpected NULL") }
        return value
      })
  }

  var optional: Coding<Value?> { nullable() }

  /// Returns the coding of the values and nil, where `Wrapped` is the type without optionals.
  func nullable<Wrapped>() -> Coding<Wrapped?> {
    let (encode, decode) = (known.encode, known.decode)
    return Coding<Wrapped?>(
      Coding<Wrapped?>.Known(
        type, true, dates, stored, isPlain: isPlain,
        { ($0 as? Value).map(encode) ?? DatabaseValue.null },
        { cell throws(DatabaseError) in cell.isNull ? nil : try decode(cell) as? Wrapped }))
  }
}

private let codingOfBool = Coding(new: Bool.self)
private let codingOfOptionalBool = Coding(new: Bool?.self)

protocol StoredCoding: Sendable {
  var type: ColumnType { get }
  var isNullable: Bool { get }
  var plainKind: PlainKind? { get }
  var stored: (any Any.Type)? { get }
  var dates: DateStorage? { get }
}

extension Coding: StoredCoding {}

extension StoredCoding {
  var format: StoredFormat { StoredFormat(type: stored, dates: dates) }

  func meeting(_ other: any StoredCoding) -> StoredFormat.Meeting { format.meeting(other.format) }
}

extension StoredCoding {
  func mistake(selectedAs property: String, _ other: any StoredCoding) -> DatabaseError {
    let advice = "\(format.advice) on the property of the @Selection"
    return .query(
      "Property \(property) of a @Selection reads \(Self.name(other.stored)), but the selected column "
        + "stores \(Self.name(stored)): \(advice)")
  }

  private static func name(_ type: (any Any.Type)?) -> String { type.map { "\($0)" } ?? "SQL" }
}

extension StoredFormat {
  /// The change that gives a property this format.
  fileprivate var advice: String {
    if let storage = type.flatMap({ ColumnStorage(of: $0) }) {
      return "write '@Column(as: .\(storage))'"
    }
    return type is any ColumnRepresentation.Type
      ? "write '@Column(as: \(name).self)'" : "leave out '@Column(as:)'"
  }

  private var valueType: (any Any.Type)? {
    func value<Format: ColumnRepresentation>(of type: Format.Type) -> any Any.Type {
      Format.Value.self
    }
    return (type as? any ColumnRepresentation.Type).map { value(of: $0) } ?? type
  }

  /// The change that gives a column the format of its parent's key.
  func advice(for column: String, from other: StoredFormat) -> String {
    valueType == other.valueType
      ? "\(advice) on \(column)" : "declare both with the same type and the same @Column(as:)"
  }
}

protocol Wrapping {
  static var wrapped: any Any.Type { get }
}

extension Optional: Wrapping {
  static var wrapped: any Any.Type {
    (Wrapped.self as? any Wrapping.Type)?.wrapped ?? Wrapped.self
  }
}

protocol JSONStored {
  static var content: any Any.Type { get }
}
extension JSON: JSONStored {
  static var content: any Any.Type { Value.self }
}
