public import CSQLCipher

/// A parameter of a statement. A ``ColumnValue`` binds its stored value by calling one of the
/// parameter's methods once, for example ``bindNull()``.
///
/// See [Binding Values To Prepared Statements](https://www.sqlite.org/c3ref/bind_blob.html).
public struct Parameter: ~Copyable {
  @usableFromInline let statement: OpaquePointer?
  @usableFromInline let index: Int32
  // Receives the value if `statement` is nil, for writing a literal or displaying the value.
  @usableFromInline let capture: UnsafeMutablePointer<DatabaseValue>?

  @inlinable
  init(_ statement: OpaquePointer, _ index: Int32) {
    self.statement = statement
    self.index = index
    capture = nil
  }

  init(capturing value: UnsafeMutablePointer<DatabaseValue>) {
    statement = nil
    index = 0
    capture = value
  }

  /// Binds NULL.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the statement has no such parameter.
  @inlinable
  public func bindNull() throws(DatabaseError) {
    guard let statement else { return captured(.null) }
    try check(sqlite3_bind_null(statement, index))
  }

  /// Binds an INTEGER.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the statement has no such parameter.
  @inlinable
  public func bind(_ value: Int64) throws(DatabaseError) {
    guard let statement else { return captured(.integer(value)) }
    try check(sqlite3_bind_int64(statement, index, value))
  }

  /// Binds a REAL.
  /// - Parameter value: The double. Infinities are stored; negative zero is stored as 0.0, because
  ///   SQLite does not preserve its sign.
  /// - Throws: ``DatabaseError`` with the operation `bind` for NaN, which SQLite would store as
  ///   NULL, or if the statement has no such parameter.
  @inlinable
  public func bind(_ value: Double) throws(DatabaseError) {
    guard !value.isNaN else { throw notANumber() }
    let value = value + 0  // −0.0 + 0.0 is 0.0
    guard let statement else { return captured(.real(value)) }
    try check(sqlite3_bind_double(statement, index, value))
  }

  /// Binds a TEXT.
  /// - Parameter value: The text, including NUL characters.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the text exceeds SQLite's limit, or
  ///   the statement has no such parameter.
  /// - Complexity: O(*n*) in the number of bytes.
  @inlinable
  public func bind(_ value: String) throws(DatabaseError) {
    guard let statement else { return captured(.text(value)) }
    var value = value
    let code = value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        return sqlite3_bind_text64(
          statement, index, text.baseAddress, UInt64(text.count), miniorm_transient(),
          UInt8(SQLITE_UTF8))
      }
    }
    try check(code)
  }

  /// Binds a BLOB.
  /// - Parameter bytes: The bytes, copied before this method returns. An empty buffer binds an
  ///   empty blob, not NULL.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the bytes exceed SQLite's limit, or
  ///   the statement has no such parameter.
  /// - Complexity: O(*n*) in the number of bytes.
  @inlinable
  public func bind(_ bytes: UnsafeRawBufferPointer) throws(DatabaseError) {
    guard let statement else { return captured(.blob([UInt8](bytes))) }
    // SQLite would bind NULL for an empty buffer without an address.
    guard !bytes.isEmpty else { return try check(sqlite3_bind_zeroblob(statement, index, 0)) }
    let code = sqlite3_bind_blob64(
      statement, index, bytes.baseAddress, UInt64(bytes.count), miniorm_transient())
    try check(code)
  }

  @inlinable
  func bind(
    bytesIn withBytes: (
      (UnsafeRawBufferPointer) -> Result<Void, DatabaseError>
    ) -> Result<Void, DatabaseError>
  ) throws(DatabaseError) {
    try withBytes { bytes in Result { () throws(DatabaseError) in try bind(bytes) } }.get()
  }

  /// Returns an error with the operation `bind` for a value that cannot be stored.
  /// - Parameter reason: The problem with the value. Omit the value.
  public func invalid(_ reason: String) -> DatabaseError {
    DatabaseError(.bind, code: .mismatch, reason, sql: statement.flatMap(Statement.sql))
  }

  @usableFromInline
  func captured(_ value: DatabaseValue) { capture?.pointee = value }

  @inlinable
  func check(_ code: Int32) throws(DatabaseError) {
    guard code == SQLITE_OK else { throw failure(code) }
  }

  @usableFromInline
  func failure(_ code: Int32) -> DatabaseError {
    DatabaseError(
      .bind, code: code, from: sqlite3_db_handle(statement), sql: statement.flatMap(Statement.sql))
  }

  @usableFromInline
  func notANumber() -> DatabaseError {
    invalid(
      "NaN cannot be stored: SQLite would turn it into NULL. Use an Optional for a missing number")
  }
}
