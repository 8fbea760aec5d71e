extension ColumnValue where Self: FixedWidthInteger {
  /// The declared type: INTEGER.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .integer }

  /// Reads an INTEGER. An integer outside the type's range throws.
  @_documentation(visibility: internal)
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) {
    let integer = try cell.integer()
    guard let value = Self(exactly: integer) else {
      throw cell.invalid("The integer is out of the range of \(Self.self)")
    }
    self = value
  }

  /// Binds the integer. An unsigned integer above `Int64.max` throws, because SQLite's integers are
  /// signed.
  @_documentation(visibility: internal)
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    guard let integer = Int64(exactly: self) else {
      throw parameter.invalid(
        "The integer is too large: SQLite stores integers up to Int64.max. Store it as text")
    }
    try parameter.bind(integer)
  }
}

extension Int: ColumnValue {}
extension Int8: ColumnValue {}
extension Int16: ColumnValue {}
extension Int32: ColumnValue {}
extension Int64: ColumnValue {}
extension UInt: ColumnValue {}
extension UInt8: ColumnValue {}
extension UInt16: ColumnValue {}
extension UInt32: ColumnValue {}
extension UInt64: ColumnValue {}

extension Bool: ColumnValue {
  /// The declared type: INTEGER.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .integer }

  /// Reads 0 as `false` and 1 as `true`. Any other value throws.
  @_documentation(visibility: internal)
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) {
    switch try cell.integer() {
    case 0: self = false
    case 1: self = true
    default: throw cell.invalid("Expected 0 or 1 for a Bool")
    }
  }

  /// Binds 0 for `false` and 1 for `true`.
  @_documentation(visibility: internal)
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(Int64(self ? 1 : 0))
  }
}

extension Double: ColumnValue {
  /// The declared type: REAL.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .real }

  /// Reads a REAL, or an INTEGER that a Double represents exactly.
  @_documentation(visibility: internal)
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) { self = try cell.real() }

  /// Binds the number. Infinities are stored. NaN throws, because SQLite would convert it to NULL.
  @_documentation(visibility: internal)
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(self)
  }
}

extension Float: ColumnValue {
  /// The declared type: REAL.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .real }

  /// Reads a REAL, rounded to the nearest Float. A number beyond the largest Float throws.
  @_documentation(visibility: internal)
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) {
    let double = try cell.real()
    let value = Float(double)
    guard value.isFinite == double.isFinite else {
      throw cell.invalid("The number is out of the range of Float")
    }
    self = value
  }

  /// Binds the number. Infinities are stored. NaN throws, because SQLite would convert it to NULL.
  @_documentation(visibility: internal)
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(Double(self))
  }
}

extension String: ColumnValue {
  /// The declared type: TEXT.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT, including NUL characters. Bytes that are not UTF-8 throw.
  @_documentation(visibility: internal)
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) { self = try cell.text() }

  /// Binds the text, including NUL characters.
  @_documentation(visibility: internal)
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(self)
  }
}

extension Array: ColumnValue where Element == UInt8 {
  /// The declared type: BLOB.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .blob }

  /// Reads a BLOB. An empty BLOB becomes an empty array.
  @_documentation(visibility: internal)
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) {
    self = try cell.withBlob { [UInt8]($0) }
  }

  /// Binds the bytes as a BLOB. An empty array binds an empty BLOB, not NULL.
  @_documentation(visibility: internal)
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(bytesIn: { withUnsafeBytes($0) })
  }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  /// The column type of the wrapped type.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { Wrapped.columnType }

  /// `true`, because `nil` is NULL.
  @_documentation(visibility: internal)
  @inlinable
  public static var isNullable: Bool { true }

  /// The storage formats of the wrapped type.
  @_documentation(visibility: internal)
  public typealias _StoredFormats = Wrapped._StoredFormats

  /// Reads NULL as `nil`, and any other value as the wrapped type. For ``JSON``, the text `null` is
  /// `nil` too.
  @_documentation(visibility: internal)
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) {
    if cell.isNull {
      self = nil
      return
    }
    do throws(DatabaseError) {
      self = try Wrapped(cell: cell)
    } catch {
      guard isJSONNull(cell, Wrapped.self) else { throw error }
      self = nil
    }
  }

  /// Binds the wrapped value, or NULL for `nil`.
  @_documentation(visibility: internal)
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    if let value = self { try value.bind(to: parameter) } else { try parameter.bindNull() }
  }
}

@usableFromInline
func isJSONNull<Stored: ColumnValue>(_ cell: borrowing Cell, _ type: Stored.Type) -> Bool {
  guard type is any JSONStored.Type, let text = try? cell.text() else { return false }
  return text.utf8.elementsEqual("null".utf8)
}

extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
  /// The column type of the raw value.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { RawValue.columnType }

  /// Reads the raw value. An invalid raw value throws.
  @_documentation(visibility: internal)
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) {
    guard let value = Self(rawValue: try RawValue(cell: cell)) else {
      throw cell.invalid("The stored value is not a raw value of \(Self.self)")
    }
    self = value
  }

  /// Binds the raw value.
  @_documentation(visibility: internal)
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try rawValue.bind(to: parameter)
  }
}

// The database assigns a key that is an integer or wraps an Int64, such as `struct ID:
// RawRepresentable`, but not a key that wraps an Int, the usual raw value of an enumeration: an
// assigned number need not be a case.

// In an extension of `ColumnValue`, both type aliases would be ambiguous.
extension RawRepresentable where RawValue: ColumnValue {
  /// Selects the draft for a key of this type.
  public typealias _Key = RawValue._WrappedKey
}

extension FixedWidthInteger {
  /// The database assigns a key of this type.
  public typealias _Key = _AssignedKey
}

extension Int64 {
  /// The database assigns a key whose type wraps this type.
  public typealias _WrappedKey = _AssignedKey
}
