/// An encrypted database, the starting point of MiniORM.
///
/// ```swift
/// let database = try await Database(path: "app.db", key: .passphrase(passphrase))
/// try await database.migrate(DatabaseSchema(Company.self, City.self))
/// let all = try await Table<Company>().fetchAll(in: database)
/// ```
/// All writes use a single connection, in order. Reads use other connections, see the last
/// committed state, and do not wait for a write. Tasks can share a database: see <doc:Concurrency>.
public final class Database: Sendable {
  /// The path of the file: empty for a temporary database, `:memory:` for an in-memory database.
  public let path: String

  /// The first reader; the writer if a second connection would open a different database.
  let reader: Connection
  let writer: Connection
  let pool: Pool
  var observationHub: ObservationHub { writer.state.hub }

  let configuration: Configuration

  /// Opens a file, or creates a new file.
  ///
  /// - Parameters:
  ///   - path: The path of the file. As in SQLite, `:memory:` opens an in-memory database, and an
  ///     empty path a temporary database.
  ///   - key: The key. `nil` opens or creates an unencrypted file.
  ///   - configuration: The options for opening the file.
  /// - Throws: ``DatabaseError`` with the operation `open` if the file cannot be opened or created,
  ///   and `key` if the key is wrong. A wait for another connection's lock ends after
  ///   ``Configuration/busyTimeout`` with ``ResultCode/busy``, and at a time limit or a cancellation
  ///   with ``ResultCode/interrupt``. After an error, the file is closed. A new file may exist, empty
  ///   and with this key.
  /// - Complexity: Derives a passphrase once, with ``CipherSettings/kdfIterations``.
  public convenience init(path: String, key: Key?, configuration: Configuration = Configuration())
    async throws(DatabaseError)
  {
    self.init(unopened: path, configuration)
    _ = try await open(key.map { [$0] })
  }

  init(unopened path: String, _ configuration: Configuration) {
    self.path = path
    self.configuration = configuration
    writer = Connection(path: path, configuration: configuration)
    let hasReader = DatabaseFile.isFile(path) && !configuration.isReadOnly
    reader = hasReader ? Connection(path: path, configuration: configuration) : writer
    (reader.state.hub, reader.state.formats) = (writer.state.hub, writer.state.formats)
    pool = Pool(
      writer: writer, reader: reader, path: path, limit: configuration.maximumReaderCount)
  }

  /// Opens the writer and the first reader, or neither.
  func open(_ keys: [Key]?) async throws(DatabaseError) -> Connection.FirstOpening {
    guard !pool.isSingle else { return try await writer.openFirst(keys) }
    let (opening, template) = try await writer.openFirst(keys, and: reader)
    pool.set(template)
    return opening
  }

  /// Opens a new in-memory database. SQLite keeps the contents, unencrypted, only in memory.
  /// Closing the database deletes the contents.
  /// - Parameter configuration: The options for opening the database.
  /// - Throws: ``DatabaseError`` with the operation `open`.
  public static func inMemory(configuration: Configuration = Configuration())
    async throws(DatabaseError) -> Database
  {
    try await Database(path: ":memory:", key: nil, configuration: configuration)
  }

  /// Opens a new temporary database. SQLite keeps the contents in memory, and if they are large
  /// also in an unnamed file. Closing the database deletes the contents.
  /// - Parameters:
  ///   - key: The key for contents written to the file.
  ///   - configuration: The options for opening the database.
  /// - Throws: ``DatabaseError`` with the operation `open`.
  public static func temporary(
    key: Key?, configuration: Configuration = Configuration()
  ) async throws(DatabaseError) -> Database {
    try await Database(path: "", key: key, configuration: configuration)
  }

  /// Reads in a transaction: the closure sees a single state of the database, unaffected by
  /// concurrent writes.
  ///
  /// ```swift
  /// let (companies, cities) = try await database.read { db in
  ///   (try Table<Company>().fetchAll(in: db), try Table<City>().fetchAll(in: db))
  /// }
  /// ```
  /// The closure sees all writes committed before the transaction begins. A read does not wait for
  /// writes, but waits while all readers are in use.
  /// - Parameter body: The closure, which runs on the connection's executor. Writes throw, and so
  ///   does any use of the connection after the closure returns.
  /// - Throws: The error of the closure, ``DatabaseError``, or `CancellationError` if the task is
  ///   cancelled.
  public func read<Result: Sendable>(
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    let isReading = isReadingRefused
    return try await withConnection(.reader) { db in
      try db.lend(isReading: isReading) { db in try db.transaction(.deferred, body) }
    }
  }

  /// True if a single connection reads and writes, so that reads must reject writes.
  var isReadingRefused: Bool { pool.isSingle && !configuration.isReadOnly }

  /// Writes in a transaction, which commits when the closure returns, and rolls back when the
  /// closure throws.
  ///
  /// ```swift
  /// try await database.write { db in try db.execute("DELETE FROM entry") }
  /// ```
  /// - Parameters:
  ///   - kind: The lock that the transaction takes, and when.
  ///   - body: The closure, which runs on the connection's executor without interleaved work. Any
  ///     use of the connection after the closure returns throws.
  /// - Throws: The error of the closure, or ``DatabaseError``; `CancellationError` if the task is
  ///   cancelled before the commit begins. After an error, the transaction is rolled back.
  @discardableResult
  public func write<Result: Sendable>(
    _ kind: TransactionKind = .immediate, _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    try await withConnection(.writer) { db in try db.lend { db in try db.transaction(kind, body) } }
  }

  /// Runs a single operation in a transaction of its own. The closure rethrows the operation's error,
  /// which rolls the transaction back, so the operation opens no savepoint.
  @usableFromInline
  func writeOperation<Result: Sendable>(
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    try await write { db in try db.operation(body) }
  }
}

extension Connection {
  /// Opens both connections with a single change of threads, because a change costs as much as
  /// opening a file.
  fileprivate func openFirst(
    _ keys: [Key]?, and reader: Connection
  ) throws(DatabaseError) -> (FirstOpening, ConnectionTemplate) {
    var waited = Duration.zero
    let opening = try state.interruption.opening { () throws(DatabaseError) in
      defer { waited = state.interruption.waitedToOpen ?? .zero }
      return try openFirst(keys)
    }
    let (identities, past) = (state.identities, waited)
    do throws(DatabaseError) {
      let template = try reader.sync { reader throws(DatabaseError) in
        reader.state.identities = identities
        try reader.state.interruption.opening(after: past) { () throws(DatabaseError) in
          try reader.open(opening.cipher, isReadOnly: true)
        }
        return reader.template
      }
      return (opening, template)
    } catch {
      try? close()
      throw error
    }
  }
}
