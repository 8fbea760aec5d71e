import MiniORM

/// The states of a generation, as a store lists them.
package struct BackupSummary: Sendable {
  package let generation: String
  /// The states whose objects are all listed, the oldest first.
  package let states: [BackupPosition]
  /// The number of states with a missing object.
  package let brokenCount: Int
  package let objects: [String]

  init(_ chain: BackupCatalog.Chain) {
    generation = chain.name.generation.name
    objects = chain.own.map(\.text)
    let complete = chain.completeMoments
    brokenCount = chain.moments.count - complete.count
    states = complete.map { BackupPosition(file: chain.name.file, object: $0) }
  }

  /// Lists the generations of a store, the oldest first. This needs no key, and checks no object.
  package static func all(in store: any BackupStore) async throws -> [BackupSummary] {
    try await BackupCatalog(store).all().map { BackupSummary($0) }
  }
}
