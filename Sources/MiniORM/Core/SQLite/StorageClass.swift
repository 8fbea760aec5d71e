import CSQLCipher

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
