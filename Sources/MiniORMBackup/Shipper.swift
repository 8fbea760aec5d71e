import MiniORM

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The work of a backup, done by a single task at a time.
final class Shipper: @unchecked Sendable {
  // Safe to share: `start()` uses the shipper before the task begins, and only the task afterwards.
  /// A larger object costs memory, and a smaller object costs requests to the store.
  private static let objectSize = 256 << 10
  /// The number of frames from which the log restarts, as in SQLite.
  private static let usualLogLength = 1_000

  private let database: Database
  private let store: any BackupStore
  private let state: BackupState<BackupStatus>
  private let interval: Duration
  private let maximumLogLength: Int
  private let retention: BackupRetention?
  private let fenceInterval: Duration

  private var log: LogHold?
  private var chain: Chain?
  private var needsPruning = false
  private var lastFenceCheck: ContinuousClock.Instant?
  /// The number of frames at which the next restart of the log is tried.
  private var restartLength = usualLogLength

  /// The state of a generation.
  private struct Chain {
    let generation: Generation
    let key: BackupKey
    let pageSize: Int
    var sequence = 0
    var previous = BackupObject.noCode
    var time: UInt64
    /// The salt of the log, and the last frame in the store; nil at the start of the log.
    var salt: UInt64
    var position: LogPosition?
    /// The last frame that a checkpoint may have copied to the file during the copy of the base.
    var firstMoment: Int
    /// The offset in the file of the next part of the base; nil without a base in progress.
    var nextPart: Int? = 0
    var newBase = 0
    /// The sequence number of the newest complete base.
    var base: Int?
    /// True if the frames in the store end with a moment.
    var isRestorable = false
    var frameBytes = 0
  }

  init(
    _ database: Database, _ store: any BackupStore, _ state: BackupState<BackupStatus>,
    interval: Duration, maximumLogSize: Int, retention: BackupRetention?, fenceInterval: Duration
  ) {
    (self.database, self.store, self.state, self.interval) = (database, store, state, interval)
    maximumLogLength = maximumLogSize / database.cipherSettings.pageSize
    self.retention = retention
    self.fenceInterval = fenceInterval
  }

  func run() async {
    var delay = Duration.milliseconds(50)
    while true {
      let flushes = state.pendingFlushes
      do {
        try Task.checkCancellation()
        try await ship()
        state.change { $0.lastError = nil }
        state.finish(flushes)
        delay = .milliseconds(50)
        await state.waitForWake()
        await state.pause(interval)
      } catch {
        guard !isFinal(error) else {
          let isStopped = Task.isCancelled
          log?.release()
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
        if !(log?.isLost ?? false) { state.change { $0.lastError = error } }
        try? await Task.sleep(for: delay)
        delay = min(delay * 2, .seconds(30))
      }
    }
  }

  /// True if another attempt would fail in the same way.
  private func isFinal(_ error: any Error) -> Bool {
    // The connection of a lost hold is closed, which says nothing about the database.
    Task.isCancelled || !(log?.isLost ?? false) && (error as? DatabaseError)?.code == .misuse
  }

  private func ship() async throws {
    try await hold()
    try await checkFence()
    repeat {
      try await shipBase()
      try await shipFrames()
    } while chain?.nextPart != nil
    try await restartLog()
    if needsPruning, let retention {
      // The next base prunes again after a failure.
      needsPruning = false
      try? await retention.prune(store, now: .now)
    }
  }

  // MARK: The log

  /// Holds the log, and begins a generation if frames may be missing.
  func hold() async throws {
    if let log, !log.isLost { return }
    log = nil
    let (log, end) = try await LogHold.begin(database, limit: maximumLogLength) { [state] in
      state.wake()
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
  private var reason = "the backup started"

  /// Restarts a long log whose frames are in the store.
  private func restartLog() async throws {
    guard let log, let position = chain?.position, position.frame >= restartLength else { return }
    guard let end = try await log.restart(after: position) else {
      reason = "other programs wrote while the write-ahead log restarted"
      chain = nil
      return state.wake()
    }
    chain?.firstMoment = end.position.frame
    guard end.position.salt != position.salt else {
      // Other connections need the log.
      restartLength = end.position.frame + end.position.frame / 4 + 1
      return
    }
    restartLength = Self.usualLogLength
    chain?.salt = end.position.salt
    chain?.position = nil
    state.wake()
    // The file now has all frames in the store, so a base can begin.
    guard let chain, chain.nextPart == nil, chain.frameBytes > end.fileSize else { return }
    self.chain?.nextPart = 0
    self.chain?.frameBytes = 0
  }

  // MARK: Objects

  private func shipBase() async throws {
    guard let log else { return }
    if chain == nil { try await beginGeneration(try await log.end()) }
    guard let chain, let offset = chain.nextPart else { return }
    let part = try await log.bytes(at: Int64(offset), Self.objectSize)
    let count = part.count / chain.pageSize * chain.pageSize
    let bytes = part.count == count ? part : Array(part.prefix(count))
    if offset == 0 { self.chain?.newBase = chain.sequence }
    try await put(offset == 0 ? .base : .part, offset, bytes)
    if part.count == Self.objectSize {
      self.chain?.nextPart = offset + bytes.count
    } else {
      self.chain?.nextPart = nil
      self.chain?.base = offset == 0 ? chain.sequence : chain.newBase
      needsPruning = true
    }
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
      // Commits during the last call of the store count too.
      note(behind: try await log.end())
      let frames = try await log.frames(after: chain.position, to: end, limit: Self.objectSize)
      let isMoment =
        frames.isCommitted && chain.base != nil && frames.end.frame >= chain.firstMoment
      try await put(isMoment ? .moment : .frames, isMoment ? chain.base ?? 0 : 0, frames.bytes)
      self.chain?.position = frames.end
      self.chain?.frameBytes += frames.bytes.count
      self.chain?.isRestorable = isMoment
    }
    if let chain, let base = chain.base, !chain.isRestorable {
      // The base was completed after the last frame.
      try await put(.moment, base, [])
      self.chain?.isRestorable = true
    }
    note(behind: try await log.end())
  }

  private func note(behind end: LogEnd) {
    let left = end.position.frame - (chain?.position?.frame ?? 0)
    state.change { $0.behind = left * (end.pageSize + 24) }
  }

  private func put(_ kind: BackupObject.Kind, _ number: Int, _ payload: [UInt8]) async throws {
    guard var chain else { return }
    chain.time = max(chain.time, Date.now.milliseconds)
    let object = BackupObject(
      kind, number, pageSize: chain.pageSize, salt: chain.key.salt, chain.generation,
      sequence: chain.sequence, time: chain.time, previous: chain.previous, payload: payload)
    let (bytes, code) = try object.sealed(by: chain.key)
    let name = object.name
    // A repeated attempt stores the same bytes under the same name.
    try await retrying { try await self.store.put(name.text, bytes) }
    chain.sequence += 1
    chain.previous = code
    self.chain = chain
    guard kind == .moment else { return }
    let position = BackupPosition(salt: chain.key.salt, object: name)
    state.change { $0.position = position }
  }

  /// Calls the store until it succeeds or the backup stops.
  private func retrying<Result>(_ body: () async throws -> Result) async throws -> Result {
    var delay = Duration.milliseconds(50)
    while true {
      do {
        return try await body()
      } catch {
        try Task.checkCancellation()
        state.change { $0.lastError = error }
        if log?.isLost ?? false {
          // The failed call may have stored its object, so the generation cannot continue.
          if chain != nil { reason = Self.lostFrames }
          chain = nil
          throw error
        }
        if let end = try? await log?.end() {
          note(behind: end)
          // Commits of other processes may have exceeded the limit.
          if end.position.frame > maximumLogLength { log?.release() }
        }
        try await Task.sleep(for: delay)
        delay = min(delay * 2, .seconds(30))
      }
    }
  }

  // MARK: Generations

  private func beginGeneration(_ end: LogEnd) async throws {
    guard let log else { return }
    let others = try await generations()
    if let other = others.first(where: { $0.salt != log.key.salt }) {
      throw DatabaseError(
        .copy, code: .misuse,
        "The store has the backup of another database (generation \(other.generation.name)): use a folder or a bucket of its own for each database",
        path: database.path)
    }
    // Generations follow each other by name, even after a change of the clock.
    let time = max(Date.now.milliseconds, (others.map(\.generation.time).max() ?? 0) + 1)
    let generation = Generation(time: time, random: .random(in: .min ... .max))
    let name = GenerationName(generation, log.key.salt)
    try await retrying { try await self.store.put(name.text, []) }
    lastFenceCheck = .now
    restartLength = Self.usualLogLength
    chain = Chain(
      generation: generation, key: log.key, pageSize: end.pageSize, time: time,
      salt: end.position.salt, firstMoment: end.position.frame)
    let reason = reason
    state.change { status in
      status.generation = generation.name
      status.reason = reason
    }
  }

  private func generations() async throws -> [GenerationName] {
    try await retrying { try await self.store.list(GenerationName.folder) }
      .compactMap { GenerationName($0) }
  }

  /// Two machines may back up to one store by mistake. Their generations are separate, and the
  /// earlier one ends here.
  private func checkFence() async throws {
    guard let chain, lastFenceCheck.map({ .now - $0 > fenceInterval }) ?? true else { return }
    lastFenceCheck = .now
    guard
      let other = try await generations().last(where: { $0.generation.name > chain.generation.name }
      )
    else { return }
    throw DatabaseError(
      .copy, code: .misuse,
      "Another backup to the same store began at \(Date(milliseconds: other.generation.time)) (generation \(other.generation.name)), so this backup stopped. Use a separate store for each machine, or stop the other backup and start this one again",
      path: database.path)
  }
}

extension BackupKey {
  func isSame(as other: BackupKey) -> Bool {
    salt == other.salt && (try? code(of: [])) == (try? other.code(of: []))
  }
}
