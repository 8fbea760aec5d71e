public import MiniORM
import Synchronization

/// Keeps a copy of a database up to date from the store of its ``ContinuousBackup``.
///
/// ``MiniORM/Database/follow(_:to:keys:interval:configuration:)`` returns a follower. Other
/// connections and processes can read the copy all the time: each transaction sees a committed state.
///
/// ```swift
/// let follower = try await Database.follow(store, to: "report.db", keys: [key])
/// var configuration = Configuration()
/// configuration.isReadOnly = true
/// let copy = try await Database(path: "report.db", key: key, configuration: configuration)
/// ```
/// Keep a reference to the follower: releasing the last reference ends following. The copy then stays
/// at its state.
public final class Follower: Sendable {
  private let state: BackupState<FollowerStatus>
  private let work: CopyUpdater

  init(_ state: BackupState<FollowerStatus>, _ work: CopyUpdater) {
    (self.state, self.work) = (state, work)
  }

  deinit { state.task.withLock { $0 }?.cancel() }

  /// Waits until the copy has the newest state that the store has at the time of this call.
  ///
  /// While the state cannot be read, the method waits: ``status`` shows the error. Cancel the task to
  /// stop waiting.
  /// - Throws: `CancellationError`; ``DatabaseError`` if following has ended.
  public func catchUp() async throws { try await state.flush() }

  /// Ends following. The copy stays, and a later follower of the same path continues.
  public func stop() async {
    let task = state.task.withLock { $0 }
    task?.cancel()
    await task?.value
  }

  /// Ends following for good: the copy becomes an ordinary database, which can be written.
  ///
  /// First the copy takes over the store: this call claims the next epoch there. The former writer then
  /// acknowledges no further ``ContinuousBackup/flush()``, and its backup ends with an error, also after
  /// a restart. Then the copy gets the newest state. If newer objects are missing or damaged, the copy
  /// keeps its last state, and ``FollowerStatus/lastError`` says so. Open the file after this call, and
  /// start a ``ContinuousBackup`` to the same store.
  ///
  /// The claim of an epoch is an object that only one copy can create, if the store has conditional
  /// writes: see ``BackupStore/create(_:_:)``.
  /// - Throws: ``DatabaseError`` with the operation `copy` if other connections changed, replaced or
  ///   deleted the copy, if another copy takes over the store at the same time, or if the file
  ///   `path-follower` cannot be deleted. The error of the store if the store cannot be read or written.
  ///   After an error, following has ended; call `promote()` again, or follow again.
  public func promote() async throws {
    guard !work.isPromoting.exchange(true, ordering: .relaxed) else { throw FollowerStatus.ended }
    defer { work.isPromoting.store(false, ordering: .relaxed) }
    await stop()
    try await work.promote()
  }

  /// The current status, and each later status, until the task that reads the sequence is cancelled.
  /// A slow reader receives only the newest status.
  public var status: AsyncStream<FollowerStatus> { state.observe() }
}

/// The status of a ``Follower``.
public struct FollowerStatus: RunningStatus {
  /// True until following ends.
  public internal(set) var isRunning = false
  /// The number of objects between the copy and the newest state that the store listed last.
  public internal(set) var segmentsBehind = 0
  /// The error of the last attempt; nil after a success.
  public internal(set) var lastError: (any Error)?
  /// The state of the copy, with its time.
  public internal(set) var position: BackupPosition?

  mutating func fail(_ error: any Error) { lastError = error }

  static var ended: DatabaseError {
    DatabaseError(
      .copy, code: .misuse, "The follower has ended: call Database.follow again for the copy")
  }
}

extension Database {
  /// Keeps a copy of a database up to date from the store of its ``ContinuousBackup``, for example for
  /// reports or as a standby.
  ///
  /// If there is no copy yet, this call restores the newest state, as
  /// ``MiniORM/Database/restore(from:at:to:keys:notBefore:configuration:progress:)`` does. Later states
  /// are applied in the background, each as one transaction of the copy. An existing copy is compared
  /// with the newest base in the store, and only pages that differ are written.
  ///
  /// If an object is missing or changed, or the store fails, the copy keeps its last state. The
  /// follower tries again, at most 30 seconds later, and ``Follower/status`` shows the error. Open the
  /// copy read-only: the follower overwrites changes by other connections.
  /// - Parameters:
  ///   - store: The store of the backup.
  ///   - path: The path of the copy. The file `path-follower` beside the copy has its position, and
  ///     marks the copy as one that may be overwritten.
  ///   - keys: The keys that the database has or will have, the newest first. After a change of the key,
  ///     the copy has the new key, and its readers must open the file again. States that a former key
  ///     seals after the change are refused.
  ///   - interval: The time between two looks for a new state. One second by default.
  ///   - configuration: The cipher settings, and the functions and collations that the tables use.
  /// - Returns: The follower.
  /// - Throws: ``DatabaseError`` with the operation `copy` if there is another file at `path`, if
  ///   another follower keeps the copy, or if there is no copy and the restore fails; with the
  ///   operation `key` if no key fits the copy. `CancellationError`.
  /// - Complexity: O(*n*) in the size of the file for each base; O(*n*) in the size of the new frames
  ///   for each other state.
  public static func follow(
    _ store: any BackupStore, to path: String, keys: [Key], interval: Duration = .seconds(1),
    configuration: Configuration = Configuration()
  ) async throws -> Follower {
    try await withTaskExecutorPreference(workers) {
      let state = BackupState<FollowerStatus>()
      let work = try await CopyUpdater(TimedStore(store), path, keys, configuration, state)
      let interval = min(max(.milliseconds(1), interval), .seconds(86_400))
      state.start {
        Task.detached(executorPreference: Database.workers) { await work.run(every: interval) }
      }
      return Follower(state, work)
    }
  }
}
