import Synchronization

@testable import MiniORM

extension ObservationHub {
  /// The number of observers that commits have checked.
  var visits: Int { state.withLock { $0.visits } }

  /// True if there are at least `count` observers, and each waits and is up to date.
  func isQuiet(_ count: Int) -> Bool {
    state.withLock { state in
      state.observers.count >= count
        && state.observers.values.allSatisfy { $0.waiting != nil && !$0.isChanged }
    }
  }

  var waitingCount: Int { state.withLock { $0.observers.values.count { $0.waiting != nil } } }

  /// The number of stored columns, rows and missed changes.
  var columnCount: Int {
    state.withLock { state in
      state.byColumn.count + state.byAnything.count + state.missed.count
        + state.byTable.values.reduce(0) { $0 + $1.count }
    }
  }
}
