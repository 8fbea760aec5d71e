import CSQLCipher
import Synchronization

struct ConnectionCounts: Sendable {
  var statementHits = 0
  var statementMisses = 0
  var pageHits = 0
  var pagesRead = 0
  var pagesWritten = 0
}

extension Connection {
  /// The connection's counters. While the connection is in use, the last known values.
  nonisolated var counts: ConnectionCounts {
    guard state.executor.tryEnter() else { return state.counts.withLock { $0 } }
    defer { state.executor.leave() }
    return assumeIsolated { connection in
      let now = connection.currentCounts
      connection.state.counts.withLock { $0 = now }
      return now
    }
  }

  /// See [sqlite3_db_status](https://www.sqlite.org/c3ref/db_status.html).
  private var currentCounts: ConnectionCounts {
    guard let opened = state.opened else { return ConnectionCounts() }
    func status(_ option: Int32) -> Int {
      var (current, highest): (Int32, Int32) = (0, 0)
      sqlite3_db_status(opened.database, option, &current, &highest, 0)
      return Int(current)
    }
    return ConnectionCounts(
      statementHits: opened.cache.hits, statementMisses: opened.cache.misses,
      pageHits: status(SQLITE_DBSTATUS_CACHE_HIT), pagesRead: status(SQLITE_DBSTATUS_CACHE_MISS),
      pagesWritten: status(SQLITE_DBSTATUS_CACHE_WRITE))
  }
}
