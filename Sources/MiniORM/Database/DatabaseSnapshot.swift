import CSQLCipher
import Synchronization

/// One committed state of a file, which any number of tasks read for as long as it is held, at once and again,
/// while others write.
///
/// ```swift
/// let snapshot = try await database.snapshot()
/// async let companies = snapshot.read { db in try Table<Company>().fetchAll(in: db) }
/// async let cities = snapshot.read { db in try Table<City>().fetchAll(in: db) }
/// try await write(companies, cities)
/// snapshot.close()
/// ```
/// A connection of its own keeps the state. While it does, the write-ahead log grows with each write, because
/// nothing that was written later is moved into the file: close it, or drop it, as soon as it has been read.
///
/// See [Database Snapshots](https://www.sqlite.org/c3ref/snapshot.html).
public final class DatabaseSnapshot: Sendable {
  private let database: Database
  private let state: Mutex<State>
  private let end = Atomic<UInt8>(0)

  private struct State {
    /// It has a read transaction, so that no checkpoint goes past the state.
    var holder: Connection?
    let pointer: SnapshotPointer
  }

  init(_ database: Database, _ pointer: SnapshotPointer, holder: Connection) {
    self.database = database
    state = Mutex(State(holder: holder, pointer: pointer))
  }

  deinit { close() }

  /// Reads the state that the snapshot is of, in a transaction.
  ///
  /// It uses one of the connections that the database reads with, and waits for one as
  /// ``Database/read(_:)`` does. Attached files have no part in it: they are read as they are now.
  /// - Parameter body: What to read. It runs on the connection's executor; a write in it throws, and so
  ///   does the connection once it has returned.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws, ``DatabaseError``, or `CancellationError`. The code is
  ///   ``ResultCode/misuse`` when the snapshot or the database is closed, and when the database has been
  ///   suspended since, which ends it; its operation is `begin` then.
  public func read<Result: Sendable>(
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    try checkIsHeld()
    let pointer = state.withLock { $0.pointer }
    return try await database.withConnection(.reader) { db in
      try db.lend { db in
        try db.transaction(.deferred) { db in
          // While it waited for the connection, it may have been closed, and its state be gone.
          try checkIsHeld()
          try db.open(pointer)
          return try body(db)
        }
      }
    }
  }

  /// Ends it. What is being read goes on to its end, and further reads throw. Closing again does nothing.
  public func close() { drop(.closed) }

  enum End: UInt8 { case closed = 1, suspended, databaseClosed }

  /// Gives the state up.
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
      case .closed: "The snapshot is closed"
      case .suspended:
        "The snapshot ended when the database was suspended, which gives all locks back: take a new one"
      case .databaseClosed: "The database is closed"
      }
    guard let message else { return }
    throw DatabaseError(.begin, code: .misuse, message, path: database.path)
  }
}

/// What SQLite has noted of a state. It is freed when nobody has it any more.
final class SnapshotPointer: @unchecked Sendable {
  // What it points at never changes.
  fileprivate let pointer: UnsafeMutableRawPointer

  fileprivate init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }

  deinit { miniorm_snapshot_free(pointer) }
}

extension Database {
  /// Holds the state that is committed just now, for long exports and for several tasks that are to read the
  /// same.
  ///
  /// It needs a file with a write-ahead log, and a SQLCipher that was built with `SQLITE_ENABLE_SNAPSHOT`, as
  /// `scripts/install-sqlcipher` builds it; Debian 13's own was not. Writes that are asked for meanwhile wait a
  /// moment. Where nothing is in the log, a transaction that changes nothing is written first.
  /// - Returns: The snapshot. It ends when it is closed or dropped, and when the database is closed or
  ///   suspended. ``changeKey(to:)`` throws `busy` meanwhile.
  /// - Throws: ``DatabaseError`` with the operation `begin` and the code ``ResultCode/misuse`` where there can
  ///   be none, and as opening a connection does; `CancellationError`.
  public func snapshot() async throws -> DatabaseSnapshot {
    try Connection.checkSnapshots(
      configuration.usesSnapshots && miniorm_has_snapshots() != 0, path)
    guard !pool.isSingle else { throw Connection.noLog(path) }
    return try await withConnection(.writer) { db in
      try db.beginSnapshot()
      let holder = Connection(reader, pool.holderTemplate)
      let outcome = holder.sync { holder -> Result<SnapshotPointer, DatabaseError> in
        do throws(DatabaseError) {
          return .success(try holder.holdState())
        } catch {
          holder.closeForGood()
          return .failure(error)
        }
      }
      let snapshot = DatabaseSnapshot(self, try outcome.get(), holder: holder)
      pool.hold(snapshot, holder)
      return snapshot
    }
  }

  /// Ends the snapshots that are held.
  func endSnapshots(_ end: DatabaseSnapshot.End) {
    for held in pool.takeHeld() {
      held.snapshot?.drop(end)
      // One that is being dropped is perhaps not closed yet.
      held.holder.sync { $0.closeForGood() }
    }
  }
}

extension Connection {
  fileprivate static func checkSnapshots(_ areThere: Bool, _ path: String) throws(DatabaseError) {
    guard !areThere else { return }
    throw DatabaseError(
      .begin, code: .misuse,
      "This SQLCipher was built without snapshots (SQLITE_ENABLE_SNAPSHOT): read what belongs together in one read, or build one that has them with scripts/install-sqlcipher",
      path: path)
  }

  static func noLog(_ path: String) -> DatabaseError {
    DatabaseError(
      .begin, code: .misuse,
      "A snapshot needs a file that has a write-ahead log (Configuration.journalMode) and is not only read: everything else has one state at a time",
      path: path)
  }

  /// Sees to it that there is something in the log that a snapshot can be of.
  fileprivate func beginSnapshot() throws(DatabaseError) {
    let database = try handle
    guard try Self.text("PRAGMA main.journal_mode", database) == "wal" else {
      throw Self.noLog(path)
    }
    // It tells how much is in the log, too; busy where another process does it just now.
    let moved = Checkpoint.passive(database, "main")
    guard moved.code == SQLITE_OK || moved.isBusy else {
      throw DatabaseError(.begin, code: moved.code, from: database, path: path)
    }
    guard moved.pageCount <= 0 else { return }
    do throws(DatabaseError) {
      _ = try Self.text("BEGIN IMMEDIATE", database)
      let version = try Self.text("PRAGMA main.user_version", database) ?? "0"
      _ = try Self.text("PRAGMA main.user_version = \(version)", database)
      _ = try Self.text("COMMIT", database)
    } catch {
      sqlite3_exec(database, "ROLLBACK", nil, nil, nil)
      throw error.adding(operation: .begin, path: path)
    }
  }

  /// Opens the file, and begins to read the state that is committed just now.
  fileprivate func holdState() throws(DatabaseError) -> SnapshotPointer {
    let database = try handle
    _ = try Self.text("BEGIN DEFERRED", database)
    var pointer: UnsafeMutableRawPointer?
    let code = miniorm_snapshot_get(database, "main", &pointer)
    guard code == SQLITE_OK, let pointer else {
      throw DatabaseError(.begin, code: code, from: database, path: path)
    }
    let snapshot = SnapshotPointer(pointer)
    // Where all of the log has been moved, it reads the file alone, and the log can begin anew: then nobody else
    // would find the state. A transaction that is given a state reads in the log.
    try open(snapshot)
    return snapshot
  }

  /// Has the transaction that has just begun read a state that is held.
  fileprivate func open(_ snapshot: SnapshotPointer) throws(DatabaseError) {
    let database = try handle
    let code = miniorm_snapshot_open(database, "main", snapshot.pointer)
    guard code != SQLITE_OK else { return }
    let error = DatabaseError(.begin, code: code, from: database, path: path)
    guard code == SQLITE_ERROR | (3 << 8) else { throw error }  // SQLITE_ERROR_SNAPSHOT, a macro
    throw DatabaseError(
      .begin, code: error.code,
      "The state that the snapshot is of is gone: a checkpoint has moved later changes over it. Take a new one",
      path: path)
  }

  /// Closes the file in whatever state the connection is, and opens it no more.
  fileprivate func closeForGood() {
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

  /// What a connection needs that only keeps a state of the file.
  fileprivate var holderTemplate: ConnectionTemplate {
    ConnectionTemplate(keys: state.withLock { $0.template.keys })
  }

  fileprivate func hold(_ snapshot: DatabaseSnapshot, _ holder: Connection) {
    state.withLock { $0.held.append(HeldSnapshot(snapshot: snapshot, holder: holder)) }
  }

  /// Refuses an operation that a snapshot prevents: it keeps a state of the file.
  func checkSnapshots(_ operation: DatabaseError.Operation) throws(DatabaseError) {
    guard state.withLock({ $0.held.contains { $0.snapshot != nil } }) else { return }
    throw DatabaseError(
      operation, code: .busy,
      "A snapshot of the database is open, and needs the file as it was: close the snapshot first",
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
