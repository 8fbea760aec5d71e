import CSQLCipher
import Synchronization

/// One connection to SQLite. Several ``Connection``s lead to it: one that the database keeps, and
/// one for each closure that is running, which leads nowhere once the closure has returned.
final class ConnectionState: @unchecked Sendable {
  // 1. What is declared by `let` never changes, and `hub` not once the
  // connection is in use. 2. All else is touched only by code that
  // is isolated to a Connection, and each Connection of this state has this one executor.
  let path: String
  let configuration: Configuration
  let executor: ConnectionExecutor
  /// The same, not counted, which each call asks.
  let uncountedExecutor: Unmanaged<ConnectionExecutor>
  let interruption: Interruption
  /// The same, not counted, which each statement asks.
  let uncountedInterruption: Unmanaged<Interruption>
  /// What the connection had done when it was last asked.
  let counts = Mutex(ConnectionCounts())

  /// Who observes the database. Its connections have one in common, before they are opened.
  var hub = ObservationHub()

  @exclusivity(unchecked) var opened: Opened? {
    willSet { interruption.willClose() }
    didSet { current = opened.map { .passUnretained($0) } }
  }
  /// The same, not counted, which each statement asks for.
  @exclusivity(unchecked) private(set) var current: Unmanaged<Opened>?
  /// The keys to try when the file is next used; nil unless it was closed to be opened again.
  var reopening: [CipherKey?]?
  /// The files that were opened, by the names that SQL has for them. Others at the same paths are refused.
  @exclusivity(unchecked) var identities: [ExactText: OpenFile.Identity] = [:]
  var isReadOnly = false
  /// Whether the file has not been opened yet: a reader is when it is first needed.
  var isNew = false
  /// The databases that are attached, for the next opening of the file as well.
  @exclusivity(unchecked) var attachments: [Attachment] = []
  /// Whether the outermost level stands for a transaction that SQL has begun.
  @exclusivity(unchecked) var isInTransactionOfSQL = false
  /// What kept a part of the transaction from being undone, which has ended the whole of it.
  @exclusivity(unchecked) var undoFailure: DatabaseError?
  /// The version to which this program has migrated the file, if it has.
  var migratedVersion: Int32?
  /// How many transactions and savepoints are open.
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

  /// Refuses a file that has taken the place of the one that was open: this connection would go on with another file than
  /// the other connections of the database.
  func checkIdentity(of name: ExactText, at path: String) throws(DatabaseError) {
    guard let known = identities[name], let now = OpenFile.Identity(path), now != known else {
      return
    }
    throw .replaced(.open, path)
  }

  /// Whether the call may go on.
  @inline(__always)
  var goesOn: Bool { uncountedInterruption._withUnsafeGuaranteedRef { $0.goesOn } }

  /// Ends a use of the connection: its statements hold no values any more.
  @inline(__always)
  func endUse() { current?._withUnsafeGuaranteedRef { $0.cache.endUse() } }

  /// What a connection has while it is open. Its deinit closes the file, also when an actor is
  /// dropped without having been closed.
  final class Opened {
    let database: OpaquePointer
    let cipher: CipherKey?
    let cache: StatementCache
    /// Keeps the log short.
    var logGrowth: LogGrowth?
    /// The files that are open, by the names that SQL has for them.
    var files: [ExactText: OpenFile]
    /// Where it was opened: nothing is done with it elsewhere, and it is not closed.
    let home = HomeProcess()
    private var isClosed = false
    /// Looks whether the pages that were read could be decrypted.
    let pages: PageProbe

    init(_ database: OpaquePointer, _ cipher: CipherKey?, _ file: OpenFile?, capacity: Int) {
      self.database = database
      self.cipher = cipher
      cache = StatementCache(capacity: capacity)
      pages = PageProbe(database)
      files = file.map { ["main": $0] } ?? [:]
    }

    /// Closes the file, or fails and leaves it open: unlike sqlite3_close_v2, which returns
    /// SQLITE_OK where a statement is alive, and keeps the file and its locks for as long.
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
        // Its statements refer to it without counting, and are not to be finalized here.
        _ = Unmanaged.passRetained(cache)
        return
      }
      cache.connectionIsGone()
      pages.finalize()
      cache.watch?.stop()
      // Nobody is left to be told of a failure, and a statement may be alive: it closes with that.
      sqlite3_close_v2(database)
    }
  }
}

extension DatabaseError {
  /// The error for a database that was opened by the process that this one was forked from.
  static func forked(_ operation: Operation, _ path: String) -> DatabaseError {
    DatabaseError(
      operation, code: .misuse,
      "The database was opened before fork, by the parent of this process, and SQLite's locks stay there: open the file in the child, or start a program with posix_spawn",
      path: path)
  }
}
