import CSQLCipher
import Synchronization

extension Database {
  /// Returns the counters since opening. For example, `database.statistics().waitCount` is the
  /// number of calls that had to wait for a connection.
  ///
  /// The method does not wait. For a connection in use, the statement and page counters are the
  /// last known values. Counters of closed readers are not included.
  public func statistics() -> DatabaseStatistics {
    var sum = pool.statistics
    for connection in pool.connections {
      let counts = connection.counts
      sum.statementHits += counts.statementHits
      sum.statementMisses += counts.statementMisses
      sum.pageHits += counts.pageHits
      sum.pagesRead += counts.pagesRead
      sum.pagesWritten += counts.pagesWritten
    }
    guard DatabaseFile.isFile(path) else { return sum }
    sum.fileSize = Int(clamping: DatabaseFile.size(path))
    sum.logSize = Int(clamping: DatabaseFile.size(path + "-wal"))
    return sum
  }
}

extension Pool {
  fileprivate var statistics: DatabaseStatistics {
    let waiting = waitingCount
    return state.withLock { state in
      DatabaseStatistics(
        readerCount: 1 + state.others.count,
        busyReaderCount: isSingle ? (state.isWriterLent ? 1 : 0) : state.lent,
        isWriting: !isSingle && state.isWriterLent, waitingCount: waiting,
        waitCount: state.waitCount, totalWait: state.totalWait, longestWait: state.longestWait)
    }
  }
}

extension Connection {
  /// The connection's counters. While the connection is in use, the last known values.
  fileprivate nonisolated var counts: DatabaseStatistics {
    guard state.executor.tryEnter() else { return state.counts.withLock { $0 } }
    defer { state.executor.leave() }
    return assumeIsolated { connection in
      let now = connection.currentCounts
      connection.state.counts.withLock { $0 = now }
      return now
    }
  }

  /// See [sqlite3_db_status](https://www.sqlite.org/c3ref/db_status.html).
  private var currentCounts: DatabaseStatistics {
    guard let opened = state.opened else { return DatabaseStatistics() }
    func status(_ option: Int32) -> Int {
      Int(SQLiteLibrary.status(option, of: opened.database))
    }
    return DatabaseStatistics(
      statementHits: opened.cache.hits, statementMisses: opened.cache.misses,
      pageHits: status(SQLITE_DBSTATUS_CACHE_HIT), pagesRead: status(SQLITE_DBSTATUS_CACHE_MISS),
      pagesWritten: status(SQLITE_DBSTATUS_CACHE_WRITE))
  }
}
