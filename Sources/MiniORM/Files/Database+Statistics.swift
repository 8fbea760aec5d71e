/// The counters of a database since its opening, and its open resources.
public struct DatabaseStatistics: Sendable, Equatable {
  /// The number of readers, idle or in use.
  public internal(set) var readerCount: Int
  /// The number of readers in use.
  public internal(set) var busyReaderCount: Int
  /// True while a write is running.
  public internal(set) var isWriting: Bool
  /// The number of calls waiting for a connection.
  public internal(set) var waitingCount: Int
  /// The number of calls that had to wait for a connection.
  public internal(set) var waitCount: Int
  /// The total waiting time of all calls.
  public internal(set) var totalWait: Duration
  /// The longest waiting time of a call.
  public internal(set) var longestWait: Duration
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
    let usage = pool.usage
    var sum = DatabaseStatistics(
      readerCount: usage.readerCount, busyReaderCount: usage.busyReaderCount,
      isWriting: usage.isWriting, waitingCount: pool.waitingCount, waitCount: usage.waitCount,
      totalWait: usage.totalWait, longestWait: usage.longestWait)
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
