import CSQLCipher
import Synchronization

/// Calls a closure isolated to a connection, possibly from nonisolated code on the executor's
/// thread.
@usableFromInline
struct IsolatedCall<Input, Result, E: Error> {
  @usableFromInline typealias Body = (isolated Connection) throws(E) -> Result
  @usableFromInline let run: (isolated Connection, Input, Body) throws(E) -> Result

  @usableFromInline
  struct OnHeld {
    @usableFromInline let run: (Connection, Input, Body) throws(E) -> Result
  }

  @inlinable
  @inline(__always)
  init(_ run: @escaping (isolated Connection, Input, Body) throws(E) -> Result) { self.run = run }

  @inlinable
  @inline(__always)
  // Both function types differ only in isolation, which has no run-time representation.
  var onHeld: OnHeld { unsafeBitCast(self, to: OnHeld.self) }
}

/// A connection to a database: an actor that owns a `sqlite3` handle and an executor.
///
/// ``Database/read(_:)`` and ``Database/write(_:_:)`` pass a connection to their closures, which
/// run on the connection's executor: `try await database.read { db in … }`. Inside a closure, the
/// methods of the connection and of ``Table`` need no `await`.
public final actor Connection {
  /// Shared by all connections to the same `sqlite3` handle.
  nonisolated let state: ConnectionState
  private let isReading: Bool
  private let isStep: Bool
  /// True in a read and in a step of a migration, whose statements are checked before they run.
  private let isChecking: Bool
  private(set) var changedColumns: Set<ChangedColumn> = []
  /// True after the closure with this connection has returned.
  private let isOver = Atomic(false)

  /// The connection's executor, separate from Swift's cooperative thread pool.
  @_documentation(visibility: internal)
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    state.executor.asUnownedSerialExecutor()
  }

  /// The path of the file, as given.
  public nonisolated var path: String { state.path }

  package nonisolated var configuration: Configuration { state.configuration }
  var attachments: [Attachment] { state.attachments }
  var depth: Int {
    get { state.depth }
    set { state.depth = newValue }
  }

  package init(path: String, configuration: Configuration) {
    state = ConnectionState(path: path, configuration: configuration)
    (isReading, isStep, isChecking) = (false, false, false)
  }

  /// Creates a reader, whose first use opens the file.
  init(_ reader: Connection, _ template: ConnectionTemplate) {
    state = ConnectionState(path: reader.path, configuration: reader.configuration)
    (isReading, isStep, isChecking) = (false, false, false)
    (state.hub, state.formats) = (reader.state.hub, reader.state.formats)
    (state.isReadOnly, state.isNew, state.reopening) = (true, true, template.keys)
    state.attachments = template.attachments
    state.identities = template.identities
  }

  var template: ConnectionTemplate {
    ConnectionTemplate(
      keys: state.reopening ?? [state.opened?.cipher], identities: state.identities,
      attachments: state.attachments)
  }

  /// Creates a connection for a single closure. After the closure returns, all calls throw.
  init(lending connection: Connection, isReading: Bool = false, isStep: Bool = false) {
    state = connection.state
    (self.isReading, self.isStep, isChecking) = (isReading, isStep, isReading || isStep)
  }

  func lend<Result, E: Error>(
    isReading: Bool = false, isStep: Bool = false,
    _ body: (isolated Connection) throws(E) -> Result
  ) throws(E) -> Result {
    let lent = Connection(lending: self, isReading: isReading, isStep: isStep)
    defer { lent.endLending() }
    return try lent.assumingIsolated(body)
  }

  nonisolated func endLending() { isOver.store(true, ordering: .relaxed) }

  /// Calls a closure in the connection's isolation. The current thread must hold the executor.
  @inlinable
  @inline(__always)
  nonisolated func assumingIsolated<Result, E: Error>(
    _ body: (isolated Connection) throws(E) -> Result
  ) throws(E) -> Result {
    // Replaces Swift's assumeIsolated, which has no typed throws, requires a Sendable result and
    // asks the task for its executor. The function is in a struct, because a cast closure would
    // have to escape.
    checkIsHeld()
    let call = IsolatedCall<Void, Result, E> { (connection, _, body) throws(E) in
      try body(connection)
    }
    return try call.onHeld.run(self, (), body)
  }

  @usableFromInline
  nonisolated func checkIsHeld() {
    // Use from a second thread would corrupt the connection.
    precondition(state.executor.isHeldByThisThread, "Not on the connection's executor")
  }

  /// The open `sqlite3*`. Reopens the file if needed.
  package var handle: OpaquePointer {
    get throws(DatabaseError) {
      if !isOver.load(ordering: .relaxed), let opened = state.opened, opened.home.isCurrent {
        return opened.database
      }
      return try current().database
    }
  }

  var isOpen: Bool { state.opened != nil }

  var cache: StatementCache? { state.opened?.cache }

  var cipher: CipherKey? { state.opened?.cipher }

  /// Installs the callbacks on an opened file. Closes the file on failure.
  func didOpen(
    _ database: OpaquePointer, _ cipher: CipherKey?, _ file: OpenFile?
  ) throws(DatabaseError) {
    let opened = ConnectionState.Opened(
      database, cipher, file, capacity: configuration.statementCacheCapacity)
    let authorizer = try Authorizer(on: database) { [unowned cache = opened.cache] in
      cache.textsInUse
    } willCompile: { [unowned cache = opened.cache] in
      cache.hasCompiled = true
    }
    opened.cache.authorizer = authorizer
    opened.cache.formatCheck = { [weak state] statement throws(DatabaseError) in
      try state?.checkFormats(of: statement)
    }
    opened.cache.watch = TransactionWatch(database, authorizer, state.hub)
    opened.cache.interruption = state.interruption
    if state.isReadOnly, !configuration.isReadOnly, DatabaseFile.isFile(path) {
      // A weak reference: a statement in use may outlive the connection.
      opened.cache.undoJournal = { [weak state, cipher] in state?.undoJournals(with: cipher) }
    }
    if let trace = configuration.trace {
      opened.cache.tracer = StatementTracer(trace, state.isReadOnly ? .reader : .writer)
      opened.cache.tracer?.install(on: database)
    }
    state.opened = opened
    if let file { state.identities["main"] = file.identity }
    state.interruption.install(on: database)
    configuration.workers.scheduler?.opened(database)
    opened.logGrowth = LogGrowth(database, state.interruption, state.logListener)
    state.reopening = nil
    state.isNew = false
  }

  /// Blocks the thread, so that the caller's connection does no other work.
  package nonisolated func sync<Result, E: Error>(
    _ body: (isolated Connection) throws(E) -> Result
  ) throws(E) -> Result {
    try state.executor.sync { () throws(E) in try assumingIsolated(body) }
  }

  /// - Throws: ``DatabaseError`` with the operation `close` inside a transaction or a query.
  func close() throws(DatabaseError) {
    guard let opened = state.opened else {
      state.reopening = nil
      return
    }
    guard opened.home.isCurrent else { throw .forked(.close, path) }
    guard opened.cache.checkedOut == 0, depth == 0, sqlite3_get_autocommit(opened.database) != 0
    else {
      throw DatabaseError(
        .close, code: .busy,
        "The database cannot be closed inside a transaction or a query: close it after the closure has returned",
        path: path)
    }
    let code = opened.close()
    guard code == SQLITE_OK else {
      throw DatabaseError(.close, code: code, from: opened.database, path: path)
    }
    state.opened = nil
  }

  // MARK: Statements

  func statement(_ sql: String) throws(DatabaseError) -> Statement {
    try statement(StatementText(sql))
  }

  @usableFromInline
  func statement(_ text: StatementText) throws(DatabaseError) -> Statement {
    let opened = try ready()
    let statement = try opened.cache.checkOut(text, on: opened.database)
    try check(statement)
    return statement
  }

  /// - Parameter following: The number of further parameters, which the caller binds.
  func statement(_ sql: SQL, following: Int = 0) throws(DatabaseError) -> Statement {
    let opened = try ready()
    let sql = try sql.runnable
    let rendered = RenderedSQL(sql)
    let statement = try opened.cache.checkOut(rendered.text, on: opened.database)
    try check(statement)
    try Self.check(rendered, statement, following)
    try rendered.bind(to: statement)
    if following == 0 { statement.choose(SingleTableQuery(sql)?.chosen) }
    return statement
  }

  /// Throws unless each parameter has a value. SQLite would bind NULL to the others.
  static func check(
    _ rendered: RenderedSQL, _ statement: borrowing Statement, _ following: Int = 0
  ) throws(DatabaseError) {
    let count = rendered.parameterCount + following
    guard statement.parameterCount != count else { return }
    let message =
      statement.parameterCount > count
      ? "A raw SQL fragment contains a parameter without a value: interpolate the value"
      : "The place of an interpolated value is inside a comment or a text of the SQL: move it out"
    throw DatabaseError(.bind, code: .range, message, sql: rendered.text)
  }

  private func check(_ statement: borrowing Statement) throws(DatabaseError) {
    if isChecking { try check(statement.storage) }
    if statement.controlsTransaction { try checkControl(statement.storage) }
  }

  /// Reopens a closed file. Throws after the closure has returned.
  private func current() throws(DatabaseError) -> ConnectionState.Opened {
    if isOver.load(ordering: .relaxed) {
      throw DatabaseError(
        .step, code: .misuse,
        "The connection was used after its closure returned: use it only inside read, write or withoutTransaction. Elsewhere pass the database, as in fetchAll(in: database)",
        path: path)
    }
    if state.opened == nil { try reopen() }
    guard let opened = state.opened else {
      throw DatabaseError(
        .open, code: .misuse, "The database is closed: open a new Database", path: path)
    }
    guard opened.home.isCurrent else { throw .forked(.step, path) }
    return opened
  }

  private func ready() throws(DatabaseError) -> ConnectionState.Opened {
    let opened = try current()
    // Some errors, and SQL, roll back the whole transaction. Later statements would then commit
    // individually.
    try checkTransaction(opened.database)
    try state.interruption.checkStatement()
    return opened
  }

  func checkTransaction(_ database: OpaquePointer) throws(DatabaseError) {
    if depth > 0, sqlite3_get_autocommit(database) != 0 { throw endedInside() }
  }

  func check(_ statement: PreparedStatement) throws(DatabaseError) {
    guard isChecking, sqlite3_stmt_isexplain(statement.pointer) == 0 else { return }
    if isReading { try checkReading(statement) }
    guard isStep else { return }
    try checkDrop(statement)
    changedColumns.formUnion(statement.access.changedColumns)
  }

  /// Throws if a statement writes. `PRAGMA query_only` is not used, because SQL can switch it off.
  ///
  /// See [sqlite3_stmt_readonly](https://www.sqlite.org/c3ref/stmt_readonly.html).
  private func checkReading(_ statement: PreparedStatement) throws(DatabaseError) {
    guard sqlite3_stmt_readonly(statement.pointer) == 0 else { return }
    throw DatabaseError(
      .step, code: .readOnly, "attempt to write a readonly database", sql: statement.sql)
  }

  func releaseMemory() {
    guard let opened = state.opened else { return }
    opened.cache.removeAll()
    sqlite3_db_release_memory(opened.database)
  }

  @usableFromInline
  func changes() throws(DatabaseError) -> Int { Int(sqlite3_changes64(try handle)) }

  /// The total number of changed rows, including changes by triggers.
  @usableFromInline
  func allChanges() throws(DatabaseError) -> Int64 { sqlite3_total_changes64(try handle) }

  /// The number of rows that a statement changed.
  /// - Parameters:
  ///   - before: The value of ``allChanges()`` before the run.
  ///   - rows: The result for a view, for which SQLite counts 0.
  @usableFromInline
  func changes(
    by statement: borrowing Statement, since before: Int64, ofView rows: Int = 1
  ) throws(DatabaseError) -> Int {
    let count = try changes()
    guard count == 0, try allChanges() != before, try !statement.changesByKey else { return count }
    return rows
  }
}
