/// An encrypted database: the place that everything starts from.
///
/// ```swift
/// let database = try await Database(path: "app.db", key: .passphrase(passphrase))
/// try await database.migrate(DatabaseSchema(Company.self, City.self))
/// let all = try await Table<Company>().fetchAll(in: database)
/// ```
///
/// Writes go through one connection, one after the other; reads through several others, which see the
/// last committed state and do not wait for a write. Any number of tasks can use a database at once:
/// see <doc:Concurrency>.
public final class Database: Sendable {
  /// The path of the file: empty for a temporary database, `:memory:` for one in memory.
  public let path: String

  /// The first connection that reads; the writer itself where a second one would not see the same
  /// database.
  let reader: Connection
  /// The connection that writes.
  let writer: Connection
  /// Lends them, and others that read.
  let pool: Pool
  /// Who observes the database.
  var observationHub: ObservationHub { writer.state.hub }

  let configuration: Configuration

  /// Opens a file, or creates it.
  ///
  /// - Parameters:
  ///   - path: The path of the file. `:memory:` and an empty path mean what they mean to SQLite.
  ///   - key: The key. `nil` opens or creates a file that is not encrypted.
  ///   - configuration: How to open it.
  /// - Throws: ``DatabaseError`` with the operation `open` when the file cannot be opened or
  ///   created, and with the operation `key` when the key does not fit. Nothing stays open then; a
  ///   file that was to be created may be there, empty and with this key.
  /// - Complexity: About half a second for a passphrase, from which the key is derived once.
  public convenience init(path: String, key: Key?, configuration: Configuration = Configuration())
    async throws(DatabaseError)
  {
    self.init(unopened: path, configuration)
    _ = try await open(key.map { [$0] })
  }

  /// Makes a database whose connections are not open yet.
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

  /// Opens the connection that writes and the first that reads, or neither.
  func open(_ keys: [Key]?) async throws(DatabaseError) -> Connection.FirstOpening {
    guard !pool.isSingle else { return try await writer.openFirst(keys) }
    let (opening, template) = try await writer.openFirst(keys, and: reader)
    pool.set(template)
    return opening
  }

  /// Opens a new database in memory. SQLite keeps it in the process's memory, unencrypted, and
  /// never writes it to a file; it is gone when it is closed.
  /// - Parameter configuration: How to open it.
  /// - Returns: An empty database.
  /// - Throws: ``DatabaseError`` with the operation `open`.
  public static func inMemory(configuration: Configuration = Configuration())
    async throws(DatabaseError) -> Database
  {
    try await Database(path: ":memory:", key: nil, configuration: configuration)
  }

  /// Opens a new database that SQLite keeps in memory and, should it grow large, in a file without
  /// a name; it is gone when it is closed.
  /// - Parameters:
  ///   - key: The key for what reaches the file.
  ///   - configuration: How to open it.
  /// - Returns: An empty database.
  /// - Throws: ``DatabaseError`` with the operation `open`.
  public static func temporary(
    key: Key?, configuration: Configuration = Configuration()
  ) async throws(DatabaseError) -> Database {
    try await Database(path: "", key: key, configuration: configuration)
  }

  /// Reads in a transaction: the closure sees one state of the database, whatever is written
  /// meanwhile.
  ///
  /// ```swift
  /// let (companies, cities) = try await database.read { db in
  ///   (try Table<Company>().fetchAll(in: db), try Table<City>().fetchAll(in: db))
  /// }
  /// ```
  /// What has been written before it begins is there. It waits for nobody who writes, and where all
  /// the connections that read are in use, for the first that is given back.
  /// - Parameter body: What to read. It runs on the connection's executor; a write in it throws, and
  ///   so does the connection once it has returned.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws, ``DatabaseError``, or `CancellationError` when the task is
  ///   cancelled.
  public func read<Result: Sendable>(
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    let isReading = isReadingRefused
    return try await withConnection(.reader) { db in
      try db.lend(isReading: isReading) { db in try db.transaction(.deferred, body) }
    }
  }

  /// Whether a connection that reads has to be made to refuse writes: the same one does both.
  var isReadingRefused: Bool { pool.isSingle && !configuration.isReadOnly }

  /// Writes in a transaction: it commits when the closure returns, and when it throws nothing has
  /// changed.
  ///
  /// - Parameters:
  ///   - kind: When to take the lock.
  ///   - body: What to do. It runs on the connection's executor, and nothing comes in between. Once
  ///     it has returned, the connection refuses whatever is asked of it.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws, or ``DatabaseError``; `CancellationError` when the task is
  ///   cancelled before the commit has begun, and then nothing has changed.
  @discardableResult
  public func write<Result: Sendable>(
    _ kind: TransactionKind = .immediate, _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    try await withConnection(.writer) { db in try db.lend { db in try db.transaction(kind, body) } }
  }
}

extension Connection {
  /// Opens this connection, which writes, and one that reads, or neither. It is one hop to a thread and
  /// back for both: a hop costs as much as opening a file.
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
