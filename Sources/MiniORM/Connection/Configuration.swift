/// How a database is opened.
public struct Configuration: Sendable {
  /// Whether a file that does not exist is created. `true` by default.
  public var createsFile = true

  /// Whether the file is only read. `false` by default.
  public var isReadOnly = false

  /// How long a statement waits for another connection's lock, in milliseconds; 5,000 by default.
  ///
  /// See [sqlite3_busy_timeout](https://www.sqlite.org/c3ref/busy_timeout.html).
  public var busyTimeout: Int32 = 5_000

  /// Whether foreign keys are enforced. `true` by default.
  ///
  /// See [SQLite Foreign Key Support](https://www.sqlite.org/foreignkeys.html).
  public var foreignKeys = true

  /// How changes reach the file. Write-ahead logging by default, which lets reads go on during a
  /// write.
  public var journalMode = JournalMode.wal

  /// How many prepared statements each connection keeps; 100 by default.
  public var statementCacheCapacity = 100

  /// SQL functions written in Swift, which every connection has.
  ///
  /// Two of one name must differ in how many arguments they take.
  public var functions: [any DatabaseFunction] = []

  /// Collations written in Swift, which every connection has.
  public var collations: [Collation] = []

  /// The defaults.
  public init() {}

  /// A rollback journal or a write-ahead log.
  ///
  /// See [PRAGMA journal_mode](https://www.sqlite.org/pragma.html#pragma_journal_mode).
  public enum JournalMode: String, Sendable {
    /// Write-ahead log.
    case wal = "WAL"
    /// A rollback journal that is deleted after each transaction.
    case delete = "DELETE"
    /// A rollback journal that is truncated after each transaction.
    case truncate = "TRUNCATE"
    /// A rollback journal whose header is overwritten after each transaction.
    case persist = "PERSIST"
  }
}
