public import CSQLCipher

/// One parameter of a statement, waiting for its value.
///
/// A ``ColumnValue`` gives itself to a parameter by calling one of these methods once.
///
/// See [Binding Values To Prepared Statements](https://www.sqlite.org/c3ref/bind_blob.html).
public struct Parameter: ~Copyable {
  @usableFromInline let statement: OpaquePointer?
  @usableFromInline let index: Int32
  @usableFromInline let storage: Unmanaged<PreparedStatement>?
  // Set instead of `statement` where only the value is wanted, to write it as a literal or to show
  // it.
  @usableFromInline let capture: UnsafeMutablePointer<DatabaseValue>?

  @inlinable
  init(_ storage: Unmanaged<PreparedStatement>, _ statement: OpaquePointer, _ index: Int32) {
    self.storage = storage
    self.statement = statement
    self.index = index
    capture = nil
  }

  init(capturing value: UnsafeMutablePointer<DatabaseValue>) {
    statement = nil
    index = 0
    storage = nil
    capture = value
  }

  /// Binds NULL.
  /// - Throws: ``DatabaseError`` with the operation `bind` when the statement has no such
  ///   parameter.
  @inlinable
  public func bindNull() throws(DatabaseError) {
    guard let statement else { return captured(.null) }
    try check(sqlite3_bind_null(statement, index))
  }

  /// Binds an INTEGER.
  /// - Parameter value: The integer.
  /// - Throws: ``DatabaseError`` with the operation `bind` when the statement has no such
  ///   parameter.
  @inlinable
  public func bind(_ value: Int64) throws(DatabaseError) {
    guard let statement else { return captured(.integer(value)) }
    try check(sqlite3_bind_int64(statement, index, value))
  }

  /// Binds a REAL.
  /// - Parameter value: The double. SQLite keeps infinities. It would turn NaN into NULL, so NaN is
  ///   refused. Negative zero is bound as 0.0, which it equals: SQLite has no place for its sign.
  /// - Throws: ``DatabaseError`` with the operation `bind` for NaN, or when the statement has no such
  ///   parameter.
  @inlinable
  public func bind(_ value: Double) throws(DatabaseError) {
    guard !value.isNaN else { throw notANumber() }
    let value = value + 0  // −0.0 + 0.0 is 0.0
    guard let statement else { return captured(.real(value)) }
    try check(sqlite3_bind_double(statement, index, value))
  }

  /// Binds a TEXT.
  /// - Parameter value: The text. NUL characters are kept.
  /// - Throws: ``DatabaseError`` with the operation `bind` when it is longer than SQLite's limit,
  ///   or the statement has no such parameter.
  /// - Complexity: O(*n*) in the number of bytes.
  @inlinable
  public func bind(_ value: String) throws(DatabaseError) {
    guard let statement, let storage else { return captured(.text(value)) }
    try check(storage._withUnsafeGuaranteedRef { $0.bind(value, to: statement, at: index) })
  }

  /// Binds a BLOB.
  /// - Parameter bytes: The bytes, copied before this returns. No bytes make an empty blob, not
  ///   NULL.
  /// - Throws: ``DatabaseError`` with the operation `bind` when there are more than SQLite's limit,
  ///   or the statement has no such parameter.
  /// - Complexity: O(*n*) in the number of bytes.
  @inlinable
  public func bind(_ bytes: UnsafeRawBufferPointer) throws(DatabaseError) {
    guard let statement, let storage else { return captured(.blob([UInt8](bytes))) }
    try check(storage._withUnsafeGuaranteedRef { $0.bind(bytes, to: statement, at: index) })
  }

  /// The error for a value that cannot be stored, for a ``ColumnValue`` of your own.
  /// - Parameter reason: What is wrong with it. Leave the value itself out.
  /// - Returns: An error with the operation `bind`.
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
