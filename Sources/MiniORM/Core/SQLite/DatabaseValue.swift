import CSQLCipher

/// A value of any storage class, for rows without a model.
///
/// Values of different storage classes differ. Texts are equal if their bytes are equal, as in
/// SQLite: é as a single scalar and é as two scalars differ. Binding NaN throws.
///
/// See [Storage Classes and Datatypes](https://www.sqlite.org/datatype3.html).
public enum DatabaseValue: Sendable {
  /// NULL.
  case null
  /// A signed integer.
  case integer(Int64)
  /// A double.
  case real(Double)
  /// Text.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}

extension DatabaseValue {
  /// Creates the stored form of a column value. A `Date`, a `UUID` or a `Decimal` needs a format:
  /// ``init(_:as:)``.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the value cannot be stored.
  public init<Value: ColumnValue>(_ value: Value) throws(DatabaseError)
  where Value._StoredFormats == _OneStoredFormat {
    try self.init(storing: value)
  }

  package init(storing value: some ColumnValue) throws(DatabaseError) {
    var stored = DatabaseValue.null
    try withUnsafeMutablePointer(to: &stored) { pointer throws(DatabaseError) in
      try value.bind(to: Parameter(capturing: pointer))
    }
    self = stored
  }
}

@_documentation(visibility: internal)
extension DatabaseValue: Hashable {
  /// Returns whether two values are equal and have the same storage class.
  public static func == (left: DatabaseValue, right: DatabaseValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
    case (.blob(let left), .blob(let right)): left == right
    default: false
    }
  }

  /// Hashes the value.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0 as UInt8)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value)
    case .text(let value): hasher.combine(bytesOf: value)
    case .blob(let value): hasher.combine(value)
    }
  }
}

extension DatabaseValue: CustomStringConvertible {
  private static let shown = 32

  /// The value, similar to an SQL literal: `NULL`, `7`, `1.5`, `'Acme'`, `x'00ff'`. A long blob is
  /// shortened, with the number of bytes.
  public var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): value.quotedLiteral
    case .blob(let bytes) where bytes.count <= Self.shown: "x'\(bytes.hexadecimal)'"
    case .blob(let bytes): "x'\(bytes.prefix(Self.shown).hexadecimal)…' (\(bytes.count) bytes)"
    }
  }
}

@_documentation(visibility: internal)
extension DatabaseValue: ColumnValue {
  /// A comparison is NULL if the value is NULL.
  public typealias SQLTruth = Bool?

  /// The declared type: ANY.
  public static var columnType: ColumnType { .any }

  /// `true`, because the value can be NULL.
  public static var isNullable: Bool { true }

  /// Reads a value of any storage class unchanged.
  public init(cell: borrowing Cell) throws(DatabaseError) {
    self =
      switch cell.storageClass {
      case .null: .null
      case .integer: .integer(try cell.integer())
      case .real: .real(try cell.real())
      case .text: .text(try cell.text())
      case .blob: .blob(try cell.withBlob { [UInt8]($0) })
      }
  }

  /// Binds the value.
  /// - Throws: ``DatabaseError`` with the operation `bind` for NaN.
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    switch self {
    case .null: try parameter.bindNull()
    case .integer(let value): try parameter.bind(value)
    case .real(let value): try parameter.bind(value)
    case .text(let value): try parameter.bind(value)
    case .blob(let value): try parameter.bind(bytesIn: { value.withUnsafeBytes($0) })
    }
  }
}

/// The storage class of a value.
///
/// See [Storage Classes and Datatypes](https://www.sqlite.org/datatype3.html).
public enum StorageClass: String, Sendable, CustomStringConvertible {
  /// NULL.
  case null
  /// A signed integer of up to 64 bits.
  case integer
  /// An IEEE 754 double.
  case real
  /// Text.
  case text
  /// Bytes.
  case blob

  init(_ type: Int32) {
    self =
      switch type {
      case SQLITE_INTEGER: .integer
      case SQLITE_FLOAT: .real
      case SQLITE_TEXT: .text
      case SQLITE_BLOB: .blob
      default: .null
      }
  }

  /// The name in SQLite's spelling, for example `TEXT`.
  public var description: String { rawValue.uppercasedASCII }
}

extension DatabaseValue {
  var literal: String {
    switch self {
    case .null: return "NULL"
    case .integer(let value): return String(value)
    case .real(let value): return value.sqlLiteral
    case .text(let value):
      // SQL text ends at a NUL.
      return value.utf8.contains(0)
        ? "CAST(\(DatabaseValue.blob([UInt8](value.utf8)).literal) AS TEXT)" : value.quotedLiteral
    case .blob(let bytes): return "x'" + bytes.hexadecimal + "'"
    }
  }
}

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
