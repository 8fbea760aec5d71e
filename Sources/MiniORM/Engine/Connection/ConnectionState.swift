import CSQLCipher
import Synchronization

/// The state of a `sqlite3` handle, shared by the database's ``Connection`` and a temporary
/// ``Connection`` for each running closure.
final class ConnectionState: @unchecked Sendable {
  // Safe to share: `let` properties never change, `hub` is constant once the connection is in use,
  // and all other properties are accessed only on the executor, which all connections of this state
  // share.
  let path: String
  let configuration: Configuration
  let executor: ConnectionExecutor
  /// The executor without reference counting, for the check in each call.
  let uncountedExecutor: Unmanaged<ConnectionExecutor>
  let interruption: Interruption
  /// The interruption without reference counting, for the check in each statement.
  let uncountedInterruption: Unmanaged<Interruption>
  let counts = Mutex(ConnectionCounts())

  /// Shared by all connections of a database, and set before opening.
  var hub = ObservationHub()

  @exclusivity(unchecked) var opened: Opened? {
    willSet { interruption.willClose() }
    didSet { current = opened.map { .passUnretained($0) } }
  }
  /// The open file without reference counting, for each statement.
  @exclusivity(unchecked) private(set) var current: Unmanaged<Opened>?
  /// The keys to try at the next use; nil unless a reopening is scheduled.
  var reopening: [CipherKey?]?
  /// The identities of the opened files by schema name. Other files at these paths are rejected.
  @exclusivity(unchecked) var identities: [ExactText: OpenFile.Identity] = [:]
  var isReadOnly = false
  /// True until the first opening: a reader opens on demand.
  var isNew = false
  /// Attached again after a reopening.
  @exclusivity(unchecked) var attachments: [Attachment] = []
  @exclusivity(unchecked) var isInTransactionOfSQL = false
  /// The error for which the whole transaction was rolled back.
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

  /// The database's other connections use the old file.
  func checkIdentity(of name: ExactText, at path: String) throws(DatabaseError) {
    guard let known = identities[name], let now = OpenFile.Identity(path), now != known else {
      return
    }
    throw .replaced(.open, path)
  }

  @inline(__always)
  var goesOn: Bool { uncountedInterruption._withUnsafeGuaranteedRef { $0.goesOn } }

  @inline(__always)
  func endUse() { current?._withUnsafeGuaranteedRef { $0.cache.endUse() } }

  /// The deinit closes the file, even if the actor is released without a call of close.
  final class Opened {
    let database: OpaquePointer
    let cipher: CipherKey?
    let cache: StatementCache
    var logGrowth: LogGrowth?
    var files: [ExactText: OpenFile]
    /// A forked child neither uses nor closes the file.
    let home = HomeProcess()
    private var isClosed = false
    let pages: PageProbe

    init(_ database: OpaquePointer, _ cipher: CipherKey?, _ file: OpenFile?, capacity: Int) {
      self.database = database
      self.cipher = cipher
      cache = StatementCache(capacity: capacity)
      pages = PageProbe(database)
      files = file.map { ["main": $0] } ?? [:]
    }

    /// With a live statement, sqlite3_close_v2 would return SQLITE_OK, and keep the file and its
    /// locks.
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
      // A live statement keeps the file open.
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
