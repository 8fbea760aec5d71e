import CSQLCipher
import Synchronization

/// Interrupts a connection's running statement: after a cancellation, at a time limit, or when the
/// database closes. SQLite calls the handlers in the statement's own task, so other tasks'
/// statements are not interrupted.
///
/// See [sqlite3_progress_handler](https://www.sqlite.org/c3ref/progress_handler.html) and
/// [sqlite3_busy_handler](https://www.sqlite.org/c3ref/busy_handler.html).
final class Interruption: @unchecked Sendable {
  // Except for the atomic properties and the locked `target`, all properties are accessed only with
  // isolation to the connection.

  enum Cause {
    case cancelled
    case overTime(TimeLimit)
    case ending(UInt8)
  }

  private static let instructions: Int32 = 1_000

  /// The reason to end running calls: the database closes (1) or is suspended (2).
  let ending = Atomic<UInt8>(0)

  /// The connection for `sqlite3_interrupt`, needed for single instructions that take long.
  private let target = Mutex<Target?>(nil)
  private struct Target {
    /// The address of the connection: sqlite3_interrupt may be called from any thread while the
    /// connection is open.
    let database: UInt
    var isInterrupted = false
  }

  private let isCancelled = Atomic(false)
  /// True if a cancellation calls `interrupt()`. If false, each statement checks the task, which
  /// costs as much as finding the statement.
  private var isNotified = false
  private(set) var shields = 0

  private(set) var isInCall = false
  var cause: Cause?
  private var isAimed = false
  private var hasInterrupted = false
  var waited: Duration?
  private var limit: TimeLimit?
  private var waiting: ContinuousClock.Instant?
  /// True if the call has waited for a lock. Cheaper to reset than an optional instant, whose size
  /// is unknown at compile time.
  private var hasWaited = false
  /// The time that the opening in progress has waited for locks; nil outside of an opening.
  private(set) var waitedToOpen: Duration?
  var lockTimeout: Duration?
  private let usualLockTimeout: Duration
  var pause: (Int32) -> Void = { milliseconds in sqlite3_sleep(milliseconds) }

  init(lockTimeout: Duration) {
    (self.lockTimeout, usualLockTimeout) = (lockTimeout.bounded, lockTimeout.bounded)
  }

  func install(on database: OpaquePointer) {
    sqlite3_progress_handler(
      database, Self.instructions,
      { context in
        guard let context else { return 0 }
        return CallbackContext<Interruption>.object(context).ends() ? 1 : 0
      }, CallbackContext.borrowed(self))  // the cache retains it
    installBusyHandler(on: database)
    if isInCall, shields == 0 { aim() }
  }

  /// PRAGMA busy_timeout replaces the handler, so reinstall it for each call.
  private func installBusyHandler(on database: OpaquePointer) {
    self.database = database
    waitForLocks(of: database)
  }

  func waitForLocks(of database: OpaquePointer) {
    sqlite3_busy_handler(
      database,
      { context, count in
        guard let context else { return 0 }
        return CallbackContext<Interruption>.object(context).waits(count) ? 1 : 0
      }, CallbackContext.borrowed(self))
  }

  private var database: OpaquePointer?

  // MARK: A call

  func begin(_ limit: TimeLimit?, isNotified: Bool = false, on database: OpaquePointer?) {
    self.isNotified = isNotified
    if isNotified {
      // Swift marks a task as cancelled before calling the handler, so check the task afterwards.
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
    let address = UInt(bitPattern: database)
    target.withLock { $0 = Target(database: address) }
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

  /// The flag would end a later checkpoint or backup of another task: SQLite clears the flag only
  /// at the start of a statement.
  private func clear() {
    guard hasInterrupted, let database else { return }
    hasInterrupted = false
    sqlite3_exec(database, "SELECT 1", nil, nil, nil)
  }

  func willClose() {
    forget()
    database = nil
  }

  /// Interrupts the running statement. Later statements check the task first.
  ///
  /// See [sqlite3_interrupt](https://www.sqlite.org/c3ref/interrupt.html).
  func interrupt() {
    isCancelled.store(true, ordering: .sequentiallyConsistent)
    target.withLock { target in
      guard let database = target?.database else { return }
      sqlite3_interrupt(OpaquePointer(bitPattern: database))
      target?.isInterrupted = true
    }
  }

  func check() throws {
    guard isInCall, let found = cause ?? look() else { return }
    cause = found
    throw error(found)
  }

  @inline(__always)
  var isUndisturbed: Bool {
    guard isInCall, shields == 0 else { return true }
    return isNotified && limit == nil && cause == nil && !isCancelled.load(ordering: .relaxed)
      && ending.load(ordering: .relaxed) == 0
  }

  /// Throws if the task was cancelled, its time limit is over, or the database closes or is
  /// suspended. Needed before a statement, because SQLite calls the progress handler only after some
  /// instructions.
  func checkStatement() throws(DatabaseError) {
    if isUndisturbed { return }
    guard let found = cause ?? look() else { return }
    cause = found
    throw interrupting(found)
  }

  func shielding<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    if shields == 0 { forget() }
    shields += 1
    defer {
      shields -= 1
      if shields == 0, isInCall { aim() }
    }
    return try body()
  }

  // MARK: Callbacks

  // `Task.isCancelled` also works outside a task, and is faster than finding the current task.
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
    // SQLite also calls the handler after a commit, and would report the committed statement as
    // interrupted.
    guard isRunning else { return false }
    cause = found
    return true
  }

  func waitingBriefly<Result>(_ body: () -> Result) -> Result {
    let before = (isInCall, cause, waiting)
    lockTimeout = .milliseconds(250)
    (isInCall, waiting) = (false, nil)
    defer {
      lockTimeout = usualLockTimeout
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

  func waits(_ count: Int32) -> Bool {
    hasWaited = true
    if isInCall || waitedToOpen != nil, let found = look() {
      cause = found
      return false
    }
    let now = ContinuousClock.now
    if count == 0 || waiting == nil { waiting = now }
    var pause = Backoff.pause(Int(count))
    if let lockTimeout, let waiting {
      let past = waitedToOpen ?? (now - waiting)
      let left = lockTimeout - past
      guard left > .zero else {
        waited = past
        return false
      }
      pause = min(pause, left)
    }
    self.pause(max(1, Int32(pause / .milliseconds(1))))
    waitedToOpen = waitedToOpen.map { $0 + (.now - now) }
    return true
  }

  /// Limits all waits of an opening together: SQLite asks for several locks. Outside of a call, the
  /// waits obey the task's cancellation and time limit.
  /// - Parameter past: The time that the same opening has waited on another connection.
  func opening<Result>(
    after past: Duration = .zero, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    guard waitedToOpen == nil else { return try body() }
    waitedToOpen = past
    if !isInCall { (limit, cause, waited) = (TimeLimit.current, nil, nil) }
    defer {
      waitedToOpen = nil
      if !isInCall { (limit, cause) = (nil, nil) }
    }
    do throws(DatabaseError) {
      return try body()
    } catch {
      // Inside a call, the call adds the reason to the error.
      guard !isInCall else { throw error }
      if let cause { throw interrupting(cause).adding(operation: .open) }
      guard let waited, error.code.primary == .busy else { throw error }
      throw error.waiting(waited)
    }
  }

  func waitingWithoutLimit<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lockTimeout = nil
    defer { lockTimeout = usualLockTimeout }
    return try body()
  }
}
