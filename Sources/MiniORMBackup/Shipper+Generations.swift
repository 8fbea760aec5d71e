import MiniORM

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Shipper {
  func beginGeneration(_ end: LogEnd) async throws {
    guard let log else { return }
    let (record, number) = try await writer(log.key)
    let origin = try await comparedState(end, record)
    // The time is only a lower bound: a store that hides generations would have to hide it too.
    let least = min(clock().milliseconds, 1 << 46)
    let own = Generation(record.generation[...])?.number ?? 0
    let generation = Generation(
      epoch: record.epoch, number: max(number + 1, own + 1, least), tag: try log.key.tag())
    var chain = try GrowingChain(
      generation, log.key, identity: record.identity, end, clock: clock)
    let announcement = try chain.announcement()
    if let origin { try chain.link(to: origin, end) }
    // The file knows the generation first, so that a killed backup begins again later.
    var known = record
    known.generation = generation.name
    try await database.withWriter { [known] in try $0.write(known) }
    writer = known
    let name = GenerationName(generation, chain.file).text
    try await retrying {
      try await self.store.put(name, announcement)
    }
    lastFenceCheck = .now
    restartLength = length(Self.usualLogLength)
    self.chain = chain
    let reason = reason
    state.change { status in
      status.generation = generation.name
      status.reason = reason
    }
  }

  // MARK: The right to write

  /// Returns the row of the file, and the largest number of a generation in the store.
  /// - Throws: ``DatabaseError`` if another copy of the file writes to the store.
  private func writer(_ key: BackupKey) async throws -> (BackupRecord, number: UInt64) {
    let inode = DatabaseFile.inode(database.path)
    let known = try await database.withWriter { try $0.backupRecord() }
    var record =
      writer ?? known
      ?? BackupRecord(identity: Self.randomIdentity, epoch: 0, generation: "", inode: inode)
    let isCopy = record.inode != inode
    record.inode = inode
    let found = try await look(record, key)
    if takesOver {
      let own = max(record.epoch, found.epoch)
      record.epoch = try await Epoch.claimNext(
        after: own, in: store, key, identity: record.identity, path: database.path)
      takesOver = false
    } else if isCopy {
      guard found.newest == nil, found.epoch == 0 else {
        throw refusal(
          "The file is a copy of the database whose backup is in the store, or was moved, so nothing was written. To continue the backup with this file, stop the other backup, and call start(takingOver: true) or miniorm backup --take-over. To back up both, use another store"
        )
      }
      // A copy with a store of its own is another database.
      (record.identity, record.epoch, record.generation) = (Self.randomIdentity, 0, "")
    } else {
      if found.epoch > record.epoch { throw replaced("epoch \(found.epoch)") }
      if let newest = found.newest, newest.name > record.generation,
        newest.epoch == record.epoch
      {
        throw replaced("generation \(newest.name)")
      }
    }
    return (record, found.number)
  }

  private static var randomIdentity: [UInt8] { (0..<16).map { _ in .random(in: .min ... .max) } }

  private func refusal(_ message: String) -> DatabaseError {
    DatabaseError(.copy, code: .misuse, message, path: database.path)
  }

  private func replaced(_ other: String) -> DatabaseError {
    refusal(
      "Another backup to the same store began (\(other)), so this backup stopped. If this file is an older state, discard it, or use a separate store. To continue with this file, stop the other backup, and call start(takingOver: true) or miniorm backup --take-over"
    )
  }

  /// What the copies of a file have written.
  private struct Found {
    var epoch: UInt64 = 0
    var number: UInt64 = 0
    var newest: Generation?
  }

  private func look(_ record: BackupRecord, _ key: BackupKey) async throws -> Found {
    let file = try BackupKey.file(record.identity, salt: key.salt)
    var found = Found()
    let (names, claims) = try await announcements()
    found.epoch = try await newestClaim(claims, key)
    for name in names {
      // Announcements that are hidden or damaged count too.
      if name.file == file, name.generation.isPlausible {
        found.number = max(found.number, name.generation.number)
      }
      guard let bytes = try await announcement(name.text) else { continue }
      let isOwn = try isOwn(bytes, name, key)
      guard isOwn || BackupObject.isFormed(bytes) && name.generation.isPlausible else {
        foreign.append(name.text)
        continue
      }
      guard name.file == file else {
        throw refusal(
          "The store has the backup of another database (generation \(name.generation.name)): use a folder or a bucket of its own for each database"
        )
      }
      found.number = max(found.number, name.generation.number)
      found.epoch = max(found.epoch, name.generation.epoch)
      if found.newest?.name ?? "" < name.generation.name { found.newest = name.generation }
    }
    reportForeign()
    return found
  }

  /// Returns the newest epoch that a copy has claimed.
  private func newestClaim(_ claims: [String], _ key: BackupKey) async throws -> UInt64 {
    for name in claims.reversed() {
      guard let epoch = Epoch.number(name), let bytes = try await announcement(name) else {
        continue
      }
      if try Epoch.isClaim(bytes, of: epoch, key) { return epoch }
      foreign.append(name)
    }
    return 0
  }

  private func announcements() async throws -> (names: [GenerationName], claims: [String]) {
    let names = try await retrying { try await self.store.list(GenerationName.folder) }.sorted()
    foreign = names.filter { GenerationName($0) == nil && Epoch.number($0) == nil }
    return (names.compactMap { GenerationName($0) }, names.filter { Epoch.number($0) != nil })
  }

  /// Returns the contents of an announcement. An object that is too large is not an announcement.
  private func announcement(_ name: String) async throws -> [UInt8]? {
    try await retrying {
      do {
        return try await self.store.get(name)
      } catch let error as DatabaseError where error.code == .corrupt {
        return []
      }
    }
  }

  /// Objects of others are ignored, and each is reported once.
  private func reportForeign() {
    guard foreign.first != reportedForeign else { return }
    reportedForeign = foreign.first
    let error = foreign.first.map {
      BackupCatalog.damaged(
        "The object \($0) of the store is not from this backup, and was ignored: find out who wrote it, and delete it"
      )
    }
    state.change { $0.record(error, during: .looking) }
  }

  /// Ends this backup if another copy of the file has begun a later generation, or has claimed an epoch.
  /// A generation that has lost objects ends too, and another one begins.
  /// - Parameter always: True to look at the store now, before a flush is acknowledged.
  func checkStore(always: Bool = false) async throws {
    guard let chain else { return }
    if let loss = audit.takeLoss(of: chain.generation) { return begin(after: loss) }
    guard always || lastFenceCheck.map({ .now - $0 > fenceInterval }) ?? true else { return }
    lastFenceCheck = .now
    let (names, claims) = try await announcements()
    let later = claims.filter { Epoch.number($0).map { $0 > chain.generation.epoch } ?? false }
    let epoch = try await newestClaim(later, chain.key)
    if epoch > 0 { throw replaced("epoch \(epoch)") }
    for other in names where other.generation.name > chain.generation.name {
      guard let bytes = try await announcement(other.text) else { continue }
      // After a change of the key, the key of the other backup is unknown.
      let isOfFile =
        other.file == chain.file && BackupObject.isFormed(bytes) && other.generation.isPlausible
      guard try isOfFile || isOwn(bytes, other, chain.key) else {
        foreign.append(other.text)
        continue
      }
      throw replaced("generation \(other.generation.name)")
    }
    reportForeign()
    hasSent = false
    guard !names.contains(where: { $0.generation == chain.generation }) else { return }
    audit.lose(
      chain.generation,
      "The store lost the object that announces generation \(chain.generation.name)")
    if let loss = audit.takeLoss(of: chain.generation) { begin(after: loss) }
  }

  /// True if the key of this backup authenticates an announcement.
  private func isOwn(
    _ bytes: [UInt8], _ name: GenerationName, _ key: BackupKey
  ) throws(DatabaseError) -> Bool {
    guard let object = try BackupObject(bytes, key: key) else { return false }
    let file = try BackupKey.file(object.identity, salt: object.salt)
    return object.kind == .announcement && object.generation == name.generation && file == name.file
  }

  private func begin(after loss: DatabaseError) {
    reason = loss.message
    chain = nil
  }
}

extension BackupKey {
  func isSame(as other: BackupKey) -> Bool {
    salt == other.salt && (try? code(of: [])) == (try? other.code(of: []))
  }
}
