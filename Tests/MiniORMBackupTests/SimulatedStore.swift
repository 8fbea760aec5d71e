import BackupTestSupport
import Synchronization

@testable import MiniORMBackup

/// A store in memory with faults.
final class SimulatedStore: BackupStore {
  enum Fault: CaseIterable, Sendable {
    /// The call fails and does nothing.
    case before
    /// The call fails after the change in the store.
    case after
    /// The call fails, and a later call makes the change, like a service with a late request.
    case late
    /// The call does not return until `release()`.
    case hang
  }

  enum Verb: Sendable { case put, get, list, delete }

  /// Something that happens once, at a certain call.
  private struct Event {
    let isCall: @Sendable (Verb, String) -> Bool
    let fault: Fault?
    let action: @Sendable () async throws -> Void
  }

  let store: MemoryStore
  private struct State {
    var faults: [Fault] = []
    var isAway = false
    var damagesNext = false
    var late: [(name: String, bytes: [UInt8], calls: Int)] = []
    var hanging: [CheckedContinuation<Void, Never>] = []
    var event: Event?
    var activeCalls = 0
    var hasHappened = false
  }
  private let state = Mutex(State())

  init(_ store: MemoryStore = MemoryStore()) { self.store = store }

  /// The faults of the next calls.
  func fail(_ faults: [Fault]) { state.withLock { $0.faults += faults } }

  /// Ends the calls that hang.
  func release() {
    let hanging = state.withLock { state in
      defer { state.hanging = [] }
      return state.hanging
    }
    for call in hanging { call.resume() }
  }

  /// Changes a bit of the next state that is stored.
  func damageNext() { state.withLock { $0.damagesNext = true } }

  /// Gives the first call that matches a fault, or runs an action after it, while no other call runs.
  func once(
    _ fault: Fault?, at isCall: @escaping @Sendable (Verb, String) -> Bool,
    _ action: @escaping @Sendable () async throws -> Void
  ) {
    state.withLock { $0.event = Event(isCall: isCall, fault: fault, action: action) }
  }

  /// True after the action of `once(_:at:_:)`.
  var hasHappened: Bool { state.withLock { $0.hasHappened } }

  var isAway: Bool {
    get { state.withLock { $0.isAway } }
    set { state.withLock { $0.isAway = newValue } }
  }

  func put(_ name: String, _ bytes: [UInt8]) async throws {
    var bytes = bytes
    let isDamaged = state.withLock { state in
      guard state.damagesNext, ObjectName(name)?.base != nil else { return false }
      state.damagesNext = false
      return true
    }
    if isDamaged { bytes[bytes.count / 2] ^= 1 }
    try await call(.put, name, bytes) { [bytes] in await self.store.put(name, bytes) }
  }

  func get(_ name: String) async throws -> [UInt8]? {
    try await call(.get, name) { await self.store.get(name) }
  }

  func list(_ prefix: String) async throws -> [String] {
    try await call(.list, prefix) { await self.store.list(prefix) }
  }

  func delete(_ name: String) async throws {
    try await call(.delete, name) { await self.store.delete(name) }
  }

  private func call<Result>(
    _ verb: Verb, _ name: String, _ bytes: [UInt8]? = nil, _ work: () async -> Result
  ) async throws -> Result {
    defer { state.withLock { $0.activeCalls -= 1 } }
    let (fault, isAway, landing, event) = state.withLock { state in
      state.activeCalls += 1
      for index in state.late.indices { state.late[index].calls -= 1 }
      let landing = state.late.filter { $0.calls <= 0 }
      state.late.removeAll { $0.calls <= 0 }
      let event = state.event.flatMap { $0.isCall(verb, name) ? $0 : nil }
      if event != nil { state.event = nil }
      let next = state.faults.isEmpty || state.isAway ? nil : state.faults.removeFirst()
      let fault = event?.fault ?? next
      if fault == .late, let bytes { state.late.append((name, bytes, 3)) }
      return (fault, state.isAway, landing, event)
    }
    for object in landing { await store.put(object.name, object.bytes) }
    if event?.fault != nil { state.withLock { $0.hasHappened = true } }
    switch fault {
    case .before, .late: throw StoreFault()
    case .after:
      _ = await work()
      throw StoreFault()
    case .hang:
      await withCheckedContinuation { call in state.withLock { $0.hanging.append(call) } }
      throw StoreFault()
    case nil:
      if isAway { throw StoreFault() }
      let result = await work()
      guard let event else { return result }
      while state.withLock({ $0.activeCalls > 1 }) { try await Task.sleep(for: .milliseconds(1)) }
      try await event.action()
      state.withLock { $0.hasHappened = true }
      return result
    }
  }
}
