package import MiniORMBackup

/// An attack on the objects of a store.
package enum Attack: String, CaseIterable, Sendable {
  /// An object is missing.
  case drop
  /// Two objects have each other's contents.
  case swap
  /// An object lacks its end.
  case truncate
  /// An object has more bytes at its end.
  case extend
  /// A bit of an object is inverted.
  case flip
  /// An object also exists under the following name, or in place of another object.
  case duplicate
  /// Several neighboring objects have the contents of their neighbors, or the list is reversed.
  case reorder
  /// The store has an earlier state.
  case rollBack
  /// An object has the contents of an object of another store.
  case replace
  /// An object is intact when it is read first, and damaged later.
  case alternate
}

/// Passes all calls to another store, and remembers them. `hostile(_:)` returns a damaged copy, which
/// depends only on the seed and on the earlier calls:
///
/// ```swift
/// func hostile(_ seed: UInt64) async throws {
///   let (store, attacks) = try await recorded.hostile(seed, other: try await foreign.objects())
///   // A restore from `store` returns the right state, or throws.
/// }
/// ```
package actor HostileStore: BackupStore {
  private let base: any BackupStore
  /// The changes in order; nil for a deletion.
  private var journal: [(name: String, bytes: [UInt8]?)] = []
  private var known: [String: [UInt8]]?

  package init(_ base: any BackupStore = MemoryStore()) { self.base = base }

  package func put(_ name: String, _ bytes: [UInt8]) async throws {
    try await base.put(name, bytes)
    journal.append((name, bytes))
    known = nil
  }

  package func get(_ name: String) async throws -> [UInt8]? { try await base.get(name) }
  package func list(_ prefix: String) async throws -> [String] { try await base.list(prefix) }

  package func delete(_ name: String) async throws {
    try await base.delete(name)
    journal.append((name, nil))
    known = nil
  }

  /// All objects of the store.
  package func objects() async throws -> [String: [UInt8]] {
    if let known { return known }
    var objects: [String: [UInt8]] = [:]
    for name in try await base.list("") { objects[name] = try await base.get(name) }
    known = objects
    return objects
  }

  /// Returns a copy with one to three attacks.
  /// - Parameters:
  ///   - seed: Decides the attacks, their number and their objects.
  ///   - attacks: The attacks to choose from.
  ///   - other: The objects of another store, for `replace`.
  /// - Returns: The copy, and descriptions of the attacks for the message of a failed test.
  package func hostile(
    _ seed: UInt64, attacks: [Attack] = Attack.allCases, other: [String: [UInt8]] = [:]
  ) async throws -> (store: MemoryStore, attacks: [String]) {
    var damage = Damage(
      random: AttackRandom(seed), objects: try await objects(), journal: journal, other: other)
    // Most copies have a single attack, which no second attack can hide.
    let count = [1, 1, 1, 1, 2, 3].randomElement(using: &damage.random) ?? 1
    for _ in 0..<count {
      guard let attack = attacks.randomElement(using: &damage.random) else { break }
      damage.apply(attack)
    }
    let store = MemoryStore(damage.objects, later: damage.later, isReversed: damage.isReversed)
    return (store, damage.descriptions)
  }
}

/// Reproducible random numbers (SplitMix64).
package struct AttackRandom: RandomNumberGenerator {
  private var state: UInt64
  package init(_ seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
