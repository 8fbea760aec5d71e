import BackupTestSupport
import MiniORMBackup
import Synchronization

/// A store in memory with faults.
final class SimulatedStore: BackupStore {
  enum Fault: CaseIterable, Sendable {
    /// The call fails and does nothing.
    case before
    /// The call fails after the change in the store.
    case after
    /// The call fails, and a later call makes the change, like a service with a late request.
    case late
  }

  let store = MemoryStore()
  private struct State {
    var faults: [Fault] = []
    var isAway = false
    var late: [(name: String, bytes: [UInt8], calls: Int)] = []
  }
  private let state = Mutex(State())

  /// The faults of the next calls.
  func fail(_ faults: [Fault]) { state.withLock { $0.faults += faults } }

  var isAway: Bool {
    get { state.withLock { $0.isAway } }
    set { state.withLock { $0.isAway = newValue } }
  }

  func put(_ name: String, _ bytes: [UInt8]) async throws {
    try await call {
      await self.store.put(name, bytes)
    } late: {
      $0.append((name, bytes, 3))
    }
  }

  func get(_ name: String) async throws -> [UInt8]? {
    try await call { await self.store.get(name) }
  }

  func list(_ prefix: String) async throws -> [String] {
    try await call { await self.store.list(prefix) }
  }

  func delete(_ name: String) async throws {
    try await call { await self.store.delete(name) }
  }

  private func call<Result>(
    _ work: () async -> Result,
    late: (inout [(name: String, bytes: [UInt8], calls: Int)]) -> Void = { _ in }
  ) async throws -> Result {
    let (fault, isAway, landing) = state.withLock { state in
      for index in state.late.indices { state.late[index].calls -= 1 }
      let landing = state.late.filter { $0.calls <= 0 }
      state.late.removeAll { $0.calls <= 0 }
      let fault = state.faults.isEmpty || state.isAway ? nil : state.faults.removeFirst()
      if fault == .late { late(&state.late) }
      return (fault, state.isAway, landing)
    }
    for object in landing { await store.put(object.name, object.bytes) }
    switch fault {
    case .before, .late: throw StoreFault()
    case .after:
      _ = await work()
      throw StoreFault()
    case nil:
      if isAway { throw StoreFault() }
      return await work()
    }
  }
}
