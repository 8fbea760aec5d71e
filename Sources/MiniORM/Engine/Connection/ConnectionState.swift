import CSQLCipher
import Synchronization

/// The state of a `sqlite3` handle. The database keeps a ``Connection`` to it, and each running
/// closure has a temporary ``Connection``, unusable after the closure returns.
final class ConnectionState: @unchecked Sendable {
  // Safe to share: `let` properties never change, and `hub` is constant once the connection is in
  // use. All other properties are accessed only with isolation to a Connection, and all connections
  // of this state share this executor.
  let path: String
  let configuration: Configuration
  let executor: ConnectionExecutor
  /// The executor without reference counting, for the check in each call.
  let uncountedExecutor: Unmanaged<ConnectionExecutor>
  let interruption: Interruption
  /// The interruption without reference counting, for the check in each statement.
  let uncountedInterruption: Unmanaged<Interruption>
  let counts = Mutex(ConnectionCounts())

  /// The hub of the database's observers. All connections of a database share the hub, which is set
  /// before opening.
  var hub = ObservationHub()

  @exclusivity(unchecked) var opened: Opened? {
    willSet { interruption.willClose() }
    didSet { current = opened.map { .passUnretained($0) } }
  }
  /// The open file without reference counting, for each statement.
  @exclusivity(unchecked) private(set) var current: Unmanaged<Opened>?
  /// The keys to try at the next use; nil unless a reopening is scheduled.
  var reopening: [CipherKey?]?
  /// The identities of the opened files by schema name. Other files at the same paths are rejected.
  @exclusivity(unchecked) var identities: [ExactText: OpenFile.Identity] = [:]
  var isReadOnly = false
  /// True until the first opening: a reader opens on demand.
  var isNew = false
  /// The attached databases, attached again after a reopening.
  @exclusivity(unchecked) var attachments: [Attachment] = []
  /// True if user SQL began the outermost transaction.
  @exclusivity(unchecked) var isInTransactionOfSQL = false
  /// The error that prevented the rollback to a savepoint, and so ended the whole transaction.
  @exclusivity(unchecked) var undoFailure: DatabaseError?
  /// The version to which this program migrated the file; nil without a migration.
  var migratedVersion: Int32?
  @exclusivity(unchecked) var depth = 0

  init(path: String, configuration: Configuration) {
    self.path = path
    self.configuration = configuration
    executor = ConnectionExecutor(configuration.workers)
    uncountedExecutor = .passUnretained(executor)
    interruption = Interruption(patience: configuration.busyTimeout)
    uncountedInterruption = .passUnretained(interruption)
    if let scheduler = configuration.workers.scheduler {
      interruption.rest = { _ in scheduler.step() }
    }
  }

  /// Rejects a file that replaced the opened file: this connection would use a different file than
  /// the other connections of the database.
  func checkIdentity(of name: ExactText, at path: String) throws(DatabaseError) {
    guard let known = identities[name], let now = OpenFile.Identity(path), now != known else {
      return
    }
    throw .replaced(.open, path)
  }

  /// True unless the call was interrupted.
  @inline(__always)
  var goesOn: Bool { uncountedInterruption._withUnsafeGuaranteedRef { $0.goesOn } }

  /// Ends a use of the connection, and clears the values bound to its statements.
  @inline(__always)
  func endUse() { current?._withUnsafeGuaranteedRef { $0.cache.endUse() } }

  /// An open file. Its deinit closes the file, including when the actor is released without a call
  /// of close.
  final class Opened {
    let database: OpaquePointer
    let cipher: CipherKey?
    let cache: StatementCache
    /// Keeps the log short.
    var logGrowth: LogGrowth?
    var files: [ExactText: OpenFile]
    /// The process that opened the file. A forked child neither uses nor closes the file.
    let home = HomeProcess()
    private var isClosed = false
    /// Checks that the pages read so far could be decrypted.
    let pages: PageProbe

    init(_ database: OpaquePointer, _ cipher: CipherKey?, _ file: OpenFile?, capacity: Int) {
      self.database = database
      self.cipher = cipher
      cache = StatementCache(capacity: capacity)
      pages = PageProbe(database)
      files = file.map { ["main": $0] } ?? [:]
    }

    /// Closes the file, or fails and leaves the file open. sqlite3_close_v2 would return SQLITE_OK
    /// with a live statement, and keep the file and its locks.
    func close() -> Int32 {
      cache.removeAll()
      pages.finalize()
      let code = sqlite3_close(database)
      guard code == SQLITE_OK else { return code }
      isClosed = true
      files = [:]
      return code
    }

    deinit {
      guard !isClosed else { return }
      guard home.isCurrent else {
        // Statements hold uncounted references to the cache, and must not be finalized in the
        // child.
        _ = Unmanaged.passRetained(cache)
        return
      }
      cache.connectionIsGone()
      pages.finalize()
      cache.watch?.stop()
      // A deinit cannot report an error. If a statement is alive, the file closes with the
      // statement.
      sqlite3_close_v2(database)
    }
  }
}

extension DatabaseError {
  static func forked(_ operation: Operation, _ path: String) -> DatabaseError {
    DatabaseError(
      operation, code: .misuse,
      "The database was opened before fork(), in the parent process, and SQLite's locks do not pass to the child: open the file in the child, or start a program with posix_spawn",
      path: path)
  }
}
