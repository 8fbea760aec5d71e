import MiniORM
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The work of a backup, done by a single task at a time.
final class Shipper: @unchecked Sendable {
  // Safe to share: `start()` uses the shipper before the task begins, and only the task afterwards, which
  // changes nothing while its requests read. A commit's hook uses `commits`, which has a lock.

  /// A larger object costs memory, and a smaller object costs requests to the store.
  static let objectSize = 256 << 10
  /// The number of objects that are sent at once. Their memory is bounded, and a distant store
  /// accepts as many objects within the time of a request.
  static let width = 8
  /// The numbers of frames from which the log restarts without and with waits for readers, as in
  /// `LogGrowth`.
  static let (usualLogLength, largeLogLength) = (1_000, 4_000)

  let database: Database
  let store: any BackupStore
  let state: BackupState<BackupStatus>
  private let interval: Duration
  private let maximumLogLength: Int
  let audit: StoreAudit
  let fenceInterval: Duration
  let clock: @Sendable () -> Date
  private let commits = Mutex(CommitTimes())
  /// The names of objects beside the announcements of generations.
  var foreign: [String] = []
  var reportedForeign: String?

  var log: LogHold?
  private var lock: BackupLock?
  var chain: GrowingChain?
  /// The row in the file; nil before the first generation.
  var writer: BackupRecord?
  /// True to claim the next epoch of the store.
  var takesOver: Bool
  /// True if objects were sent after the last look at the store.
  var hasSent = false
  var lastFenceCheck: ContinuousClock.Instant?
  /// The number of frames at which the next restart of the log is tried.
  var restartLength = 0
  /// The size of the file from which on the first generation continues the newest state in the store;
  /// nil later. A base that is sent at once needs no comparison.
  var comparedSize: Int?

  init(
    _ database: Database, _ store: any BackupStore, _ state: BackupState<BackupStatus>,
    _ audit: StoreAudit, takesOver: Bool, interval: Duration, maximumLogSize: Int,
    fenceInterval: Duration, comparedSize: Int, clock: @escaping @Sendable () -> Date
  ) {
    self.takesOver = takesOver
    (self.database, self.store, self.state, self.interval) = (database, store, state, interval)
    self.comparedSize = comparedSize
    maximumLogLength = maximumLogSize / database.cipherSettings.pageSize
    self.audit = audit
    (self.fenceInterval, self.clock) = (fenceInterval, clock)
    restartLength = length(Self.usualLogLength)
  }

  func run() async {
    var delay = Duration.milliseconds(50)
    while true {
      let flushes = state.pendingFlushes
      do {
        try Task.checkCancellation()
        try await ship()
        state.change { $0.record(nil, during: .copying) }
        delay = .milliseconds(50)
        guard let chain, chain.isRestorable else { continue }
        if !flushes.isEmpty, hasSent {
          // A copy that takes over after this look has the objects sent so far.
          try await checkStore(always: true)
          guard self.chain != nil else { continue }
        }
        state.finish(flushes)
        guard chain.nextPart == nil else { continue }
        // Without commits, only the store can change.
        let timer = audit.readInterval.map { Timer(at: .now + $0) { [state] in state.wake() } }
        await state.waitForWake()
        timer?.cancel()
        await state.pause(interval)
      } catch {
        guard !isFinal(error) else {
          let isStopped = Task.isCancelled
          log?.release()
          lock?.release()
          await audit.stop()
          return state.end(isStopped ? nil : error)
        }
        if (error as? DatabaseError)?.code == .corrupt {
          reason =
            log?.isLost ?? false
            ? Self.lostFrames
            : "the write-ahead log has frames that do not follow the copied frames"
          chain = nil
        }
        // The next attempt replaces a lost hold.
        if !(log?.isLost ?? false) { state.change { $0.record(error, during: .copying) } }
        try? await Task.sleep(for: delay)
        delay = min(delay * 2, .seconds(30))
      }
    }
  }

  /// True if another attempt would fail in the same way.
  private func isFinal(_ error: any Error) -> Bool {
    let code = (error as? DatabaseError)?.code
    // The connection of a lost hold is closed, which says nothing about the database.
    return Task.isCancelled || code == .readOnlyMoved
      || code == .misuse && !(log?.isLost ?? false)
  }

  /// Sends a part of a base in progress, and the frames up to the present end of the log.
  private func ship() async throws {
    try await hold()
    try await checkStore()
    try await send()  // objects of a failed attempt
    try await shipBase()
    try await shipFrames()
    try await restartLog()
    audit.begin(chain)
  }

  // MARK: The log

  /// Holds the log, and begins a generation if frames may be missing.
  func hold() async throws {
    if let log, !log.isLost { return }
    log = nil
    let (log, end) = try await LogHold.begin(database, limit: maximumLogLength) {
      [weak self, state, maximumLogLength] count in
      self?.noteCommit(count)
      // A long log does not wait for the end of the interval.
      state.wake(hurries: count > maximumLogLength / 4)
    }
    do {
      if lock == nil { lock = try BackupLock(database.path) }
    } catch {
      log.release()
      throw error
    }
    self.log = log
    // A log keeps its salts until it restarts.
    let isSame = chain.map { chain in
      chain.salt == end.position.salt && (chain.position?.frame ?? 0) <= end.position.frame
        && chain.key.isSame(as: log.key)
    }
    if isSame ?? false {
      chain?.firstMoment = end.position.frame
    } else if chain != nil {
      reason = Self.lostFrames
      chain = nil
    }
  }

  private static let lostFrames =
    "the write-ahead log reached its maximum size or restarted, or the key changed, before all "
    + "commits were copied"
  var reason = "the backup started"

  /// A log whose maximum is small restarts earlier.
  func length(_ usual: Int) -> Int { max(1, min(usual, maximumLogLength / 2)) }

  /// Restarts a long log. Its frames are sealed, and the store need not have them yet.
  private func restartLog() async throws {
    guard let log, let position = chain?.position, position.frame >= restartLength else { return }
    // A state of the present time would hide the times of commits that had to wait.
    guard position.frame >= maximumLogLength / 2 || waitingCommit(after: position) == nil else {
      return state.wake()
    }
    let waits = position.frame >= length(Self.largeLogLength)
    guard let restart = try await log.restart(after: position, waits: waits) else {
      reason = "other programs wrote while the write-ahead log restarted"
      chain = nil
      return state.wake()
    }
    guard restart.isTried else { return state.wake() }
    for (index, frames) in restart.frames.enumerated() {
      try chain?.seal(frames, isEnd: index == restart.frames.count - 1)
    }
    let end = restart.end
    let isRestarted = restart.position.salt != position.salt
    if isRestarted { commits.withLock { $0 = CommitTimes() } }
    let last = isRestarted ? restart.position : chain?.position ?? position
    chain?.move(to: last, end)
    try await send()
    guard isRestarted else {
      // Readers need the log. A longer log waits for them, and a long wait is rare.
      let next = end.position.frame + end.position.frame / (waits ? 1 : 4) + 1
      restartLength = waits ? next : min(next, length(Self.largeLogLength))
      return
    }
    restartLength = length(Self.usualLogLength)
    // The file now has all sealed frames, so a base can begin.
    if let chain, chain.nextPart == nil, chain.position == nil, chain.frameBytes > end.fileSize {
      self.chain?.beginBase()
    }
    // The new log begins with the commit that holds it. A flush leaves nothing behind.
    try await shipBase()
    try await shipFrames()
  }

  // MARK: Objects

  private func shipBase() async throws {
    guard let log else { return }
    if chain == nil { try await beginGeneration(try await log.end()) }
    try await shipChangedPages()
    for _ in 0..<Self.width {
      guard let offset = chain?.nextPart else { break }
      let part = try await log.holder.bytes(at: Int64(offset), Self.objectSize)
      let isLast = part.count < Self.objectSize
      try chain?.seal(part: part, isLast: isLast)
    }
    try await send()
  }

  private func shipFrames() async throws {
    guard let log else { return }
    let end = try await log.end()
    while let chain, chain.position?.frame ?? 0 < end.position.frame {
      guard chain.salt == end.position.salt else {
        throw DatabaseError(
          .copy, code: .corrupt, "The write-ahead log restarted during a backup",
          path: database.path)
      }
      let old = waitingCommit(after: chain.position)
      let target = old.map { min($0.frame, end.position.frame) } ?? end.position.frame
      for number in 1...Self.width {
        guard let position = self.chain.map(\.position), position?.frame ?? 0 < target
        else { break }
        let frames = try await log.frames(
          after: position, to: end.at(target), limit: Self.objectSize)
        let isEnd = number == Self.width || frames.end.frame == target
        try self.chain?.seal(frames, isEnd: isEnd, time: old?.time)
      }
      try await send()
    }
    try chain?.sealMoment()
    try await send()
    try await noteBehind()
  }

  /// Stores the sealed objects, several at once. A state follows the objects before it, so that a
  /// kill at any moment leaves only states that can be restored.
  func send() async throws {
    while let chain, let first = chain.outbox.first {
      let objects = chain.outbox.prefix(Self.width).prefix { $0.name.base == nil }
      let batch = objects.isEmpty ? [first] : Array(objects)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for object in batch {
          group.addTask {
            try await self.retrying { try await self.store.put(object.name.text, object.bytes) }
            // Commits during the call count too.
            try? await self.noteBehind()
          }
        }
        try await group.waitForAll()
      }
      self.chain?.sent(batch.count)
      hasSent = true
      state.change { $0.record(nil, during: .copying) }
      if first.name.base != nil {
        let position = BackupPosition(file: chain.file, object: first.name)
        state.change { $0.position = position }
      }
    }
  }

  private func noteBehind() async throws {
    guard let log, !log.isLost else { return }
    let end = try await log.end()
    let behind = chain?.behind(end) ?? 0
    state.change { $0.behind = behind }
    // Commits of other processes may have exceeded the limit.
    log.releaseIfTooLong(end.position.frame)
  }

  /// Calls the store until it succeeds or the backup stops.
  func retrying<Result>(_ body: () async throws -> Result) async throws -> Result {
    var delay = Duration.milliseconds(50)
    while true {
      do {
        return try await body()
      } catch {
        try Task.checkCancellation()
        state.change { $0.record(error, during: .copying) }
        try await checkFile()
        audit.begin(chain)  // a full store gets room
        try await Task.sleep(for: delay)
        delay = min(delay * 2, .seconds(30))
      }
    }
  }

  /// While the store fails, the database may be closed, and the file may be replaced.
  private func checkFile() async throws {
    let isLost = log?.isLost ?? false
    do {
      if isLost { try await database.withWriter { _ in } } else { try await noteBehind() }
    } catch let error as DatabaseError
      where error.code == .readOnlyMoved || isLost && error.code == .misuse
    {
      throw error
    } catch {}
  }

  /// Returns a commit that had to wait for the store, and becomes a state of its own time. Without a
  /// base, there are no states.
  private func waitingCommit(after position: LogPosition?) -> (frame: Int, time: UInt64)? {
    guard chain?.base != nil else { return nil }
    return commits.withLock { $0.take(after: position?.frame ?? 0, before: clock(), interval) }
  }

  /// Runs after each commit through the database, and after the loss of the hold, with 0.
  private func noteCommit(_ frame: Int) {
    commits.withLock { $0.add(frame, clock(), interval) }
  }
}
