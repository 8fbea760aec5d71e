/// What a database has done since it was opened, and what it has open.
public struct DatabaseStatistics: Sendable, Equatable {
  /// How many connections read, whether or not they are in use.
  public internal(set) var readerCount: Int
  /// How many of them are in use.
  public internal(set) var busyReaderCount: Int
  /// Whether somebody writes.
  public internal(set) var isWriting: Bool
  /// How many calls wait for a connection.
  public internal(set) var waitingCount: Int
  /// How many calls had to wait for one.
  public internal(set) var waitCount: Int
  /// How long they waited, all together.
  public internal(set) var totalWait: Duration
  /// How long the one that waited longest did.
  public internal(set) var longestWait: Duration
  /// How many times a prepared statement was found in a connection's cache.
  public internal(set) var statementHits = 0
  /// How many times one had to be prepared.
  public internal(set) var statementMisses = 0
  /// How many pages were found in a connection's cache.
  public internal(set) var pageHits = 0
  /// How many pages were read from the file or its log.
  public internal(set) var pagesRead = 0
  /// How many pages were written.
  public internal(set) var pagesWritten = 0
  /// How long the file is, in bytes.
  public internal(set) var fileSize = 0
  /// How long the write-ahead log is, in bytes: it does not become shorter when its pages are moved.
  public internal(set) var logSize = 0
}

extension Database {
  /// Returns what the database has done since it was opened.
  ///
  /// It waits for nobody. Of a connection that is in use, the numbers of statements and pages are those of the last
  /// time that it was asked; and those of a reader that has been closed are gone.
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
