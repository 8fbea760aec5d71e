import MiniORM

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Shipper {
  func beginGeneration(_ end: LogEnd) async throws {
    guard let log else { return }
    let origin = try await comparedState(end)
    var number: UInt64 = 0
    for name in try await generations() {
      // Announcements that are hidden or damaged count too.
      if name.salt == log.key.salt, name.generation.number < 1 << 47 {
        number = max(number, name.generation.number)
      }
      guard let bytes = try await announcement(name) else { continue }
      let isOwn = try isOwn(bytes, name, log.key)
      // Counting does not reach such numbers.
      guard isOwn || BackupObject.isFormed(bytes) && name.generation.number < 1 << 47 else {
        foreign.append(name.text)
        continue
      }
      guard name.salt == log.key.salt else {
        throw DatabaseError(
          .copy, code: .misuse,
          "The store has the backup of another database (generation \(name.generation.name)): use a folder or a bucket of its own for each database",
          path: database.path)
      }
      number = max(number, name.generation.number)
    }
    reportForeign()
    // The time is only a lower bound: a store that hides generations would have to hide it too.
    let least = min(clock().milliseconds, 1 << 46)
    let generation = Generation(
      number: max(number + 1, least), random: .random(in: .min ... .max))
    let name = GenerationName(generation, log.key.salt)
    var chain = GrowingChain(generation, log.key, end, clock: clock)
    let announcement = try chain.announcement()
    if let origin { try chain.link(to: origin, end) }
    try await retrying { try await self.store.put(name.text, announcement) }
    lastFenceCheck = .now
    restartLength = length(Self.usualLogLength)
    self.chain = chain
    let reason = reason
    state.change { status in
      status.generation = generation.name
      status.reason = reason
    }
  }

  private func generations() async throws -> [GenerationName] {
    let names = try await retrying { try await self.store.list(GenerationName.folder) }
    foreign = names.filter { GenerationName($0) == nil }
    return names.compactMap { GenerationName($0) }
  }

  /// Returns the contents of an announcement. An object that is too large is not an announcement.
  private func announcement(_ name: GenerationName) async throws -> [UInt8]? {
    try await retrying {
      do {
        return try await self.store.get(name.text)
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

  /// Two machines may back up to one store by mistake. Their generations are separate, and the
  /// earlier one ends here. A generation that has lost objects ends too, and another one begins.
  func checkStore() async throws {
    guard let chain else { return }
    if let loss = audit.takeLoss(of: chain.generation) { return begin(after: loss) }
    guard lastFenceCheck.map({ .now - $0 > fenceInterval }) ?? true else { return }
    lastFenceCheck = .now
    let names = try await generations()
    for other in names where other.generation.name > chain.generation.name {
      guard let bytes = try await announcement(other) else { continue }
      // After a change of the key, the key of the other backup is unknown.
      let isOfFile =
        other.salt == chain.key.salt && BackupObject.isFormed(bytes)
        && other.generation.number < 1 << 47
      guard try isOfFile || isOwn(bytes, other, chain.key) else {
        foreign.append(other.text)
        continue
      }
      throw DatabaseError(
        .copy, code: .misuse,
        "Another backup to the same store began (generation \(other.generation.name)), so this backup stopped. Use a separate store for each machine, or stop the other backup and start this one again",
        path: database.path)
    }
    reportForeign()
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
    return object.kind == .announcement && object.generation == name.generation
      && object.salt == name.salt
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
