import MiniORM

/// The states of a generation, as a store lists them.
package struct BackupSummary: Sendable {
  package let generation: String
  /// The oldest and the newest state whose objects are all listed.
  package var states: (first: BackupPosition, last: BackupPosition)?
  package var stateCount = 0
  /// The number of states with a missing object.
  package var brokenCount = 0
  package let objects: [String]

  init(_ chain: BackupCatalog.Chain) {
    generation = chain.name.generation.name
    objects = chain.objects.map(\.text)
    var (begin, next) = (0, -1)
    for object in chain.objects {
      if object.sequence != next { begin = object.sequence }
      next = object.sequence + 1
      guard let base = object.base else { continue }
      guard base >= begin else {
        brokenCount += 1
        continue
      }
      let position = BackupPosition(salt: chain.name.salt, object: object)
      stateCount += 1
      states = (states?.first ?? position, position)
    }
  }

  /// Lists the generations of a store, the oldest first. This needs no key, and checks no object.
  package static func all(in store: any BackupStore) async throws -> [BackupSummary] {
    try await BackupCatalog(store).all().map { BackupSummary($0) }
  }
}
