public import CSQLCipher

/// A prepared statement, checked out of its connection's cache until it goes out of scope.
///
/// Models bind themselves to one with ``bind(_:at:)``, which is what the code of `@Table` calls.
///
/// See [Prepared Statement Object](https://www.sqlite.org/c3ref/stmt.html).
public struct Statement: ~Copyable {
  @usableFromInline let pointer: OpaquePointer
  @usableFromInline let storage: PreparedStatement
  let cache: StatementCache

  init(_ storage: PreparedStatement, _ cache: StatementCache) {
    pointer = storage.pointer
    self.storage = storage
    self.cache = cache
  }

  deinit { cache.checkIn(storage) }

  /// The SQL of a statement, with `?` where values are bound.
  static func sql(_ pointer: OpaquePointer) -> String? {
    sqlite3_sql(pointer).map { String(cString: $0) }  // NUL-terminated by contract
  }

  /// Binds values to consecutive parameters.
  ///
  /// - Parameters:
  ///   - values: The values.
  ///   - first: The number of the parameter for the first of them, from 1.
  /// - Throws: ``DatabaseError`` with the operation `bind` when a value cannot be stored, or the
  ///   statement has fewer parameters.
  /// - Complexity: O(*n*) in the number and size of the values.
  @inlinable
  public func bind<each Value: ColumnValue>(_ values: repeat each Value, at first: Int32)
    throws(DatabaseError)
  {
    var index = first
    repeat try bind(next: each values, &index)
  }

  @inlinable
  func bind<Value: ColumnValue>(next value: Value, _ index: inout Int32) throws(DatabaseError) {
    try value.bind(to: parameter(index))
    index += 1
  }

  @inlinable
  func parameter(_ index: Int32) -> Parameter {
    Parameter(Unmanaged.passUnretained(storage), pointer, index)
  }

  /// Binds values whose types are known only at run time.
  func bind(_ values: [any ColumnValue]) throws(DatabaseError) {
    var index: Int32 = 1
    for value in values {
      try value.bind(to: parameter(index))
      index += 1
    }
  }

  /// Advances to the next row.
  /// - Returns: Whether there is one.
  @inlinable
  func step() throws(DatabaseError) -> Bool {
    let code = sqlite3_step(pointer)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw failure(code)
  }

  /// Runs a statement for its effect.
  @inlinable
  func run() throws(DatabaseError) {
    while try step() {}
  }

  @inlinable
  func reset() { storage.reset() }

  var columnCount: Int32 { sqlite3_column_count(pointer) }

  func columnName(_ index: Int32) -> String {
    // NUL-terminated by contract.
    sqlite3_column_name(pointer, index).map { String(cString: $0) } ?? ""
  }

  @usableFromInline
  func failure(_ code: Int32) -> DatabaseError {
    DatabaseError(.step, code: code, from: sqlite3_db_handle(pointer), sql: Self.sql(pointer))
  }
}
