/// How a database is opened.
public struct Configuration: Sendable {
  /// Whether a file that does not exist is created. `true` by default.
  public var createsFile = true

  /// Whether the file is only read. `false` by default, and always `true` where it
  /// ``isImmutable``.
  public var isReadOnly: Bool {
    get { isImmutable || isInspecting || readsOnly }
    set { readsOnly = newValue }
  }
  private var readsOnly = false

  /// Whether the file cannot change while it is open, as on read-only media. `false` by default.
  ///
  /// SQLite then takes no locks and makes no files beside it, which a file with a write-ahead log
  /// needs otherwise even for reading. Nobody may change the file meanwhile, in this process or in
  /// another: queries would give wrong answers, or report a damaged file. A file beside which there
  /// are changes that are not in it yet, in a log or a journal, is refused.
  ///
  /// See [immutable](https://www.sqlite.org/uri.html#uriimmutable).
  public var isImmutable: Bool {
    get { isUntrusted || neverChanges }
    set { neverChanges = newValue }
  }
  private var neverChanges = false

  /// Whether the file comes from someone who may want to do harm, such as a file that was sent to you. `false` by
  /// default.
  ///
  /// ```swift
  /// var configuration = Configuration()
  /// configuration.isUntrusted = true
  /// let database = try await Database(path: received, key: nil, configuration: configuration)
  /// ```
  /// The file is then ``isImmutable``: nothing is written, and a log or a journal beside the file, which could make SQLite
  /// delete another file, is refused. SQLite limits what the schema of the file can demand, such as the size of a value
  /// (100 MB) and the depth of an expression (100), and checks the structure of each page. Set a time limit with
  /// ``withTimeLimit(_:_:)`` for queries of the file's own views. ``Database/inspect(path:key:configuration:_:)`` reads
  /// such a file with the log or journal beside it. <doc:Keys> lists the dangers.
  public var isUntrusted = false

  /// How long a statement waits for another connection's lock: 5 seconds by default.
  ///
  /// SQLite counts in milliseconds; a part of one counts as a whole one, and what is negative as none.
  ///
  /// See [sqlite3_busy_timeout](https://www.sqlite.org/c3ref/busy_timeout.html).
  public var busyTimeout: Duration = .seconds(5)

  /// How many connections read at once, at most. By default as many as the machine has processors,
  /// from 2 to 8; less than 1 counts as 1.
  ///
  /// The second and those after it are opened when they are first needed, with the key as it was
  /// derived, and closed after half a minute without work. A database in memory, a temporary one and a
  /// file that is only read have one connection for everything.
  public var maximumReaderCount = min(max(2, Workers.processors), 8)

  /// How long a read waits for one of the connections that read, while all are in use: a minute by
  /// default. It throws ``DatabaseError`` with the code ``ResultCode/busy`` then.
  public var readerTimeout: Duration = .seconds(60)

  /// Whether foreign keys are enforced. `true` by default.
  ///
  /// See [SQLite Foreign Key Support](https://www.sqlite.org/foreignkeys.html).
  public var foreignKeysEnabled = true

  /// How changes reach the file. Write-ahead logging by default, which lets reads go on during a
  /// write.
  public var journalMode = JournalMode.wal

  /// When a change is on the disk for good. ``Synchronous/full`` by default: once a write has
  /// returned, not even a power cut takes it back, as far as the disk keeps its word (see
  /// ``fullfsync``).
  ///
  /// It holds for the file and for those that are attached.
  public var synchronous = Synchronous.full

  /// Whether the disk is told to write its own cache too, each time that SQLite waits for it. `false`
  /// by default. Only Apple's systems make the difference, where it takes far longer: without it a
  /// power cut can undo what ``synchronous`` promises, because the disk has not written yet what it
  /// has taken.
  ///
  /// See [PRAGMA fullfsync](https://www.sqlite.org/pragma.html#pragma_fullfsync).
  public var fullfsync = false

  /// How the file is encrypted: as by SQLCipher 4, by default. A file that was made with other settings
  /// has to be opened with those.
  ///
  /// It holds for new files too, those of `export` and `encrypt` included, and for attached files where
  /// ``Database/attach(_:as:key:isImmutable:cipher:)`` says nothing else.
  public var cipher = CipherSettings.sqlcipher4

  /// Whether SQLCipher locks and wipes all the memory that SQLite uses, and not only what holds keys.
  /// `false` by default, for it costs time, and more memory than many systems allow to be locked.
  ///
  /// It is the process's and not a database's, and stays once it is on.
  ///
  /// See [PRAGMA cipher_memory_security](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_memory_security).
  public var cipherMemorySecurity = false

  /// The licence of a commercial edition of SQLCipher. The community's edition needs none, and does
  /// nothing with it.
  public var cipherLicense: CipherLicense?

  /// What SQLCipher writes of its work to the standard error; nothing by default.
  ///
  /// The level is the process's and not a database's: the one that was opened or attached last with a
  /// key decides. `nil` leaves it as it is, for a program that has other code with SQLCipher; a
  /// wrong key then leaves a few lines there.
  ///
  /// SQLCipher writes to the standard error or a file that other code has named, through a buffer, and has no
  /// way to give its lines to a closure. No key is in them, at any level.
  ///
  /// See [PRAGMA cipher_log_level](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_log_level).
  public var cipherLogLevel: CipherLogLevel? = .off

  /// How many prepared statements each connection keeps; 100 by default.
  public var statementCacheCapacity = 100

  /// How often to look whether somebody else has changed the file, while this database is observed;
  /// never by default.
  ///
  /// Changes that are made through this ``Database`` are known without. Those of other processes, and of
  /// other databases of this process that have the same file open, are noticed only so: every observer then
  /// reads anew, whatever it is that has changed. A look costs a few microseconds and waits for writes.
  ///
  /// See [PRAGMA data_version](https://www.sqlite.org/pragma.html#pragma_data_version).
  public var otherChangesInterval: Duration?

  /// A check of each transaction that writes, before its COMMIT; none by default.
  ///
  /// ```swift
  /// configuration.beforeCommit = { db in
  ///   guard try db.query(Int.self, "SELECT coalesce(sum(amount), 0) FROM entry") == [0] else {
  ///     throw Unbalanced()
  ///   }
  /// }
  /// ```
  /// What it throws, the call throws, and its transaction is rolled back. It sees what the transaction has changed,
  /// and can change more. A single call, as `insert(_:in:)` of the database, is a transaction too. A migration
  /// is not checked, and in ``Database/withoutTransaction(_:)`` only what is in a
  /// ``Connection/transaction(_:_:)``.
  public var beforeCommit: (@Sendable (isolated Connection) throws -> Void)?

  /// Who is told of the statements that have run; nobody by default.
  public var trace: StatementTrace?

  /// SQL functions written in Swift, which every connection has.
  ///
  /// Two of one name must differ in how many arguments they take.
  public var functions: [any SQLFunctionProtocol] = []

  /// Collations written in Swift, which every connection has.
  public var collations: [Collation] = []

  /// What the connections run on.
  var workers = Workers.shared

  /// Whether not even the files that SQLite keeps beside the file may change. The file is only read then.
  var isInspecting = false

  /// Whether SQLite's functions for snapshots are used where the library has them: tests do without.
  var usesSnapshots = true

  /// The defaults.
  public init() {}

  /// ``busyTimeout`` as SQLite takes it.
  var busyMilliseconds: Int32 {
    let (seconds, attoseconds) = busyTimeout.bounded.components
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
    guard !overflows else { return seconds < 0 ? 0 : .max }
    let milliseconds = product.addingReportingOverflow(
      (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    return milliseconds.overflow ? .max : Int32(clamping: max(0, milliseconds.partialValue))
  }

  /// How much SQLCipher tells of its work.
  public enum CipherLogLevel: String, Sendable {
    /// Nothing.
    case off = "NONE"
    /// What fails, a wrong key included.
    case error = "ERROR"
    /// What fails or is doubtful; SQLCipher's own default.
    case warning = "WARN"
    /// What it does, too.
    case information = "INFO"
    /// What its developers look for.
    case debug = "DEBUG"
  }

  /// When SQLite waits until the disk has written.
  ///
  /// Whatever is chosen, a program that ends or is killed loses nothing that was committed: this is
  /// about power cuts and crashes of the operating system.
  ///
  /// | | with ``JournalMode/wal`` | with a rollback journal |
  /// |---|---|---|
  /// | ``off`` | can damage the file | can damage the file |
  /// | ``normal`` | can take back the last commits; never damages the file | can take back the last commit, and damage the file on an old file system, though hardly ever |
  /// | ``full`` | takes back nothing | can take back the last commit with ``JournalMode/delete``; otherwise nothing |
  /// | ``extra`` | takes back nothing | takes back nothing |
  ///
  /// See [PRAGMA synchronous](https://www.sqlite.org/pragma.html#pragma_synchronous).
  public enum Synchronous: String, Sendable {
    /// Never: for files that can be made again.
    case off = "OFF"
    /// At the moments that keep the file whole. With a write-ahead log a commit then waits for no
    /// disk, which makes many small ones several times as fast.
    case normal = "NORMAL"
    /// At each commit.
    case full = "FULL"
    /// At each commit, and once more for the folder when a journal has been deleted from it.
    case extra = "EXTRA"
  }

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
