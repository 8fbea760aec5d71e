import CSQLCipher
import Synchronization

/// The counters of a database since its opening, and its open resources.
public struct DatabaseStatistics: Sendable, Equatable {
  /// The number of readers, idle or in use.
  public internal(set) var readerCount = 0
  /// The number of readers in use.
  public internal(set) var busyReaderCount = 0
  /// True while a write is running.
  public internal(set) var isWriting = false
  /// The number of calls waiting for a connection.
  public internal(set) var waitingCount = 0
  /// The number of calls that had to wait for a connection.
  public internal(set) var waitCount = 0
  /// The total waiting time of all calls.
  public internal(set) var totalWait = Duration.zero
  /// The longest waiting time of a call.
  public internal(set) var longestWait = Duration.zero
  /// The number of statements found in the statement caches.
  public internal(set) var statementHits = 0
  /// The number of statements that had to be prepared.
  public internal(set) var statementMisses = 0
  /// The number of pages found in the page caches.
  public internal(set) var pageHits = 0
  /// The number of pages read from the file or its log.
  public internal(set) var pagesRead = 0
  /// The number of pages written.
  public internal(set) var pagesWritten = 0
  /// The size of the file in bytes.
  public internal(set) var fileSize = 0
  /// The size of the -wal file in bytes. Only a checkpoint with ``CheckpointMode/truncate`` shrinks
  /// the file.
  public internal(set) var logSize = 0
}

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
      var (current, highest): (Int32, Int32) = (0, 0)
      sqlite3_db_status(opened.database, option, &current, &highest, 0)
      return Int(current)
    }
    return DatabaseStatistics(
      statementHits: opened.cache.hits, statementMisses: opened.cache.misses,
      pageHits: status(SQLITE_DBSTATUS_CACHE_HIT), pagesRead: status(SQLITE_DBSTATUS_CACHE_MISS),
      pagesWritten: status(SQLITE_DBSTATUS_CACHE_WRITE))
  }
}
