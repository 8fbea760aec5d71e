public import CSQLCipher

/// A value of a result row, borrowed until the statement advances.
///
/// A ``ColumnValue`` is created from a cell, for example with ``text()``. A cell's methods throw
/// for an unexpected storage class. They never use SQLite's own conversions, which turn `'abc'`
/// into 0.
///
/// See [Result Values From A Query](https://www.sqlite.org/c3ref/column_blob.html).
public struct Cell: ~Copyable {
  // nil for an argument of a function, or, with a negative index, for any other value.
  @usableFromInline let statement: OpaquePointer?
  @usableFromInline let index: Int32
  // Avoids a second lookup of the value. The value is "unprotected", which is safe because only the
  // connection's executor accesses the value.
  @usableFromInline let value: OpaquePointer?
  @usableFromInline let type: Int32

  @inlinable
  init(_ statement: OpaquePointer?, _ index: Int32, _ value: OpaquePointer?) {
    self.statement = statement
    self.index = index
    self.value = value
    type = sqlite3_value_type(value)
  }

  @inlinable
  init(_ statement: OpaquePointer, _ index: Int32) {
    self.init(statement, index, sqlite3_column_value(statement, index))
  }

  /// The value's storage class.
  public var storageClass: StorageClass { StorageClass(type) }

  /// True if the value is NULL.
  @inlinable
  public var isNull: Bool { type == SQLITE_NULL }

  /// Returns the value as a 64-bit integer.
  /// - Throws: ``DatabaseError`` with the operation `read` if the storage class is not INTEGER.
  @inlinable
  public func integer() throws(DatabaseError) -> Int64 {
    guard type == SQLITE_INTEGER else { throw mismatch(expected: .integer) }
    return sqlite3_value_int64(value)
  }

  /// Returns the value as a double.
  /// - Returns: A REAL value, or an INTEGER value that a double represents exactly.
  /// - Throws: ``DatabaseError`` with the operation `read` for any other value.
  @inlinable
  public func real() throws(DatabaseError) -> Double {
    guard type == SQLITE_FLOAT else { return try realFromInteger() }
    return sqlite3_value_double(value)
  }

  /// Returns the value as text, including any NUL characters.
  /// - Throws: ``DatabaseError`` with the operation `read` if the storage class is not TEXT, for
  ///   invalid UTF-8, or if out of memory.
  /// - Complexity: O(*n*) in the number of bytes.
  @inlinable
  public func text() throws(DatabaseError) -> String {
    guard type == SQLITE_TEXT else { throw mismatch(expected: .text) }
    // Count first: in a UTF-16 database, this converts the value to UTF-8. A blob avoids the copy
    // for a terminating NUL.
    let count = Int(sqlite3_value_bytes(value))
    guard count > 0, let bytes = sqlite3_value_blob(value) else { return try noText() }
    let buffer = UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: UInt8.self), count: count)
    let text = String(decoding: buffer, as: UTF8.self)
    // `String(validating:as:)` is slow, because unspecialized. Decoding replaces invalid bytes, so
    // the text is valid if its bytes equal the input. ASCII is always valid.
    guard count < 128 && Self.isASCII(buffer) || Self.hasBytes(text, buffer) else {
      throw invalid("The text is not valid UTF-8")
    }
    return text
  }

  /// Calls a closure with the bytes of the value. An empty blob is an empty buffer. The buffer is
  /// valid only until the closure returns.
  /// - Throws: ``DatabaseError`` with the operation `read` if the storage class is not BLOB, or if
  ///   out of memory.
  @inlinable
  public func withBlob<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(DatabaseError)
    -> Result
  {
    guard type == SQLITE_BLOB else { throw mismatch(expected: .blob) }
    let bytes = sqlite3_value_blob(value)
    let count = Int(sqlite3_value_bytes(value))
    // `zeroblob` allocates its memory here.
    guard bytes != nil || count == 0 else { throw withoutMemory }
    return body(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// Calls a closure with bytes that may not be valid UTF-8. Returns nil for an empty text, and for
  /// values other than TEXT.
  func withTextBytes<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) -> Result?
  ) throws(DatabaseError) -> Result? {
    guard type == SQLITE_TEXT else { return nil }
    let count = Int(sqlite3_value_bytes(value))
    guard count > 0, let bytes = sqlite3_value_blob(value) else {
      _ = try noText()
      return nil
    }
    return body(
      UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: UInt8.self), count: count))
  }

  /// Returns an empty text, or throws if SQLite had no memory to convert from UTF-16.
  ///
  /// See [sqlite3_value_encoding](https://www.sqlite.org/c3ref/value_encoding.html).
  @usableFromInline
  func noText() throws(DatabaseError) -> String {
    guard sqlite3_value_encoding(value) == SQLITE_UTF8 else { throw withoutMemory }
    return ""
  }

  @usableFromInline
  var withoutMemory: DatabaseError {
    DatabaseError(.read, code: SQLITE_NOMEM, from: nil, sql: statement.flatMap(Statement.sql))
  }

  /// Returns an error for an unexpected storage class, with the table and column but without the
  /// value.
  /// - Parameter expected: The expected storage class.
  public func mismatch(expected: StorageClass) -> DatabaseError {
    invalid("Expected \(expected) but found \(storageClass)")
  }

  /// Returns an error for a value that cannot be converted, for a custom ``ColumnValue``.
  /// - Parameter reason: The problem, for example "The date is not valid". Omit the value.
  public func invalid(_ reason: String) -> DatabaseError {
    guard let statement else {
      guard index >= 0 else { return DatabaseError(.read, code: .mismatch, reason) }
      return DatabaseError(
        .read, code: .mismatch, "\(reason) in the \(Self.ordinal(Int(index) + 1)) argument")
    }
    let name = sqlite3_column_name(statement, index).map { String(cString: $0) } ?? "\(index)"
    return DatabaseError(
      .read, code: .mismatch, "\(reason) in column \(name)", sql: Statement.sql(statement),
      column: name)
  }

  // A word, because a plain number would be hidden like a bound value.
  private static func ordinal(_ number: Int) -> String {
    let suffix =
      switch (number % 100, number % 10) {
      case (11...13, _): "th"
      case (_, 1): "st"
      case (_, 2): "nd"
      case (_, 3): "rd"
      default: "th"
      }
    return "\(number)\(suffix)"
  }

  @inlinable
  static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(bytes)
    guard raw.count >= 8 else { return raw.reduce(0, |) < 0x80 }
    // Eight bytes at a time; the last eight may overlap the previous.
    var bits = raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self)
    var offset = 0
    while offset < raw.count - 8 {
      bits |= raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  @usableFromInline
  static func hasBytes(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { stored in
      guard stored.count == bytes.count, let one = stored.baseAddress, let other = bytes.baseAddress
      else { return false }
      return memcmp(one, other, bytes.count) == 0
    } ?? false
  }

  @usableFromInline
  func realFromInteger() throws(DatabaseError) -> Double {
    guard type == SQLITE_INTEGER else { throw mismatch(expected: .real) }
    guard let real = Double(exactly: sqlite3_value_int64(value)) else {
      throw invalid("The integer has no exact Double value")
    }
    return real
  }
}
