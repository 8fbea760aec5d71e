public import CSQLCipher

/// One value of a result row, borrowed until the statement advances.
///
/// A ``ColumnValue`` is created from a cell. The methods of a cell check the storage class and
/// throw if it differs: SQLite's own conversions, which turn `'abc'` into 0, are never used.
///
/// See [Result Values From A Query](https://www.sqlite.org/c3ref/column_blob.html).
public struct Cell: ~Copyable {
  // nil for an argument of a function.
  @usableFromInline let statement: OpaquePointer?
  @usableFromInline let index: Int32
  // The value is found once and asked for its type and its content: sqlite3_column_type followed by
  // sqlite3_column_int64 would find it twice. It is "unprotected", which is
  // safe here: only the connection's executor touches it.
  @usableFromInline let value: OpaquePointer?
  @usableFromInline let type: Int32

  @inlinable
  init(_ statement: OpaquePointer, _ index: Int32, _ value: OpaquePointer?) {
    self.statement = statement
    self.index = index
    self.value = value
    type = sqlite3_value_type(value)
  }

  @inlinable
  init(_ statement: OpaquePointer, _ index: Int32) {
    self.init(statement, index, sqlite3_column_value(statement, index))
  }

  /// - Parameter index: The index of the argument, from 0, or a negative number for a value that is
  ///   no argument.
  init(argument index: Int32, _ value: OpaquePointer?) {
    statement = nil
    self.index = index
    self.value = value
    type = sqlite3_value_type(value)
  }

  /// The value's storage class.
  public var storageClass: StorageClass { StorageClass(type) }

  /// Whether the value is NULL.
  @inlinable
  public var isNull: Bool { type == SQLITE_NULL }

  /// Returns the value as a 64-bit integer.
  /// - Returns: An INTEGER value.
  /// - Throws: ``DatabaseError`` with the operation `read` if the storage class differs.
  @inlinable
  public func integer() throws(DatabaseError) -> Int64 {
    guard type == SQLITE_INTEGER else { throw mismatch(expected: .integer) }
    return sqlite3_value_int64(value)
  }

  /// Returns the value as a double.
  /// - Returns: A REAL value, or an INTEGER value that a double represents exactly.
  /// - Throws: ``DatabaseError`` with the operation `read` if it is neither.
  @inlinable
  public func real() throws(DatabaseError) -> Double {
    guard type == SQLITE_FLOAT else { return try realFromInteger() }
    return sqlite3_value_double(value)
  }

  /// Returns the value as text, including any NUL characters.
  /// - Returns: A TEXT value.
  /// - Throws: ``DatabaseError`` with the operation `read` if the storage class differs, or the
  ///   bytes are not valid UTF-8, or there is no memory for them.
  /// - Complexity: O(*n*) in the number of bytes.
  @inlinable
  public func text() throws(DatabaseError) -> String {
    guard type == SQLITE_TEXT else { throw mismatch(expected: .text) }
    // The count first: in a UTF-16 database, this makes SQLite convert the value to UTF-8. The blob
    // interface then gives the bytes without the copy that appending a NUL would need.
    let count = Int(sqlite3_value_bytes(value))
    guard count > 0, let bytes = sqlite3_value_blob(value) else { return try noText() }
    let buffer = UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: UInt8.self), count: count)
    let text = String(decoding: buffer, as: UTF8.self)
    // `String(validating:as:)` takes a slow, unspecialized path. Decoding replaces bytes that are
    // not UTF-8, so the text is valid if its bytes equal those it was made from; for ASCII they
    // always do, which is sooner found out for a short text.
    guard count < 128 && Self.isASCII(buffer) || Self.hasBytes(text, buffer) else {
      throw invalid("The text is not valid UTF-8")
    }
    return text
  }

  /// Calls a closure with the bytes of the value. An empty blob is an empty buffer.
  /// - Parameter body: The closure. The buffer is valid only until it returns.
  /// - Returns: What the closure returns.
  /// - Throws: ``DatabaseError`` with the operation `read` if the storage class is not BLOB, or there is no memory for it.
  @inlinable
  public func withBlob<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(DatabaseError)
    -> Result
  {
    guard type == SQLITE_BLOB else { throw mismatch(expected: .blob) }
    let bytes = sqlite3_value_blob(value)
    let count = Int(sqlite3_value_bytes(value))
    // `zeroblob` takes its memory only here.
    guard bytes != nil || count == 0 else { throw withoutMemory }
    return body(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// Calls a closure with the bytes of a text, which may not be UTF-8.
  /// - Parameter body: The closure. The buffer is valid only until it returns.
  /// - Returns: What the closure returns, or `nil` if the storage class is not TEXT or the text is empty.
  /// - Throws: ``DatabaseError`` with the code `SQLITE_NOMEM` if there is no memory for it.
  func withTextBytes<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) -> Result?
  ) throws(DatabaseError) -> Result? {
    guard type == SQLITE_TEXT else { return nil }
    // The count first, as for `text()`.
    let count = Int(sqlite3_value_bytes(value))
    guard count > 0, let bytes = sqlite3_value_blob(value) else {
      _ = try noText()
      return nil
    }
    return body(
      UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: UInt8.self), count: count))
  }

  /// Returns the text that has no bytes: an empty one, or one in UTF-16 for which there is no memory.
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

  /// Returns an error for a value without the expected storage class.
  /// - Parameter expected: The expected storage class.
  /// - Returns: An error that names the table and the column, but not the value.
  public func mismatch(expected: StorageClass) -> DatabaseError {
    invalid("Expected \(expected) but found \(storageClass)")
  }

  /// Returns an error for a value that cannot be converted, for a ``ColumnValue`` of your own.
  /// - Parameter reason: What is wrong with the value. Leave out the value itself.
  /// - Returns: An error that names the table and the column.
  public func invalid(_ reason: String) -> DatabaseError {
    guard let statement else {
      guard index >= 0 else { return DatabaseError(.read, code: .mismatch, reason) }
      return DatabaseError(
        .read, code: .mismatch, "\(reason) in the \(Self.ordinal(Int(index) + 1)) argument")
    }
    // A NUL-terminated name by contract; none for a column beyond the last.
    let name = sqlite3_column_name(statement, index).map { String(cString: $0) } ?? "\(index)"
    return DatabaseError(
      .read, code: .mismatch, "\(reason) in column \(name)", sql: Statement.sql(statement),
      column: name)
  }

  // A separate word, which is not taken for a bound number and hidden.
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
    // Eight bytes at a time; the last eight overlap those before them.
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
      throw invalid("The integer is not exactly a double")
    }
    return real
  }
}
