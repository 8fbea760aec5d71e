/// An encrypted database, the starting point of MiniORM.
///
/// ```swift
/// let database = try await Database(path: "app.db", key: .passphrase(passphrase))
/// try await database.migrate(DatabaseSchema(Company.self, City.self))
/// let all = try await Table<Company>().fetchAll(in: database)
/// ```
/// All writes use a single connection, in order. Reads use several other connections, see the last
/// committed state, and do not wait for a write. Any number of tasks can use a database
/// concurrently: see <doc:Concurrency>.
public final class Database: Sendable {
  /// The path of the file: empty for a temporary database, `:memory:` for an in-memory database.
  public let path: String

  /// The writer itself if a second connection would see a different database.
  let reader: Connection
  let writer: Connection
  let pool: Pool
  var observationHub: ObservationHub { writer.state.hub }

  let configuration: Configuration

  /// Opens a file, or creates a new file.
  ///
  /// - Parameters:
  ///   - path: The path of the file. `:memory:` and an empty path have the same meaning as in
  ///     SQLite.
  ///   - key: The key. `nil` opens or creates an unencrypted file.
  ///   - configuration: The options for opening the file.
  /// - Throws: ``DatabaseError`` with the operation `open` if the file cannot be opened or created,
  ///   and with the operation `key` if the key is wrong. The file is then closed. A new file may
  ///   exist, empty and with this key.
  /// - Complexity: A passphrase is derived once, with ``CipherSettings/kdfIterations``.
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
    reader.state.hub = writer.state.hub
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

  /// Opens a new in-memory database. SQLite keeps the contents unencrypted in the memory of the
  /// process, and never writes to a file. Closing deletes the contents.
  /// - Parameter configuration: The options for opening the database.
  /// - Throws: ``DatabaseError`` with the operation `open`.
  public static func inMemory(configuration: Configuration = Configuration())
    async throws(DatabaseError) -> Database
  {
    try await Database(path: ":memory:", key: nil, configuration: configuration)
  }

  /// Opens a new temporary database. SQLite keeps the contents in memory, and a large database also
  /// in an unnamed file. Closing deletes the contents.
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
  /// writes. While all readers are in use, a read waits for the next free reader.
  /// - Parameter body: The closure. Runs on the connection's executor. Writes in it throw. After
  ///   the closure returns, the connection throws too.
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

  /// A writer that also reads must refuse writes during a read.
  var isReadingRefused: Bool { pool.isSingle && !configuration.isReadOnly }

  /// Writes in a transaction, which commits when the closure returns and rolls back when the
  /// closure throws.
  ///
  /// For example, `try await database.write { db in try db.execute("DELETE FROM entry") }`.
  ///
  /// - Parameters:
  ///   - kind: The moment at which the transaction takes its lock.
  ///   - body: The closure. Runs on the connection's executor, without interleaved work. After the
  ///     closure returns, all calls on the connection throw.
  /// - Throws: The error of the closure, or ``DatabaseError``; `CancellationError` if the task is
  ///   cancelled before the commit has begun. The transaction is then rolled back.
  @discardableResult
  public func write<Result: Sendable>(
    _ kind: TransactionKind = .immediate, _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    try await withConnection(.writer) { db in try db.lend { db in try db.transaction(kind, body) } }
  }
}

extension Connection {
  /// A single hop to a thread, which costs as much as opening a file.
  fileprivate func openFirst(
    _ keys: [Key]?, and reader: Connection
  ) throws(DatabaseError) -> (FirstOpening, ConnectionTemplate) {
    let opening = try openFirst(keys)
    let identities = state.identities
    let outcome = reader.sync { reader -> Result<ConnectionTemplate, DatabaseError> in
      do throws(DatabaseError) {
        reader.state.identities = identities
        try reader.open(opening.cipher, isReadOnly: true)
        return .success(reader.template)
      } catch {
        return .failure(error)
      }
    }
    do throws(DatabaseError) {
      return (opening, try outcome.get())
    } catch {
      try? close()
      throw error
    }
  }
}
