import MiniORM
import Synchronization

/// The work of a follower, done by a single task at a time.
final class CopyUpdater: @unchecked Sendable {
  // Safe to share: `Database.follow` uses the updater before the task begins, and only the task
  // afterwards.
  let mark: FollowerMark
  private let restore: BackupRestore
  private let path: String
  private let keys: [Key]
  private let configuration: Configuration
  private let state: BackupState<FollowerStatus>

  private var database: Database?
  private var position: BackupPosition?
  /// Nil if the copy must be compared with a base.
  private var link: Link?
  /// The key of the copy; nil if it is one of the given keys.
  private var key: BackupKey?

  /// The place in the store and in the copy's log at which the next objects continue.
  private struct Link {
    let key: BackupKey
    /// The code of the last object.
    let code: [UInt8]
    let end: LogPosition
  }

  init(
    _ store: any BackupStore, _ path: String, _ keys: [Key], _ configuration: Configuration,
    _ state: BackupState<FollowerStatus>
  ) async throws {
    try BackupRestore.check(path)
    (self.path, self.keys, self.configuration, self.state) = (path, keys, configuration, state)
    restore = BackupRestore(store, BackupCatalog(store), keys, configuration)
    mark = try FollowerMark(of: path)
    position = mark.position
    if !DatabaseFile.exists(path) {
      do {
        let restored = try await restore.run(.latest, to: path, notBefore: position, nil)
        (position, key) = (restored.position, restored.key)
        mark.write(restored.position)
        link = Link(
          key: restored.key, code: restored.code, end: try await open().withWriter { try $0.end() })
      } catch {
        if !DatabaseFile.exists(path) { try? mark.remove() }
        throw error
      }
    }
    _ = try await open()
    state.change { $0.position = position }
  }

  func run(every interval: Duration) async {
    var delay = Duration.milliseconds(50)
    while !Task.isCancelled {
      let calls = state.pendingFlushes
      do {
        try await update()
        state.change { status in
          status.lastError = nil
          status.segmentsBehind = 0
        }
        state.finish(calls)
        delay = .milliseconds(50)
        await state.pause(interval)
      } catch {
        if Task.isCancelled { break }
        state.change { $0.lastError = error }
        try? await Task.sleep(for: delay)
        delay = min(delay * 2, .seconds(30))
      }
    }
    if let link {
      // This task is cancelled, and calls in a cancelled task throw.
      let check = Task.detached(executorPreference: Database.workers) {
        try await self.isUnchanged(since: link)
      }
      let isUnchanged = try? await check.value
      mark.isChanged.store(!(isUnchanged ?? false), ordering: .relaxed)
    }
    try? await database?.close()
    mark.release()
    state.end(nil)
  }

  private func update() async throws {
    let (chain, target) = try await restore.find(.latest)
    let newest = BackupPosition(salt: chain.name.salt, object: target)
    try BackupRestore.check(newest, notBefore: position)
    // A base is compared with a copy that others changed.
    if let link, try await !isUnchanged(since: link) {
      self.link = nil
      mark.isChanged.store(true, ordering: .relaxed)
    }
    if let link, let last = position?.object, chain.objects.contains(last),
      target.base ?? 0 <= last.sequence
    {
      let names = chain.objects(after: last)
      state.change { status in
        status.segmentsBehind = chain.objects.count {
          last.sequence < $0.sequence && $0.sequence <= target.sequence
        }
      }
      if !names.isEmpty { try await apply(names, chain.name.salt, link.key, after: link) }
      guard position != newest else { return }
      // Throws if an object is missing.
      _ = try chain.objects(upTo: target)
    }
    let names = try chain.objects(upTo: target)
    state.change { $0.segmentsBehind = names.count }
    try checkSalt(chain.name.salt)
    let key = try await restore.key(of: target, salt: chain.name.salt)
    try await apply(names, chain.name.salt, key, after: nil)
  }

  /// - Throws: ``DatabaseError`` if the copy was replaced or deleted.
  private func isUnchanged(since link: Link) async throws -> Bool {
    try await open().withWriter { [path] db in
      guard try db.isInPlace else {
        throw DatabaseError(
          .copy, code: .readOnlyMoved,
          "Another program replaced, renamed or deleted the copy: stop following, and follow again",
          path: path)
      }
      return try db.end() == link.end
    }
  }

  private func checkSalt(_ salt: [UInt8]) throws {
    // With a plaintext header, the file does not contain its salt.
    guard configuration.cipher.plaintextHeaderSize == 0,
      try FileBytes(path).read(salt.count, at: 0) != salt
    else { return }
    throw BackupCatalog.damaged("The store has the backup of another database than the copy")
  }

  /// Applies objects as one transaction.
  /// - Parameter link: The end of the previous objects; nil to begin with a base.
  private func apply(
    _ names: ArraySlice<ObjectName>, _ salt: [UInt8], _ key: BackupKey, after link: Link?
  ) async throws {
    self.link = nil
    let database = try await open()
    let (start, isEmpty) = try await database.withWriter { try $0.beginFrames(after: link?.end) }
    var frames = FrameSequence(after: start)
    var count = 0
    var reached: (object: ObjectName, code: [UInt8], count: Int)?
    var failure: (any Error)?
    do {
      try await restore.read(names, key, after: link?.code) { object, code in
        let isState = object.kind == .moment && (link != nil || object.name == names.last)
        // The base of a later state has nothing new for a copy that continues.
        if link == nil || object.isFrames {
          let frame = frames.count
          let bytes = try frames.add(
            object, isState: isState, comparing: isEmpty ? FileBytes(path) : nil)
          try await database.withWriter { try $0.write(bytes, after: frame, start) }
        }
        count += 1
        if isState { reached = (object.name, code, count) }
      }
    } catch {
      failure = error
    }
    if let reached {
      let end = frames.committed
      try await database.withWriter { try $0.publish(end, after: start) }
      mark.isChanged.store(false, ordering: .relaxed)
      let position = BackupPosition(salt: salt, object: reached.object)
      self.position = position
      mark.write(position)
      self.link = Link(key: key, code: reached.code, end: try await reopen(key) ?? end)
      state.change { status in
        status.position = position
        status.segmentsBehind -= reached.count
      }
    } else {
      // The log may have got a frame without changes.
      self.link = link.map { Link(key: $0.key, code: $0.code, end: start.position) }
    }
    if let failure { throw failure }
  }

  // MARK: The copy

  private func open() async throws -> Database {
    if let database { return database }
    var own = Configuration()
    own.createsFile = false
    own.busyTimeout = configuration.busyTimeout
    own.cipher = configuration.cipher
    own.cipherLicense = configuration.cipherLicense
    own.cipherLogLevel = configuration.cipherLogLevel
    own.cipherMemorySecurity = configuration.cipherMemorySecurity
    var candidates = keys
    if let key { candidates.insert(key.fileKey, at: 0) }
    var failure: any Error = DatabaseError(
      .key, code: .misuse, "Give a key of the copy", path: path)
    for candidate in candidates {
      do {
        let opened = try await Database(path: path, key: candidate, configuration: own)
        database = opened
        return opened
      } catch {
        guard error.operation == .key else { throw error }
        failure = error
      }
    }
    throw failure
  }

  /// Opens the copy again if its key may have changed.
  /// - Returns: The end of the log; nil if the key is the same.
  private func reopen(_ key: BackupKey) async throws -> LogPosition? {
    if let old = self.key, old.isSame(as: key) { return nil }
    let old = database
    (self.key, database) = (key, nil)
    try? await old?.close()
    return try await open().withWriter { try $0.end() }
  }
}
