import CSQLCipher
import Synchronization

/// Ends a connection's running statement early: when its task is cancelled, a time limit is reached, or
/// the database closes.
///
/// SQLite calls it after every thousand instructions and while it waits for a lock, on the thread and in
/// the task of the statement. It therefore never ends another task's statement.
///
/// See [sqlite3_progress_handler](https://www.sqlite.org/c3ref/progress_handler.html) and
/// [sqlite3_busy_handler](https://www.sqlite.org/c3ref/busy_handler.html).
final class Interruption: @unchecked Sendable {
  // All but `ending`, which is atomic, and `target`, which is locked, is touched only by code that is
  // isolated to the connection. What each statement reads is read and written whole, so no two accesses to it
  // can overlap: there is nothing for `@exclusivity` to look for.

  enum Cause {
    case cancelled
    case overTime(TimeLimit)
    case ending(UInt8)
  }

  /// The number of SQLite's virtual instructions between two calls of the progress handler.
  private static let instructions: Int32 = 1_000

  /// Why nobody waits for what runs: the database is being closed (1), or suspended (2).
  let ending = Atomic<UInt8>(0)

  /// What a cancellation interrupts at once, for the instructions that take long by themselves: the
  /// connection, while it runs statements that may be interrupted.
  private let target = Mutex<Target?>(nil)
  private struct Target: @unchecked Sendable {
    /// sqlite3_interrupt may be called from any thread while the connection is open.
    let database: OpaquePointer
    var isInterrupted = false
  }

  /// Whether the task of the call was cancelled, if a cancellation calls `interrupt()`.
  private let isCancelled = Atomic(false)
  /// Whether a cancellation calls `interrupt()`. Otherwise each statement asks the task, which costs as
  /// much as finding the statement.
  @exclusivity(unchecked) private var isNotified = false
  @exclusivity(unchecked) private(set) var shields = 0

  /// Whether a call uses the connection.
  @exclusivity(unchecked) private(set) var isInCall = false
  @exclusivity(unchecked) var cause: Cause?
  /// Whether `target` is set.
  @exclusivity(unchecked) private var isAimed = false
  /// Whether a cancellation has interrupted the connection since that was cleared.
  private var hasInterrupted = false
  /// How long a lock was waited for in vain.
  @exclusivity(unchecked) var waited: Duration?
  @exclusivity(unchecked) private var limit: TimeLimit?
  @exclusivity(unchecked) private var waiting: ContinuousClock.Instant?
  /// Whether there was something to wait for. It takes long to set an instant to nil: its size is not known here.
  @exclusivity(unchecked) private var hasWaited = false
  /// How long a lock is waited for; for ever where nil.
  var patience: Duration?
  private let usualPatience: Duration
  /// Waits for some milliseconds. It is set before the connection is used.
  var rest: (Int32) -> Void = { milliseconds in sqlite3_sleep(milliseconds) }

  init(patience: Duration) { (self.patience, usualPatience) = (patience.bounded, patience.bounded) }

  /// Has SQLite ask, for as long as the connection is open.
  func install(on database: OpaquePointer) {
    sqlite3_progress_handler(
      database, Self.instructions,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Interruption>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.ends() ? 1 : 0
        }
      }, Unmanaged.passUnretained(self).toOpaque())  // the cache keeps it as long as its statements
    installBusyHandler(on: database)
    if isInCall, shields == 0 { aim() }
  }

  /// Again for each call: PRAGMA busy_timeout puts SQLite's own in its place.
  private func installBusyHandler(on database: OpaquePointer) {
    self.database = database
    waitForLocks(of: database)
  }

  /// Has SQLite ask here how long to wait for a lock, also while the connection is being opened.
  func waitForLocks(of database: OpaquePointer) {
    sqlite3_busy_handler(
      database,
      { context, count in
        guard let context else { return 0 }
        return Unmanaged<Interruption>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.waits(count) ? 1 : 0
        }
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private var database: OpaquePointer?

  // MARK: One call

  /// - Parameter isNotified: Whether a cancellation calls `interrupt()`.
  func begin(_ limit: TimeLimit?, isNotified: Bool = false, on database: OpaquePointer?) {
    self.isNotified = isNotified
    if isNotified {
      // A task first notes its cancellation, then calls the handler.
      isCancelled.store(false, ordering: .sequentiallyConsistent)
      atomicMemoryFence(ordering: .sequentiallyConsistent)
      if Self.isTaskCancelled { isCancelled.store(true, ordering: .relaxed) }
    }
    if let database { installBusyHandler(on: database) }
    aim()
    (isInCall, self.limit) = (true, limit)
    cause = nil
    if hasWaited { (hasWaited, waited, waiting) = (false, nil, nil) }
  }

  func end() {
    forget()
    clear()
    (isInCall, limit, cause) = (false, nil, nil)
    if hasWaited { waiting = nil }
  }

  private func aim() {
    guard isNotified, let database else { return }
    isAimed = true
    target.withLock { $0 = Target(database: database) }
  }

  private func forget() {
    guard isAimed else { return }
    isAimed = false
    let isInterrupted = target.withLock { target in
      defer { target = nil }
      return target?.isInterrupted ?? false
    }
    if isInterrupted { hasInterrupted = true }
  }

  /// Makes SQLite forget that it was interrupted. It does where a statement begins, and not where a
  /// checkpoint or a backup does, which may be another task's.
  private func clear() {
    guard hasInterrupted, let database else { return }
    hasInterrupted = false
    sqlite3_exec(database, "SELECT 1", nil, nil, nil)
  }

  /// The connection is being closed.
  func willClose() {
    forget()
    database = nil
  }

  /// Interrupts the statement that is running, and no other: what follows looks at the task first.
  ///
  /// See [sqlite3_interrupt](https://www.sqlite.org/c3ref/interrupt.html).
  func interrupt() {
    isCancelled.store(true, ordering: .sequentiallyConsistent)
    target.withLock { target in
      guard let database = target?.database else { return }
      sqlite3_interrupt(database)
      target?.isInterrupted = true
    }
  }

  /// Throws what ends the call, where it has been interrupted or has to end.
  func check() throws {
    guard isInCall else { return }
    if let cause { throw error(cause) }
    guard let found = look() else { return }
    cause = found
    throw error(found)
  }

  /// Whether nothing can be found that ends the call.
  @inline(__always)
  var isUndisturbed: Bool {
    guard isInCall, shields == 0 else { return true }
    return isNotified && limit == nil && cause == nil && !isCancelled.load(ordering: .relaxed)
      && ending.load(ordering: .relaxed) == 0
  }

  /// Whether the call may go on.
  @inline(__always)
  var goesOn: Bool { isUndisturbed || cause == nil && look() == nil }

  /// Refuses a statement where the call has to end: SQLite looks only after some of its work.
  func checkStatement() throws(DatabaseError) {
    if isUndisturbed { return }
    guard let found = cause ?? look() else { return }
    cause = found
    throw interrupting(found)
  }

  /// Runs a closure that nothing interrupts, as a commit is.
  func shielding<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    if shields == 0 { forget() }
    shields += 1
    defer {
      shields -= 1
      if shields == 0, isInCall { aim() }
    }
    return try body()
  }

  // MARK: What SQLite asks

  // Of no task too. To ask for the current task here and look at it takes three times as long.
  static var isTaskCancelled: Bool { Task.isCancelled }

  private func look() -> Cause? {
    if Self.isTaskCancelled { return .cancelled }
    let ending = ending.load(ordering: .relaxed)
    if ending != 0 { return .ending(ending) }
    if let limit, limit.isOver { return .overTime(limit) }
    return nil
  }

  private func ends() -> Bool {
    guard isInCall, shields == 0, let found = look() else { return false }
    // SQLite also asks when a statement has just committed, and would then call it interrupted.
    guard isRunning else { return false }
    cause = found
    return true
  }

  /// Runs a closure that waits for locks a moment only, and that nothing interrupts: what it is for has been
  /// done already.
  func waitingBriefly<Result>(_ body: () -> Result) -> Result {
    let before = (isInCall, cause, waiting)
    patience = .milliseconds(250)
    (isInCall, waiting) = (false, nil)
    defer {
      patience = usualPatience
      (isInCall, cause, waiting) = before
      // Outside a commit, a cancellation interrupts the following statements again.
      if shields == 0, isInCall { aim() }
    }
    return shielding(body)
  }

  private var isRunning: Bool {
    var statement = sqlite3_next_stmt(database, nil)
    while let found = statement {
      if sqlite3_stmt_busy(found) != 0 { return true }
      statement = sqlite3_next_stmt(database, found)
    }
    return false
  }

  /// Returns whether SQLite is to try once more to get a lock.
  func waits(_ count: Int32) -> Bool {
    hasWaited = true
    if isInCall, let found = look() {
      cause = found
      return false
    }
    let now = ContinuousClock.now
    if count == 0 || waiting == nil { waiting = now }
    var pause = Backoff.pause(Int(count))
    if let patience, let waiting {
      let left = patience - (now - waiting)
      guard left > .zero else {
        waited = now - waiting
        return false
      }
      pause = min(pause, left)
    }
    rest(max(1, Int32(pause / .milliseconds(1))))
    return true
  }

  /// Waits for locks as long as it takes, whatever the configuration's limit, during a closure.
  func withPatience<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
  {
    patience = nil
    defer { patience = usualPatience }
    return try body()
  }
}
