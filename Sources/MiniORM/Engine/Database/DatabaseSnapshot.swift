import CSQLCipher
import Synchronization

/// A committed state of a file that tasks can read repeatedly, concurrently with each other and
/// with writes.
///
/// ```swift
/// let snapshot = try await database.snapshot()
/// async let companies = snapshot.read { db in try Table<Company>().fetchAll(in: db) }
/// async let cities = snapshot.read { db in try Table<City>().fetchAll(in: db) }
/// try await write(companies, cities)
/// snapshot.close()
/// ```
/// A separate connection holds the state. The write-ahead log cannot be checkpointed past this
/// state, and grows with each write. Close or release the snapshot as soon as possible.
///
/// See [Database Snapshots](https://www.sqlite.org/c3ref/snapshot.html).
public final class DatabaseSnapshot: Sendable {
  private let database: Database
  private let state: Mutex<State>
  private let end = Atomic<UInt8>(0)

  private struct State {
    /// A connection whose read transaction prevents checkpoints past the state.
    var holder: Connection?
    let pointer: SnapshotPointer
  }

  init(_ database: Database, _ pointer: SnapshotPointer, holder: Connection) {
    self.database = database
    state = Mutex(State(holder: holder, pointer: pointer))
  }

  deinit { close() }

  /// Reads the snapshot's state in a transaction.
  ///
  /// The call takes a reader of the database, and waits as ``Database/read(_:)``. Attached files
  /// are read in their current state.
  /// - Parameter body: The closure, which runs on the connection's executor. Writes throw, and so
  ///   does any use of the connection after the closure returns.
  /// - Throws: The error of the closure, ``DatabaseError``, or `CancellationError`. The operation
  ///   is `begin` and the code ``ResultCode/misuse`` if the snapshot or the database was closed, or
  ///   the database was suspended.
  public func read<Result: Sendable>(
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    try checkIsHeld()
    let pointer = state.withLock { $0.pointer }
    return try await database.withConnection(.reader) { db in
      try db.lend { db in
        try db.transaction(.deferred) { db in
          // While this call waited for a connection, the snapshot may have been closed.
          try checkIsHeld()
          do throws(DatabaseError) { try db.open(pointer) } catch {
            // Suspending the database or closing the snapshot releases the state at any time.
            try checkIsHeld()
            throw error
          }
          return try body(db)
        }
      }
    }
  }

  /// Ends the snapshot. Running reads complete, and later reads throw. Closing a closed snapshot
  /// has no effect.
  public func close() { drop(.closed) }

  enum End: UInt8 { case closed = 1, suspended, databaseClosed }

  func drop(_ reason: End) {
    let holder = state.withLock { state in
      defer { state.holder = nil }
      return state.holder
    }
    guard let holder else { return }
    end.store(reason.rawValue, ordering: .releasing)
    database.pool.forget(holder)
    holder.sync { $0.closeForGood() }
  }

  private func checkIsHeld() throws(DatabaseError) {
    let message =
      switch End(rawValue: end.load(ordering: .acquiring)) {
      case nil: nil as String?
      case .closed: "The snapshot is closed: take a new one"
      case .suspended:
        "The snapshot ended when the database was suspended, because suspending releases every lock: take a new one"
      case .databaseClosed: "The database is closed: open a new Database"
      }
    guard let message else { return }
    throw DatabaseError(.begin, code: .misuse, message, path: database.path)
  }
}

/// An `sqlite3_snapshot` handle, freed with the last reference.
final class SnapshotPointer: @unchecked Sendable {
  fileprivate let pointer: UnsafeMutableRawPointer

  fileprivate init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }

  deinit { miniorm_snapshot_free(pointer) }
}

extension Database {
  /// Creates a snapshot of the last committed state, for example for a long export, or for several
  /// tasks that must read the same state.
  ///
  /// The file must be in WAL mode, and SQLCipher compiled with `SQLITE_ENABLE_SNAPSHOT`, as by
  /// `scripts/install-sqlcipher` but not in Debian 13. Writes wait briefly. If the log is empty,
  /// the call commits a transaction without changes.
  /// - Returns: The snapshot, which ends when it is closed or released, and when the database is
  ///   closed or suspended. While a snapshot exists, ``changeKey(to:)`` throws `busy`.
  /// - Throws: ``DatabaseError`` with the operation `begin` and the code ``ResultCode/misuse`` if
  ///   snapshots are unavailable, or an error of opening a connection; `CancellationError`.
  public func snapshot() async throws -> DatabaseSnapshot {
    try Connection.checkSnapshots(
      configuration.usesSnapshots && miniorm_has_snapshots() != 0, path)
    guard !pool.isSingle else { throw Connection.noLog(path) }
    return try await withConnection(.writer) { db in
      // Between the calls that find and hold the state, another process may restart the log.
      for _ in 0..<20 {
        do throws(DatabaseError) {
          return try hold(db)
        } catch {
          guard error.code.rawValue == Connection.stateIsGone else { throw error }
        }
      }
      return try hold(db)
    }
  }

  private func hold(_ db: isolated Connection) throws(DatabaseError) -> DatabaseSnapshot {
    try db.beginSnapshot()
    let holder = Connection(reader, pool.holderTemplate)
    let pointer = try holder.sync { holder throws(DatabaseError) in
      do throws(DatabaseError) {
        return try holder.holdState()
      } catch {
        holder.closeForGood()
        throw error
      }
    }
    let snapshot = DatabaseSnapshot(self, pointer, holder: holder)
    pool.hold(snapshot, holder)
    return snapshot
  }

  func endSnapshots(_ end: DatabaseSnapshot.End) {
    releaseLog()
    for held in pool.takeHeld() {
      held.snapshot?.drop(end)
      // The deinit of a snapshot may not have closed the connection yet.
      held.holder.sync { $0.closeForGood() }
    }
  }
}

extension Connection {
  fileprivate static func checkSnapshots(_ areThere: Bool, _ path: String) throws(DatabaseError) {
    guard !areThere else { return }
    throw DatabaseError(
      .begin, code: .misuse,
      "The SQLCipher library was built without snapshots (SQLITE_ENABLE_SNAPSHOT): run the queries in a single read, or build a library with scripts/install-sqlcipher",
      path: path)
  }

  static func noLog(_ path: String) -> DatabaseError {
    DatabaseError(
      .begin, code: .misuse,
      "A snapshot needs a file with a write-ahead log (Configuration.journalMode) that is open for writing: run the queries in a single read instead",
      path: path)
  }

  /// SQLITE_ERROR_SNAPSHOT, a macro.
  fileprivate static let stateIsGone = SQLITE_ERROR | (3 << 8)

  /// Commits a transaction if the log is empty: a snapshot needs a transaction in the log.
  fileprivate func beginSnapshot() throws(DatabaseError) {
    let database = try handle
    guard try Self.text("PRAGMA main.journal_mode", database) == "wal" else {
      throw Self.noLog(path)
    }
    // Reports the size of the log, or SQLITE_BUSY during another process's checkpoint.
    let moved = Checkpoint.passive(database, "main")
    guard moved.code == SQLITE_OK || moved.isBusy else {
      throw DatabaseError(.begin, code: moved.code, from: database, path: path)
    }
    guard moved.pageCount <= 0 else { return }
    do throws(DatabaseError) {
      _ = try Self.text("BEGIN IMMEDIATE", database)
      try commitWithoutChanges(database)
    } catch {
      sqlite3_exec(database, "ROLLBACK", nil, nil, nil)
      throw error.adding(operation: .begin, path: path)
    }
  }

  /// Writes the first page of the file to the log. The caller has begun the transaction.
  package func commitWithoutChanges(_ database: OpaquePointer) throws(DatabaseError) {
    let version = try Self.text("PRAGMA main.user_version", database) ?? "0"
    _ = try Self.text("PRAGMA main.user_version = \(version)", database)
    _ = try Self.text("COMMIT", database)
  }

  fileprivate func holdState() throws(DatabaseError) -> SnapshotPointer {
    let database = try handle
    _ = try Self.text("BEGIN DEFERRED", database)
    var pointer: UnsafeMutableRawPointer?
    let code = miniorm_snapshot_get(database, "main", &pointer)
    guard code == SQLITE_OK, let pointer else {
      throw DatabaseError(.begin, code: code, from: database, path: path)
    }
    let snapshot = SnapshotPointer(pointer)
    // A transaction that reads nothing from the log does not prevent the log's restart, which would
    // lose the state. A transaction opened at a snapshot does.
    try open(snapshot)
    return snapshot
  }

  fileprivate func open(_ snapshot: SnapshotPointer) throws(DatabaseError) {
    let database = try handle
    let code = miniorm_snapshot_open(database, "main", snapshot.pointer)
    guard code != SQLITE_OK else { return }
    let error = DatabaseError(.begin, code: code, from: database, path: path)
    guard code == Self.stateIsGone else { throw error }
    throw DatabaseError(
      .begin, code: error.code,
      "The state of the snapshot is gone: a checkpoint replaced it with later changes. Take a new snapshot",
      path: path)
  }

  /// Closes the file in any state of the connection, without reopening.
  package func closeForGood() {
    state.opened = nil
    state.reopening = nil
    state.depth = 0
  }
}

extension Pool {
  struct HeldSnapshot {
    weak var snapshot: DatabaseSnapshot?
    let holder: Connection
  }

  var holderTemplate: ConnectionTemplate {
    ConnectionTemplate(keys: state.withLock { $0.template.keys })
  }

  fileprivate func hold(_ snapshot: DatabaseSnapshot, _ holder: Connection) {
    state.withLock { $0.held.append(HeldSnapshot(snapshot: snapshot, holder: holder)) }
  }

  func checkSnapshots(_ operation: DatabaseError.Operation) throws(DatabaseError) {
    guard state.withLock({ $0.held.contains { $0.snapshot != nil } }) else { return }
    throw DatabaseError(
      operation, code: .busy,
      "An open snapshot of the database needs the file as it is: close the snapshot first",
      path: path)
  }

  fileprivate func forget(_ holder: Connection) {
    state.withLock { $0.held.removeAll { $0.holder === holder } }
  }

  fileprivate func takeHeld() -> [HeldSnapshot] {
    state.withLock { state in
      defer { state.held = [] }
      return state.held
    }
  }
}
