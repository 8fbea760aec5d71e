import CSQLCipher

/// A function that calls a closure on a connection that it is isolated to, and the same for a thread that holds its
/// executor.
@usableFromInline
struct IsolatedCall<Result, E: Error> {
  @usableFromInline let run:
    (isolated Connection, (isolated Connection) throws(E) -> Result) throws(E) -> Result

  @usableFromInline
  struct OnHeld {
    @usableFromInline let run:
      (Connection, (isolated Connection) throws(E) -> Result) throws(E) -> Result
  }

  @inlinable
  @inline(__always)
  init() { run = { (connection, body) throws(E) in try body(connection) } }

  @inlinable
  @inline(__always)
  // The two function types differ in isolation only, which has no representation.
  var onHeld: OnHeld { unsafeBitCast(self, to: OnHeld.self) }
}

/// One connection to a database: an actor over `sqlite3`, with its own executor.
///
/// A ``Database`` hands you one in ``Database/read(_:)`` and ``Database/write(_:_:)``. Inside those
/// closures you are on the connection's executor already, so its methods and those of ``Table`` are
/// called without `await`, and nothing comes between them.
public final actor Connection {
  /// What this connection shares with others that lead to the same file.
  nonisolated let state: ConnectionState
  /// Whether statements that write are refused.
  private let isReading: Bool
  /// Whether it runs the statements of a migration's step.
  private let isStep: Bool
  /// Whether each statement is checked before it runs, which excludes the fast path.
  private let isChecking: Bool
  /// The columns that the statements of a migration's step may have changed.
  private(set) var changedColumns: Set<ChangedColumn> = []
  /// Whether the closure that this connection was made for has returned. Only who holds the executor asks, or
  /// sets it.
  @exclusivity(unchecked) private nonisolated(unsafe) var isOver = false

  /// Runs the connection's work, away from the threads that Swift's tasks share.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    state.executor.asUnownedSerialExecutor()
  }

  /// The path of the file, as it was given.
  public nonisolated var path: String { state.path }

  nonisolated var configuration: Configuration { state.configuration }
  var attachments: [Attachment] { state.attachments }
  /// How many transactions and savepoints are open.
  var depth: Int {
    get { state.depth }
    set { state.depth = newValue }
  }

  init(path: String, configuration: Configuration) {
    state = ConnectionState(path: path, configuration: configuration)
    (isReading, isStep, isChecking) = (false, false, false)
  }

  /// Makes another connection that reads. Its first use opens the file.
  init(_ reader: Connection, _ template: ConnectionTemplate) {
    state = ConnectionState(path: reader.path, configuration: reader.configuration)
    (isReading, isStep, isChecking) = (false, false, false)
    state.hub = reader.state.hub
    (state.isReadOnly, state.isNew, state.reopening) = (true, true, template.keys)
    state.attachments = template.attachments
    state.identities = template.identities
  }

  /// What another connection that reads needs to be opened.
  var template: ConnectionTemplate {
    ConnectionTemplate(
      keys: state.reopening ?? [state.opened?.cipher], identities: state.identities,
      attachments: state.attachments)
  }

  /// Makes a connection for one closure, which is refused everything when that has returned.
  /// - Parameters:
  ///   - isReading: Whether it is refused to write, which no SQL changes.
  ///   - isStep: Whether it runs the statements of a migration's step.
  init(lending connection: Connection, isReading: Bool = false, isStep: Bool = false) {
    state = connection.state
    (self.isReading, self.isStep, isChecking) = (isReading, isStep, isReading || isStep)
  }

  /// Lends this connection to a closure. What it is given is refused everything once it has returned.
  /// - Parameters:
  ///   - isReading: Whether it is refused to write.
  ///   - isStep: Whether it runs the statements of a migration's step.
  func lend<Result, E: Error>(
    isReading: Bool = false, isStep: Bool = false,
    _ body: (isolated Connection) throws(E) -> Result
  ) throws(E) -> Result {
    let lent = Connection(lending: self, isReading: isReading, isStep: isStep)
    defer { lent.isOver = true }
    return try lent.assumingIsolated(body)
  }

  /// Refuses everything from now on: the closure that this connection was made for has returned.
  func endLending() { isOver = true }

  /// Runs a closure on this connection where the calling thread holds it already, as that of another
  /// connection of the same state.
  @inlinable
  @inline(__always)
  nonisolated func assumingIsolated<Result, E: Error>(
    _ body: (isolated Connection) throws(E) -> Result
  ) throws(E) -> Result {
    // As Swift's assumeIsolated does it, which throws no typed errors, asks for a Sendable result (this one stays on
    // the thread), and takes 1,000 of the 13,000 instructions of an awaited look-up: it asks the task for its
    // executor, and a bare closure that is cast is wrapped twice. What is cast here is no closure, which would have to escape.
    checkIsHeld()
    return try IsolatedCall<Result, E>().onHeld.run(self, body)
  }

  @usableFromInline
  nonisolated func checkIsHeld() {
    // An error of this module: running on another thread would corrupt the connection.
    precondition(state.executor.isHeldByThisThread, "Not on the connection's executor")
  }

  /// The `sqlite3*`, while the connection is open.
  var handle: OpaquePointer {
    get throws(DatabaseError) {
      if !isOver, let opened = state.current,
        let database = opened._withUnsafeGuaranteedRef({ $0.home.isCurrent ? $0.database : nil })
      {
        return database
      }
      return try current().database
    }
  }

  var isOpen: Bool { state.opened != nil }

  /// The statement cache, for tests of its counters.
  var cache: StatementCache? { state.opened?.cache }

  /// The key that the file was opened with.
  var cipher: CipherKey? { state.opened?.cipher }

  /// Takes an open file over. One that was open until now is closed, and where it fails the file itself.
  func didOpen(
    _ database: OpaquePointer, _ cipher: CipherKey?, _ file: OpenFile?
  ) throws(DatabaseError) {
    let opened = ConnectionState.Opened(
      database, cipher, file, capacity: configuration.statementCacheCapacity)
    let authorizer = try Authorizer(on: database) { [unowned cache = opened.cache] in
      cache.textsInUse
    }
    opened.cache.authorizer = authorizer
    opened.cache.watch = TransactionWatch(database, authorizer, state.hub)
    opened.cache.interruption = state.interruption
    if state.isReadOnly, !configuration.isReadOnly, DatabaseFile.isFile(path) {
      // Weak: a statement in use may outlive the connection.
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
    opened.logGrowth = LogGrowth(database, state.interruption)
    state.reopening = nil
    state.isNew = false
  }

  /// Runs a closure on this connection's executor while the calling thread waits, for another
  /// connection that must do nothing else meanwhile.
  nonisolated func sync<Result: Sendable>(_ body: (isolated Connection) -> Result) -> Result {
    state.executor.sync { assumeIsolated(body) }
  }

  /// Closes the file. Closing again does nothing.
  ///
  /// - Throws: ``DatabaseError`` with the operation `close` when it is called while a statement or
  ///   a transaction of this connection is running, that is from inside one of their closures.
  func close() throws(DatabaseError) {
    guard let opened = state.opened else {
      state.reopening = nil
      return
    }
    guard opened.home.isCurrent else { throw .forked(.close, path) }
    guard opened.cache.checkedOut == 0, depth == 0, sqlite3_get_autocommit(opened.database) != 0
    else {
      throw DatabaseError(
        .close, code: .busy, "The database cannot be closed from inside a transaction or a query",
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
    let opened = try ready()
    let statement = try opened.cache.checkOut(sql, on: opened.database)
    try check(statement)
    return statement
  }

  /// A statement that is known and not in use, where nothing is amiss. It counts no references.
  @inline(__always)
  func statement(at place: StatementText.Place) -> Statement? {
    // A closure that asks for the depth itself asks first whether it is on the connection's executor.
    let isInTransaction = state.depth > 0
    guard !isOver, !isChecking, let opened = state.current,
      state.goesOn,
      let (found, cache) = opened._withUnsafeGuaranteedRef({ opened in
        !opened.home.isCurrent || isInTransaction && sqlite3_get_autocommit(opened.database) != 0
          ? nil : opened.cache.take(place).map { ($0, Unmanaged.passUnretained(opened.cache)) }
      })
    else { return nil }
    return Statement(found, of: cache)
  }

  @usableFromInline
  func statement(_ text: StatementText) throws(DatabaseError) -> Statement {
    if let known = statement(at: text.place) { return known }
    let opened = try ready()
    let statement = try opened.cache.checkOut(text, on: opened.database)
    try check(statement)
    return statement
  }

  /// Returns a statement with its values bound.
  ///
  /// - Parameters:
  ///   - sql: The SQL and the values.
  ///   - following: The number of parameters after those of `sql`, which the caller binds.
  func statement(_ sql: SQL, following: Int = 0) throws(DatabaseError) -> Statement {
    let opened = try ready()
    let sql = try sql.runnable
    let rendered = RenderedSQL(sql)
    let statement = try opened.cache.checkOut(rendered.text, on: opened.database)
    try check(statement)
    // SQLite takes NULL for a parameter that a raw fragment names and gives no value.
    guard statement.parameterCount == rendered.parameterCount + following else {
      throw DatabaseError(
        .bind, code: .range,
        "A raw fragment has a parameter without a value: write values by interpolation",
        sql: rendered.text)
    }
    try rendered.bind(to: statement)
    if following == 0 { statement.choose(SingleTableQuery(sql)?.chosen) }
    return statement
  }

  private func check(_ statement: borrowing Statement) throws(DatabaseError) {
    if isChecking { try check(statement.storage.takeUnretainedValue()) }
    if statement.controlsTransaction { try checkControl(statement.storage.takeUnretainedValue()) }
  }

  /// Returns what is open. Every use of the connection asks for it, so that one whose closure has
  /// returned can do nothing, and one that had to be closed is opened again.
  private func current() throws(DatabaseError) -> ConnectionState.Opened {
    if isOver {
      throw DatabaseError(
        .step, code: .misuse,
        "The closure that this connection was for has returned: use it inside of read, write or withoutTransaction only, and elsewhere give methods the database itself, as in fetchAll(in: database)",
        path: path)
    }
    if state.opened == nil { try reopen() }
    guard let opened = state.opened else {
      throw DatabaseError(.open, code: .misuse, "The database is closed", path: path)
    }
    guard opened.home.isCurrent else { throw .forked(.step, path) }
    return opened
  }

  private func ready() throws(DatabaseError) -> ConnectionState.Opened {
    let opened = try current()
    // Some errors roll the whole transaction back, and SQL can. What follows in the closure would
    // then commit by itself, statement by statement.
    try checkTransaction(opened.database)
    try state.interruption.checkStatement()
    return opened
  }

  /// Refuses to go on in a transaction that has ended.
  func checkTransaction(_ database: OpaquePointer) throws(DatabaseError) {
    if depth > 0, sqlite3_get_autocommit(database) != 0 { throw endedInside() }
  }

  /// Refuses to run a statement that the closure of this connection may not run.
  func check(_ statement: PreparedStatement) throws(DatabaseError) {
    guard isChecking, sqlite3_stmt_isexplain(statement.pointer) == 0 else { return }
    if isReading { try checkReading(statement) }
    guard isStep else { return }
    try checkDrop(statement)
    changedColumns.formUnion(statement.access.changedColumns)
  }

  /// Refuses to run a statement that writes where there is but one connection to read and write
  /// with. SQL can switch `PRAGMA query_only` off, and does not know of this.
  ///
  /// See [sqlite3_stmt_readonly](https://www.sqlite.org/c3ref/stmt_readonly.html).
  private func checkReading(_ statement: PreparedStatement) throws(DatabaseError) {
    guard sqlite3_stmt_readonly(statement.pointer) == 0 else { return }
    throw DatabaseError(
      .step, code: .readOnly, "attempt to write a readonly database", sql: statement.sql)
  }

  /// Gives back the pages that SQLite keeps.
  func releaseMemory() {
    guard let opened = state.opened else { return }
    opened.cache.removeAll()
    sqlite3_db_release_memory(opened.database)
  }

  /// Returns how many rows the last INSERT, UPDATE or DELETE changed.
  @usableFromInline
  func changes() throws(DatabaseError) -> Int { Int(sqlite3_changes64(try handle)) }
}
