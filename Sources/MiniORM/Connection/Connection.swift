import CSQLCipher

/// One connection to a database: an actor over `sqlite3`, with its own executor.
///
/// A ``Database`` hands you one in ``Database/read(_:)`` and ``Database/write(_:_:)``. Inside those
/// closures you are on the connection's executor already, so its methods and those of ``Table`` are
/// called without `await`, and nothing comes between them.
public actor Connection {
  private nonisolated let executor = QueueExecutor()

  /// Runs the connection's work, away from the threads that Swift's tasks share.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// The path of the file, as it was given.
  public nonisolated let path: String

  nonisolated let configuration: Configuration
  private var opened: Opened?
  /// The databases that are attached, for the next opening of the file as well.
  var attachments: [Attachment] = []
  /// The temporary views and triggers, for the next opening of the file as well.
  var temporaryObjects: [SchemaObjectDefinition] = []
  /// How many transactions and savepoints are open.
  var depth = 0

  /// What a connection has while it is open. Its deinit closes the file, also when an actor is
  /// dropped without having been closed.
  private final class Opened {
    let database: OpaquePointer
    let cipher: CipherKey?
    let cache: StatementCache

    init(_ database: OpaquePointer, _ cipher: CipherKey?, _ cache: StatementCache) {
      self.database = database
      self.cipher = cipher
      self.cache = cache
    }

    deinit {
      cache.removeAll()
      // close_v2 waits for statements that are still alive; the plain sqlite3_close would leak the
      // file.
      sqlite3_close_v2(database)
    }
  }

  init(path: String, configuration: Configuration) {
    self.path = path
    self.configuration = configuration
  }

  /// The `sqlite3*`, while the connection is open.
  var handle: OpaquePointer {
    get throws(DatabaseError) {
      guard let opened else {
        throw DatabaseError(.open, code: .misuse, "The database is closed", path: path)
      }
      return opened.database
    }
  }

  var isOpen: Bool { opened != nil }

  /// The statement cache, for tests of its counters.
  var cache: StatementCache? { opened?.cache }

  /// The key that the file was opened with.
  var cipher: CipherKey? { opened?.cipher }

  /// Takes an open file over. One that was open until now is closed.
  func didOpen(_ database: OpaquePointer, _ cipher: CipherKey?) {
    let cache = StatementCache(capacity: configuration.statementCacheCapacity)
    cache.authorizer = Authorizer(cache, database)
    opened = Opened(database, cipher, cache)
  }

  /// Runs a closure on this connection's executor while the calling thread waits, for another
  /// connection that must do nothing else meanwhile.
  nonisolated func sync<Result: Sendable>(_ body: (isolated Connection) -> Result) -> Result {
    executor.sync { assumeIsolated(body) }
  }

  /// Closes the file. Closing again does nothing.
  ///
  /// - Throws: ``DatabaseError`` with the operation `close` when it is called while a statement or
  ///   a transaction of this connection is running, that is from inside one of their closures.
  func close() throws(DatabaseError) {
    guard let opened else { return }
    guard opened.cache.checkedOut == 0, depth == 0 else {
      throw DatabaseError(
        .close, code: .busy, "The database cannot be closed from inside a transaction or a query",
        path: path)
    }
    self.opened = nil
  }

  // MARK: Statements

  func statement(_ sql: String) throws(DatabaseError) -> Statement {
    let opened = try ready()
    return try opened.cache.checkOut(sql, on: opened.database)
  }

  @usableFromInline
  func statement(_ text: StatementText) throws(DatabaseError) -> Statement {
    let opened = try ready()
    return try opened.cache.checkOut(text, on: opened.database)
  }

  /// A statement with its values bound.
  ///
  /// - Parameters:
  ///   - sql: The SQL and the values.
  ///   - following: How many parameters the caller binds itself, after those of `sql`.
  @usableFromInline
  func statement(_ sql: SQL, following: Int = 0) throws(DatabaseError) -> Statement {
    let sql = try sql.runnable
    let statement = try statement(sql.text)
    let values = sql.bindings
    // SQLite would take NULL for a parameter that a raw fragment names and gives no value.
    guard statement.parameterCount == values.count + following else {
      throw DatabaseError(
        .bind, code: .range,
        "A raw fragment has a parameter without a value: write values by interpolation",
        sql: sql.text)
    }
    if !values.isEmpty { try statement.bind(values) }
    return statement
  }

  private func ready() throws(DatabaseError) -> Opened {
    guard let opened else {
      throw DatabaseError(.open, code: .misuse, "The database is closed", path: path)
    }
    // Some errors roll the whole transaction back, and SQL can. What follows in the closure would
    // then commit by itself, statement by statement.
    try checkTransaction(opened.database)
    return opened
  }

  /// Refuses to go on in a transaction that has ended.
  func checkTransaction(_ database: OpaquePointer) throws(DatabaseError) {
    if depth > 0, sqlite3_get_autocommit(database) != 0 { throw Self.endedInside() }
  }

  static func endedInside() -> DatabaseError {
    DatabaseError(
      .step, code: .misuse,
      "The transaction has ended already, by an error that rolled it back or by SQL, so nothing more is done in it"
    )
  }

  /// How many rows the last INSERT, UPDATE or DELETE changed.
  @usableFromInline
  func changes() throws(DatabaseError) -> Int { Int(sqlite3_changes64(try handle)) }
}
