import Synchronization

final class ChangeSubscribers: Sendable {
  private struct State {
    var mailboxes: [Int: @Sendable (CommittedChanges?) -> Void] = [:]
    var lastID = 0
    var isClosed = false
  }
  private let state = Mutex(State())
  private let count = Atomic(0)

  var isWanted: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

  /// Returns nil if the database is closed.
  /// - Parameter deliver: Receives changes; nil for the end.
  func insert(_ deliver: @escaping @Sendable (CommittedChanges?) -> Void) -> Int? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.lastID += 1
      state.mailboxes[state.lastID] = deliver
      count.add(1, ordering: .sequentiallyConsistent)
      return state.lastID
    }
  }

  func remove(_ id: Int) {
    let removed = state.withLock { $0.mailboxes.removeValue(forKey: id) }
    if removed != nil { count.subtract(1, ordering: .sequentiallyConsistent) }
  }

  func publish(_ changes: CommittedChanges) {
    for deliver in state.withLock({ Array($0.mailboxes.values) }) { deliver(changes) }
  }

  func setClosed(_ isClosed: Bool) {
    let ended = state.withLock { state in
      state.isClosed = isClosed
      return isClosed ? Array(state.mailboxes.values) : []
    }
    for deliver in ended { deliver(nil) }
  }
}
