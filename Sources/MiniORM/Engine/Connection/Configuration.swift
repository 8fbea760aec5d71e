/// Options for opening a database.
public struct Configuration: Sendable {
  /// Creates a missing file. `true` by default.
  public var createsFile = true

  /// Opens the file read-only. `false` by default; always `true` if ``isImmutable`` is set.
  public var isReadOnly: Bool {
    get { isImmutable || isInspecting || readsOnly }
    set { readsOnly = newValue }
  }
  private var readsOnly = false

  /// Declares that the file cannot change while open, as on read-only media. `false` by default.
  ///
  /// SQLite takes no locks and creates no -wal and -shm files. Without this option, even reading a
  /// file with a write-ahead log needs these files.
  ///
  /// If the file changes nevertheless, queries return wrong results or report a damaged file.
  /// Opening fails if a -wal or -journal file beside the database holds changes.
  ///
  /// See [immutable](https://www.sqlite.org/uri.html#uriimmutable).
  public var isImmutable: Bool {
    get { isUntrusted || neverChanges }
    set { neverChanges = newValue }
  }
  private var neverChanges = false

  /// Treats the file as hostile, for example a file received by mail. `false` by default.
  ///
  /// ```swift
  /// var configuration = Configuration()
  /// configuration.isUntrusted = true
  /// let database = try await Database(path: received, key: nil, configuration: configuration)
  /// ```
  /// The file is opened as ``isImmutable``: nothing is written, and a log or journal beside the
  /// file is rejected, because a hostile journal can make SQLite delete another file. SQLite checks
  /// the structure of each page, and limits for example the size of a value (100 MB) and the depth
  /// of an expression (100).
  ///
  /// Set a time limit with ``withTimeLimit(_:_:)`` for queries of the file's own views. To read the
  /// file together with its log or journal, call ``Database/inspect(path:key:configuration:_:)``.
  /// <doc:Keys> lists the dangers.
  public var isUntrusted = false

  /// The time that a statement waits for another connection's lock. 5 seconds by default. All waits
  /// of an opening together last at most this time, without the derivation of keys.
  ///
  /// Fractions of a millisecond are rounded up, and negative values count as zero.
  ///
  /// See [sqlite3_busy_timeout](https://www.sqlite.org/c3ref/busy_timeout.html).
  public var busyTimeout: Duration = .seconds(5)

  /// The maximum number of concurrent readers. By default the number of processors, from 2 to 8.
  /// Values less than 1 count as 1.
  ///
  /// The database opens readers on demand and closes idle readers after 30 seconds. The key is
  /// derived only once. An in-memory, temporary or read-only database has a single connection.
  public var maximumReaderCount = min(max(2, Workers.processors), 8)

  /// The time that a read waits while all readers are in use. One minute by default. Then the read
  /// throws ``DatabaseError`` with ``ResultCode/busy``.
  public var readerTimeout: Duration = .seconds(60)

  /// Enforces foreign keys. `true` by default.
  ///
  /// See [SQLite Foreign Key Support](https://www.sqlite.org/foreignkeys.html).
  public var foreignKeysEnabled = true

  /// The journal mode. `nil` by default: an existing file keeps its mode, and a new or empty file
  /// gets a write-ahead log, which allows reads during a write.
  public var journalMode: JournalMode?

  /// The durability of commits, in the main file and in attached files. ``Synchronous/full`` by
  /// default: a returned write survives a power loss if the disk flushes its cache (see
  /// ``fullfsync``).
  ///
  /// With a write-ahead log, ``Synchronous/normal`` makes many small commits faster, but a power
  /// loss can lose the last commits.
  public var synchronous = Synchronous.full

  /// Flushes the disk's own cache at each sync. `false` by default.
  ///
  /// Only Apple's systems have this much slower kind of sync. Without `fullfsync`, a power loss can
  /// break the guarantee of ``synchronous``: data may still be in the disk's cache.
  ///
  /// See [PRAGMA fullfsync](https://www.sqlite.org/pragma.html#pragma_fullfsync).
  public var fullfsync = false

  /// The cipher settings with which the file was created. By default, the settings of SQLCipher 4.
  ///
  /// The settings also apply to new files, for example the files of `export` and `encrypt`.
  /// Attached files use these settings unless ``Database/attach(_:as:key:isImmutable:cipher:)``
  /// specifies others.
  public var cipher = CipherSettings.sqlcipher4

  /// Locks and wipes all memory of SQLite, not only the memory of keys. `false` by default: locking
  /// costs time, and needs more locked memory than many systems allow.
  ///
  /// The setting applies to the whole process and cannot be switched off again.
  ///
  /// See [PRAGMA
  /// cipher_memory_security](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_memory_security).
  public var cipherMemorySecurity = false

  /// The licence of a commercial edition of SQLCipher. `nil` by default.
  public var cipherLicense: CipherLicense?

  /// The level of SQLCipher's log on the standard error. ``CipherLogLevel/off`` by default.
  ///
  /// The level applies to the whole process, and is set by the encrypted database opened or
  /// attached last. `nil` leaves the level to other code that uses SQLCipher; a wrong key then
  /// leaves a few lines in the log.
  ///
  /// The log contains no keys at any level, and cannot be redirected to a closure.
  ///
  /// See [PRAGMA
  /// cipher_log_level](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_log_level).
  public var cipherLogLevel: CipherLogLevel? = .off

  /// The memory in bytes for cached pages of each open file of each connection. 8 MiB by default.
  ///
  /// ```swift
  /// configuration.cacheSize = 64 << 20  // 64 MiB
  /// ```
  /// A page that is not in the cache is read and decrypted. SQLite allocates the memory as pages are
  /// read: a pool of five connections that read more than 8 MiB uses 40 MiB. Fractions of a KiB are
  /// dropped, and values less than 1 KiB count as 1 KiB. <doc:Performance> has figures.
  ///
  /// See [PRAGMA cache_size](https://www.sqlite.org/pragma.html#pragma_cache_size).
  public var cacheSize = 8 << 20

  /// The number of prepared statements that each connection caches. 100 by default.
  public var statementCacheCapacity = 100

  /// The interval at which an observed database checks for changes by other connections. `nil` by
  /// default: no checks.
  ///
  /// Only these checks find the changes of other processes, and of other ``Database`` instances
  /// with the same file. After a change by another connection, every observer fetches again. A
  /// check waits for writes.
  ///
  /// See [PRAGMA data_version](https://www.sqlite.org/pragma.html#pragma_data_version).
  public var otherChangesInterval: Duration?

  /// A check that runs before the COMMIT of each write transaction. `nil` by default.
  ///
  /// ```swift
  /// configuration.beforeCommit = { db in
  ///   guard try db.query(Int.self, "SELECT coalesce(sum(amount), 0) FROM entry") == [0] else {
  ///     throw Unbalanced()
  ///   }
  /// }
  /// ```
  /// If the closure throws, the transaction is rolled back and the call rethrows the error. The
  /// closure sees the transaction's changes and can make more. Single calls, such as
  /// `insert(_:in:)`, are transactions too. In ``Database/withoutTransaction(_:)``, only the
  /// transactions of ``Connection/transaction(_:_:)`` are checked. Migrations are not checked.
  public var beforeCommit: (@Sendable (isolated Connection) throws -> Void)?

  /// A closure that prepares each connection, the writer and the readers, when it opens or reopens.
  /// `nil` by default.
  ///
  /// ```swift
  /// configuration.prepare = { db in
  ///   try db.execute("PRAGMA recursive_triggers = ON")
  /// }
  /// ```
  /// PRAGMA settings last until the connection closes. The closure may read. A write, a transaction
  /// left open, and a PRAGMA that another ``Configuration`` property replaces throw
  /// ``DatabaseError``.
  ///
  /// If the closure throws, the connection closes, and the call that needed it throws with the
  /// operation ``DatabaseError/Operation/configure``.
  public var prepare: (@Sendable (isolated Connection) throws -> Void)?

  /// The trace that receives each completed statement. `nil` by default.
  public var trace: StatementTrace?

  /// SQL functions in Swift, available on every connection. Functions with equal names must differ
  /// in the number of arguments.
  public var functions: [any SQLFunctionProtocol] = []

  /// Collations in Swift, available on every connection.
  public var collations: [Collation] = []

  var workers = Workers.shared

  var isInspecting = false

  /// Reads files whose collations are not registered: see ``StandInCollations``.
  package var standsInForCollations = false

  /// Uses SQLite's snapshot functions if the library has them. Tests switch this off.
  var usesSnapshots = true

  /// Creates the default configuration.
  public init() {}

  /// The value of PRAGMA cache_size: a negative number of KiB.
  var cachePragma: Int32 { -Int32(clamping: max(1, cacheSize >> 10)) }

  var busyMilliseconds: Int32 {
    Int32(clamping: max(0, Int64((busyTimeout.bounded / .milliseconds(1)).rounded(.up))))
  }

  /// The verbosity of SQLCipher's log.
  public enum CipherLogLevel: String, Sendable {
    /// No messages.
    case off = "NONE"
    /// Errors, including wrong keys.
    case error = "ERROR"
    /// Errors and warnings. SQLCipher's own default.
    case warning = "WARN"
    /// Errors, warnings and information about operations.
    case information = "INFO"
    /// All messages, for developers of SQLCipher.
    case debug = "DEBUG"
  }

  /// How often SQLite waits for the disk.
  ///
  /// At every level, commits survive a crash of the program. The levels differ after a power loss
  /// or a crash of the operating system.
  ///
  /// | | with ``JournalMode/wal`` | with a rollback journal |
  /// |---|---|---|
  /// | ``off`` | can damage the file | can damage the file |
  /// | ``normal`` | can lose the last commits; never damages the file | can lose the last commit, and very rarely damage the file on an old file system |
  /// | ``full`` | loses nothing | can lose the last commit with ``JournalMode/delete``; otherwise nothing |
  /// | ``extra`` | loses nothing | loses nothing |
  ///
  /// See [PRAGMA synchronous](https://www.sqlite.org/pragma.html#pragma_synchronous).
  public enum Synchronous: String, Sendable {
    /// Never syncs. For files that can be recreated.
    case off = "OFF"
    /// Syncs as often as the file's integrity needs. With a write-ahead log, a commit does not wait
    /// for the disk.
    case normal = "NORMAL"
    /// Syncs at each commit.
    case full = "FULL"
    /// Syncs at each commit, and syncs the folder after the deletion of a journal.
    case extra = "EXTRA"
  }

  /// The journal mode: a rollback journal or a write-ahead log.
  ///
  /// See [PRAGMA journal_mode](https://www.sqlite.org/pragma.html#pragma_journal_mode).
  public enum JournalMode: String, Sendable {
    /// Write-ahead log.
    case wal = "WAL"
    /// A rollback journal, deleted after each transaction.
    case delete = "DELETE"
    /// A rollback journal, truncated after each transaction.
    case truncate = "TRUNCATE"
    /// A rollback journal whose header is overwritten after each transaction.
    case persist = "PERSIST"
  }
}
