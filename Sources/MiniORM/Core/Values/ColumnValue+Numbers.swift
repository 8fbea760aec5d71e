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
