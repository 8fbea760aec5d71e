import CSQLCipher
import Synchronization

/// The state of a `sqlite3` handle, shared by the database's ``Connection`` and the ``Connection``
/// of each running closure.
final class ConnectionState: @unchecked Sendable {
  // Safe to share: `hub` and `formats` are constant once the connection is in use. All other variables are
  // accessed only on the executor.
  let path: String
  let configuration: Configuration
  let executor: ConnectionExecutor
  let interruption: Interruption
  let counts = Mutex(DatabaseStatistics())
  let logListener = LogListener()

  /// All connections of a database share a hub and the formats, set before opening.
  var hub = ObservationHub()
  var formats = DeclaredFormats()

  var opened: Opened? {
    willSet { interruption.willClose() }
  }
  /// The keys to try when the file reopens; nil unless a reopening is scheduled.
  var reopening: [CipherKey?]?
  /// The opened files by schema name. Reopening rejects a different file at the path.
  var identities: [ExactText: OpenFile.Identity] = [:]
  var isReadOnly = false
  /// True until the first opening. A reader opens on demand.
  var isNew = false
  var attachments: [Attachment] = []
  /// True if user SQL began the outermost transaction.
  var isInTransactionOfSQL = false
  /// True while the transaction runs its only operation. See ``Connection/operation(_:)``.
  var runsOperation = false
  /// The error that turned the rollback of a savepoint into a rollback of the whole transaction.
  var undoFailure: DatabaseError?
  /// The version to which this program migrated the file; nil if it did not migrate.
  var migratedVersion: Int32?
  var depth = 0

  init(path: String, configuration: Configuration) {
    self.path = path
    self.configuration = configuration
    executor = ConnectionExecutor(configuration.workers)
    interruption = Interruption(lockTimeout: configuration.busyTimeout)
    if let scheduler = configuration.workers.scheduler {
      interruption.pause = { _ in scheduler.step() }
    }
  }

  /// Throws if the file at the path was replaced: the database's other connections use the old
  /// file.
  func checkIdentity(of name: ExactText, at path: String) throws(DatabaseError) {
    guard let known = identities[name], let now = OpenFile.Identity(path), now != known else {
      return
    }
    throw .replaced(.open, path)
  }

  /// An open file. The deinitializer closes the file if `close()` was not called.
  final class Opened {
    let database: OpaquePointer
    let cipher: CipherKey?
    let cache: StatementCache
    var logGrowth: LogGrowth?
    var files: [ExactText: OpenFile]
    /// The process that opened the file. A forked child must neither use nor close it.
    let home = HomeProcess()
    private var isClosed = false
    var changedFormats: ChangedFormats?
    let pages: DecryptionCheck

    init(_ database: OpaquePointer, _ cipher: CipherKey?, _ file: OpenFile?, capacity: Int) {
      self.database = database
      self.cipher = cipher
      cache = StatementCache(capacity: capacity)
      pages = DecryptionCheck(database)
      files = file.map { ["main": $0] } ?? [:]
    }

    /// Closes the file. Returns SQLITE_BUSY if a statement is live; sqlite3_close_v2 would return
    /// SQLITE_OK, and keep the file and its locks.
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
        // A forked child must not finalize the statements.
        _ = CallbackContext.retained(cache)
        return
      }
      cache.removeAll()
      pages.finalize()
      cache.watch?.stop()
      // While a statement is alive, sqlite3_close_v2 keeps the file open.
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

struct ConnectionTemplate: Sendable {
  var keys: [CipherKey?] = []
  var identities: [ExactText: OpenFile.Identity] = [:]
  var attachments: [Attachment] = []
}
