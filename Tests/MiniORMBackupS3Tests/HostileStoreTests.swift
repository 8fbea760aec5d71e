import BackupTestSupport
import Testing

@Suite("A hostile store")
struct HostileStoreTests {
  /// A store with two folders, of which one object was replaced and one deleted.
  private static func sample() async throws -> HostileStore {
    let store = HostileStore()
    for number in 0..<6 {
      try await store.put("a/log/000\(number)", Array(repeating: UInt8(number + 1), count: 50))
    }
    for number in 0..<3 { try await store.put("b/base-\(number)", [UInt8(100 + number), 7]) }
    try await store.put("a/log/0002", [9, 9])
    try await store.delete("b/base-1")
    return store
  }

  /// The names and the contents that a reader sees: in the order of `list`, each read twice.
  private static func view(_ store: MemoryStore) async -> [(String, [UInt8]?)] {
    var seen: [(String, [UInt8]?)] = []
    for _ in 0..<2 {
      for name in await store.list("") { seen.append((name, await store.get(name))) }
    }
    return seen
  }

  @Test("each attack changes what a reader sees", arguments: Attack.allCases)
  func attack(_ attack: Attack) async throws {
    let store = try await Self.sample()
    let before = try await store.objects()
    let healthy = await Self.view(MemoryStore(before))
    let other = before.mapValues { $0 + [1] }
    for seed in 0..<200 as Range<UInt64> {
      let (hostile, descriptions) = try await store.hostile(seed, attacks: [attack], other: other)
      let seen = await Self.view(hostile)
      // A second swap may restore the first; a duplicate may equal the replaced object.
      if descriptions.count == 1 {
        #expect(!seen.elementsEqual(healthy) { $0 == $1 }, "\(descriptions), seed \(seed)")
      }
      #expect(descriptions.allSatisfy { $0.hasPrefix("\(attack): ") })
    }
    #expect(try await store.objects() == before)
  }

  @Test("a seed repeats its attacks")
  func seed() async throws {
    let store = try await Self.sample()
    for seed in 0..<50 as Range<UInt64> {
      let (one, first) = try await store.hostile(seed)
      let (two, second) = try await store.hostile(seed)
      #expect(first == second)
      let (left, right) = (await Self.view(one), await Self.view(two))
      #expect(left.elementsEqual(right) { $0 == $1 })
    }
  }

  @Test("a store that is rolled back has an earlier state")
  func rollBack() async throws {
    let store = HostileStore()
    var states: [[String: [UInt8]]] = [[:]]
    for number in 0..<8 {
      let name = "log/\(number % 5)"
      if number == 6 {
        try await store.delete(name)
      } else {
        try await store.put(name, [UInt8(number)])
      }
      states.append(try await store.objects())
    }
    for seed in 0..<50 as Range<UInt64> {
      let (hostile, _) = try await store.hostile(seed, attacks: [.rollBack])
      #expect(states.dropLast().contains(await hostile.objects))
    }
  }

  @Test("a store without objects has nothing to attack")
  func empty() async throws {
    let (hostile, attacks) = try await HostileStore().hostile(1)
    #expect(await hostile.objects == [:])
    #expect(attacks == [])
  }
}
