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
