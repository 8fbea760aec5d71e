import Synchronization

@testable import MiniORM

extension Database {
  /// Observes an SQL query with a column of integers.
  func integers(_ sql: SQL, _ arguments: Arguments = []) -> DatabaseValues<[Int]> {
    values { try $0.query(Int.self, sql, arguments) }
  }
}

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
