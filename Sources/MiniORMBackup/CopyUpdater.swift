import MiniORM
import Synchronization

/// The work of a follower, done by a single task at a time.
final class CopyUpdater: @unchecked Sendable {
  // Safe to share: `Database.follow` uses the updater before the task begins, and only the task
  // afterwards.
  let mark: FollowerMark
  /// True while ``promote()`` ends following in place of the task.
  let isPromoting = Atomic(false)
  private let store: any BackupStore
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
    self.store = store
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
    guard !isPromoting.load(ordering: .relaxed) else { return }
    // This task is cancelled, and calls in a cancelled task throw.
    await Task.detached(executorPreference: Database.workers) { await self.end() }.value
  }

  private func end() async {
    await noteChanges()
    try? await database?.close()
    (link, database) = (nil, nil)
    mark.release()
    state.end(nil)
  }

  /// Remembers whether other connections have changed the copy since its last state.
  private func noteChanges() async {
    guard let link else { return }
    let isUnchanged = try? await isUnchanged(since: link)
    mark.isChanged.store(!(isUnchanged ?? false), ordering: .relaxed)
  }

  /// Makes the copy the only writer of the store, after the task has ended.
  func promote() async throws {
    do {
      try mark.lock()
      await noteChanges()
      try mark.checkChanges()
      let (record, key) = try await writer()
      let epoch = try await Epoch.claimNext(
        after: record.epoch, in: store, key, identity: record.identity, path: path)
      // The former writer acknowledges nothing after the claim, so this copies all that it acknowledged.
      do {
        try await update()
      } catch let error as DatabaseError where error.code == .corrupt {
        state.change { $0.lastError = error }
      }
      await noteChanges()
      try mark.checkChanges()
      let (own, inode) = (
        record.identity, DatabaseFile.inode(path)
      )
      try await open().withWriter {
        try $0.write(BackupRecord(identity: own, epoch: epoch, generation: "", inode: inode))
      }
      link = nil
      try mark.remove()
    } catch {
      await end()
      throw error
    }
    await end()
  }

  /// Returns the row that the backup of the source keeps in the file, and the key of the copy.
  private func writer() async throws -> (BackupRecord, BackupKey) {
    let database = try await open()
    return try await database.withWriter { [path] db in
      guard let record = try db.backupRecord() else {
        throw DatabaseError(
          .copy, code: .mismatch,
          "The copy has no identity of a continuous backup, so its source removed the table miniorm_backup: start the backup of the source again, and follow it",
          path: path)
      }
      let (holder, cipher) = try database.logHolder()
      holder.sync { $0.closeForGood() }
      return (record, try BackupKey(cipher))
    }
  }

  private func update() async throws {
    let (chain, target) = try await restore.find(.latest)
    let newest = BackupPosition(file: chain.name.file, object: target)
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
      if !names.isEmpty { try await apply(names, chain.name.file, link.key, after: link) }
      guard position != newest else { return }
      // Throws if an object is missing.
      _ = try chain.objects(upTo: target)
    }
    let names = try chain.objects(upTo: target)
    state.change { $0.segmentsBehind = names.count }
    let key = try await restore.key(of: target, in: chain.name.file, notBefore: position)
    try checkSalt(key.salt)
    try await apply(names, chain.name.file, key, after: nil)
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
    _ names: ArraySlice<ObjectName>, _ file: [UInt8], _ key: BackupKey, after link: Link?
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
      let position = BackupPosition(file: file, object: reached.object)
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
