public import MiniORM
import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Copies every commit of an encrypted database to a store, while the database is in use.
///
/// ```swift
/// let backup = ContinuousBackup(of: database, to: try FolderStore("/mnt/backup/app"))
/// try await backup.start()
/// …
/// try await backup.flush()  // all commits before this call are in the store
/// ```
/// The store receives pages as the file contains them: encrypted, and authenticated by a key that is
/// derived from the database's key. First the backup copies the whole file, and then the frames of
/// the write-ahead log. Commits of other processes are copied too, with the next commit through this
/// database or the next ``flush()``.
///
/// Keep a reference to the backup: releasing the last reference stops the backup. To restore, call
/// ``MiniORM/Database/restore(from:at:to:keys:notBefore:configuration:progress:)``.
public final class ContinuousBackup: Sendable {
  private let database: Database
  private let store: any BackupStore
  private let interval: Duration
  private let maximumLogSize: Int
  private let audit: StoreAudit
  private let state = BackupState<BackupStatus>()
  private let starting = Mutex<Task<Void, any Error>?>(nil)
  /// The time between two looks for another backup to the same store.
  private let fenceInterval: Duration
  private let comparedSize: Int
  private let clock: @Sendable () -> Date

  /// Creates a backup, which ``start()`` starts.
  /// - Parameters:
  ///   - database: An encrypted database in a file with a write-ahead log.
  ///   - store: The store. Each database needs its own store, such as a folder of its own.
  ///   - interval: The time from a commit to its copy. Commits within the interval are copied
  ///     together, and only the last of them can be restored. One second by default.
  ///   - maximumLogSize: The number of bytes in the write-ahead log up to which checkpoints wait for
  ///     the backup. If the store is unavailable for longer, the backup copies the file again later.
  ///     256 MB by default.
  ///   - retention: The states to keep. `nil` keeps all states.
  ///   - checkInterval: The time between two reads of new objects from the store, for
  ///     ``BackupStatus/lastRestorable``. Each object is read once. Ten minutes by default; `nil` reads
  ///     no objects.
  public convenience init(
    of database: Database, to store: any BackupStore, interval: Duration = .seconds(1),
    maximumLogSize: Int = 256 << 20, retention: BackupRetention? = BackupRetention(),
    checkInterval: Duration? = .seconds(600)
  ) {
    self.init(
      database, store, min(max(.zero, interval), .seconds(86_400)), max(1 << 20, maximumLogSize),
      retention, fenceInterval: .seconds(10),
      checkInterval: checkInterval.map { min(max(.seconds(1), $0), .seconds(365 * 86_400)) })
  }

  init(
    _ database: Database, _ store: any BackupStore, _ interval: Duration, _ maximumLogSize: Int,
    _ retention: BackupRetention?, fenceInterval: Duration, checkInterval: Duration? = nil,
    callLimit: Duration = TimedStore.usualLimit,
    comparedSize: Int = Shipper.objectSize * Shipper.width,
    clock: @escaping @Sendable () -> Date = { .now }
  ) {
    (self.comparedSize, self.clock) = (comparedSize, clock)
    (self.database, self.interval) = (database, interval)
    (self.maximumLogSize, self.fenceInterval) = (maximumLogSize, fenceInterval)
    let timed = TimedStore(store, limit: callLimit)
    self.store = timed
    audit = StoreAudit(
      timed, retention, state, lookInterval: fenceInterval, readInterval: checkInterval,
      clock: clock)
  }

  deinit { state.task.withLock { $0 }?.cancel() }

  /// Starts copying. Starting a running backup does nothing.
  ///
  /// Other programs may have changed the file since the last backup. So a start reads the newest state
  /// back from the store, and copies the pages of the file that differ. It copies the whole file if the
  /// file has at most 2 MiB, or if the store has no state of it, has lost objects, or has a state with
  /// another key.
  /// The backup runs until ``stop()`` or until the database is closed. Without commits, it
  /// only looks at the store at the `checkInterval`. A failing store is no error of this method: the
  /// backup tries again, at most 30 seconds later, and ``status`` shows the error. A file has one backup
  /// at a time, in all processes: the file `path-backup` is locked until the backup stops. If another
  /// program replaces, renames or deletes the database file, the backup ends with an error.
  ///
  /// A store has one writer. The first start writes a random identity into the file, as a row of the
  /// table `miniorm_backup`. A copy of the file, such as a restored file, has the identity too. The
  /// backup of a copy ends with an error, unless the store is empty or the copy takes over:
  /// ```swift
  /// try await backup.start(takingOver: true)
  /// ```
  /// Then the former writer stops, and can never write to the store again. See also
  /// ``Follower/promote()``.
  /// - Parameter takesOver: True to continue the backup of another file with this copy.
  /// - Throws: ``DatabaseError`` with the operation `copy` if the database has no key, no file or no
  ///   write-ahead log, or if another backup of the file is running; `CancellationError`.
  public func start(takingOver takesOver: Bool = false) async throws {
    let task = starting.withLock { starting in
      if let starting { return starting }
      let task = Task {
        defer { self.starting.withLock { $0 = nil } }
        try await begin(takesOver)
      }
      starting = task
      return task
    }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func begin(_ takesOver: Bool) async throws {
    if state.isRunning { return }
    let shipper = Shipper(
      database, store, state, audit, takesOver: takesOver, interval: interval,
      maximumLogSize: maximumLogSize, fenceInterval: fenceInterval, comparedSize: comparedSize,
      clock: clock)
    try await shipper.hold()
    state.start { Task.detached(executorPreference: Database.workers) { await shipper.run() } }
  }

  /// Waits until all commits before this call are in the store, and no other copy of the file has taken
  /// over the store.
  ///
  /// While the store is unavailable, the method waits. Cancel the task to stop waiting.
  /// - Throws: `CancellationError`; ``DatabaseError`` if the backup does not run, or if it ends
  ///   before the commits are in the store.
  public func flush() async throws { try await state.flush() }

  /// Stops copying, without a last copy: call ``flush()`` first. The store keeps all states.
  public func stop() async {
    let task = state.task.withLock { $0 }
    task?.cancel()
    await task?.value
  }

  /// The current status, and each later status, until the task that reads the sequence is cancelled.
  /// A slow reader receives only the newest status.
  public var status: AsyncStream<BackupStatus> { state.observe() }

  /// The changes of the status from now on, until the task that reads the sequence is cancelled. A
  /// reader that is more than 1,000 events late misses the oldest.
  public var events: AsyncStream<BackupEvent> {
    state.observe(.bufferingNewest(1_000), first: { _ in [] }, BackupEvent.changes(from:to:))
  }
}

/// The status of a ``ContinuousBackup``.
public struct BackupStatus: Sendable {
  /// True between the start and the end of a backup.
  public internal(set) var isRunning = false
  /// The number of committed bytes of the write-ahead log that are not in the store yet.
  public internal(set) var behind = 0
  /// The error of the last attempt to copy commits, to look at the store, or to delete old states, until
  /// this succeeds.
  public internal(set) var lastError: (any Error)? {
    didSet { lastErrorDate = lastError == nil ? nil : .now }
  }
  /// The time of the last error.
  public private(set) var lastErrorDate: Date?
  /// The name of the current chain of objects; nil before the first.
  public internal(set) var generation: String?
  /// The reason for the last generation, for example a restarted log.
  public internal(set) var reason: String?
  /// The newest state that was sent to the store.
  public internal(set) var position: BackupPosition?
  /// The newest state whose base and frames this backup has read back from the store and authenticated.
  public internal(set) var lastRestorable: BackupPosition?
  /// The time at which the store still listed all objects of ``lastRestorable``.
  public internal(set) var lastCheck: Date?
  /// The bytes of a base in progress that are in the store; nil without one.
  package internal(set) var baseBytes: Int?

  enum Activity { case copying, checking, pruning, looking }
  private var failures: [Activity: (number: Int, error: any Error)] = [:]
  private var failureCount = 0

  /// - Parameter error: nil after a success.
  mutating func record(_ error: (any Error)?, during activity: Activity) {
    if error == nil, failures[activity] == nil { return }
    failureCount += 1
    failures[activity] = error.map { (failureCount, $0) }
    lastError = failures.values.max { $0.number < $1.number }?.error
  }
}
