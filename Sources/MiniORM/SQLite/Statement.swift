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

  // `&+`: beyond the last number there is no parameter, which SQLite says itself.
  //
  // One to four values a call, and not a parameter pack: what is called with a pack is not
  // specialised, so that every value would cost a look-up of its type's metadata. `@Table` calls
  // these in turn.

  /// Binds a value to a parameter.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - index: The number of the parameter, from 1.
  /// - Throws: ``DatabaseError`` with the operation `bind` when the value cannot be stored, or the
  ///   statement has no such parameter.
  @inlinable
  public func bind<A: ColumnValue>(_ value: A, at index: Int32) throws(DatabaseError) {
    try value.bind(to: parameter(index))
  }

  /// Binds two values to consecutive parameters, the first of them at `index`.
  @inlinable
  public func bind<A: ColumnValue, B: ColumnValue>(
    _ a: A, _ b: B, at index: Int32
  ) throws(DatabaseError) {
    try a.bind(to: parameter(index))
    try b.bind(to: parameter(index &+ 1))
  }

  /// Binds three values to consecutive parameters, the first of them at `index`.
  @inlinable
  public func bind<A: ColumnValue, B: ColumnValue, C: ColumnValue>(
    _ a: A, _ b: B, _ c: C, at index: Int32
  ) throws(DatabaseError) {
    try a.bind(to: parameter(index))
    try b.bind(to: parameter(index &+ 1))
    try c.bind(to: parameter(index &+ 2))
  }

  /// Binds four values to consecutive parameters, the first of them at `index`.
  @inlinable
  public func bind<A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue>(
    _ a: A, _ b: B, _ c: C, _ d: D, at index: Int32
  ) throws(DatabaseError) {
    try a.bind(to: parameter(index))
    try b.bind(to: parameter(index &+ 1))
    try c.bind(to: parameter(index &+ 2))
    try d.bind(to: parameter(index &+ 3))
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

  var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }

  var columnCount: Int32 { sqlite3_column_count(pointer) }

  func columnName(_ index: Int32) -> String {
    // NUL-terminated by contract.
    sqlite3_column_name(pointer, index).map { String(cString: $0) } ?? ""
  }

  @usableFromInline
  func failure(_ code: Int32) -> DatabaseError {
    let error = DatabaseError(
      .step, code: code, from: sqlite3_db_handle(pointer), sql: Self.sql(pointer)
    ).hidingValues(of: pointer, count: storage.boundBytes)
    return cache.authorizer?.explain(error) ?? error
  }
}
