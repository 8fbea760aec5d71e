import MiniORM

/// The states of a generation, as a store lists them.
package struct BackupSummary: Sendable {
  package let generation: String
  /// The oldest and the newest state whose objects are all listed.
  package var states: (first: BackupPosition, last: BackupPosition)?
  package let stateCount: Int
  /// The number of states with a missing object.
  package let brokenCount: Int
  package let objects: [String]

  init(_ chain: BackupCatalog.Chain) {
    generation = chain.name.generation.name
    objects = chain.objects.map(\.text)
    let complete = chain.completeMoments
    (stateCount, brokenCount) = (complete.count, chain.moments.count - complete.count)
    let positions = complete.map { BackupPosition(salt: chain.name.salt, object: $0) }
    if let first = positions.first, let last = positions.last { states = (first, last) }
  }

  /// Lists the generations of a store, the oldest first. This needs no key, and checks no object.
  package static func all(in store: any BackupStore) async throws -> [BackupSummary] {
    try await BackupCatalog(store).all().map { BackupSummary($0) }
  }
}
