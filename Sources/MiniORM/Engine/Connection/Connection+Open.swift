import CSQLCipher
import Synchronization

extension Connection {
  private static let minimumVersion = [4, 6, 1]

  /// - Throws: ``DatabaseError`` with the operation `open`, `key`, `configure` or `attach`. After
  ///   an error, the file is closed.
  func open(_ key: CipherKey?, isReadOnly: Bool) throws(DatabaseError) {
    try DatabaseError.adding(path: path) { () throws(DatabaseError) in
      try state.interruption.opening { () throws(DatabaseError) in
        try openFile(key, isReadOnly: isReadOnly)
      }
    }
  }

  private func openFile(_ key: CipherKey?, isReadOnly: Bool) throws(DatabaseError) {
    try checkPath()
    try Self.checkThreads(sqlite3_threadsafe())
    try state.checkIdentity(of: "main", at: path)
    if configuration.isImmutable, !configuration.isInspecting {
      try DatabaseFile.checkNothingBeside(path)
    }
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI  // the actor is the mutex
    flags |= isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let creates = configuration.createsFile && !isReadOnly
    if creates { flags |= SQLITE_OPEN_CREATE }
    let (database, file) = try OpenFile.opening(path) { () throws(DatabaseError) in
      var pointer: OpaquePointer?
      // The file may have been deleted since the check of ``reopen()``.
      let name = DatabaseFile.name(
        path, configuration, mustExist: !isReadOnly && state.reopening != nil && !state.isNew)
      let code = SQLiteLibrary.open(name, flags: flags, &pointer)
      guard code == SQLITE_OK, let database = pointer else {
        defer { sqlite3_close_v2(pointer) }
        throw DatabaseError.opening(path, code: code, from: pointer, creates: creates)
      }
      return database
    }
    state.isReadOnly = isReadOnly
    var files: [(ExactText, OpenFile)] = []
    do throws(DatabaseError) {
      if !isReadOnly { try Self.checkWritable(database, "main", path) }
      sqlite3_extended_result_codes(database, 1)
      state.interruption.waitForLocks(of: database)
      try Self.checkLibrary(database)
      try lock(database, creates: creates)
      try setKey(key, database, creates: creates)
      try configure(database, isReadOnly: isReadOnly)
      if key != nil, !isReadOnly { try writeSalt(database) }
      for attachment in attachments {
        try DatabaseError.adding(operation: .attach) { () throws(DatabaseError) in
          // The file existed when it was attached: do not create it.
          var configuration = configuration
          configuration.createsFile = false
          try state.checkIdentity(of: attachment.key, at: attachment.path)
          let (_, file) = try attachment.opening(
            database, configuration, state.interruption, isAgain: true)
          if let file { files.append((attachment.key, file)) }
        }
      }
    } catch {
      sqlite3_close_v2(database)  // no statement is alive
      // The file was replaced during the first opening. No state depends on its identity yet:
      // retry.
      if error.code == .readOnlyMoved, state.identities.isEmpty {
        return try openFile(key, isReadOnly: isReadOnly)
      }
      throw error
    }
    let (reopening, isNew) = (state.reopening, state.isNew)
    try didOpen(database, key, file)
    for (name, file) in files { state.opened?.files[name] = file }
    watchAttachments(database)
    try prepare(database, reopening: reopening, isNew: isNew)
  }

  private func prepare(
    _ database: OpaquePointer, reopening: [CipherKey?]?, isNew: Bool
  ) throws(DatabaseError) {
    guard let prepare = configuration.prepare else { return }
    do {
      cache?.authorizer?.isPreparing = true
      defer { cache?.authorizer?.isPreparing = false }
      try lend(isReading: true) { db in try prepare(db) }
      guard sqlite3_get_autocommit(database) != 0 else {
        throw DatabaseError(
          .configure, code: .misuse,
          "Configuration.prepare left a transaction open: remove BEGIN or SAVEPOINT")
      }
    } catch {
      _ = state.opened?.close()
      (state.opened, state.reopening, state.isNew) = (nil, reopening, isNew)
      let cause =
        error as? DatabaseError
        ?? DatabaseError(.configure, code: .error, "\(String(describing: error))")
      throw cause.adding(operation: .configure, path: path)
        .adding(message: "Configuration.prepare failed")
    }
  }

  /// Rejects devices, and a NUL, where SQLite would cut the path off.
  func checkPath() throws(DatabaseError) {
    guard !path.utf8.contains(0) else {
      throw DatabaseError(
        .open, code: .misuse, "The path contains a NUL character: remove it", path: path)
    }
    try DatabaseFile.checkRegular(path)
  }

  /// Throws if a writable file was opened read-only, as SQLite does after any failure, for example
  /// with too many open files.
  static func checkWritable(
    _ database: OpaquePointer, _ schema: String, _ path: String
  ) throws(DatabaseError) {
    guard sqlite3_db_readonly(database, schema) == 1, DatabaseFile.isWritable(path) else { return }
    throw notWritable(path)
  }

  static func notWritable(_ path: String) -> DatabaseError {
    DatabaseError(
      .open, code: .cannotOpen,
      "SQLite could open the file only for reading, although its permissions allow writing: try again later",
      path: path)
  }

  /// Throws if SQLite was compiled for a single thread.
  ///
  /// See [sqlite3_threadsafe](https://www.sqlite.org/c3ref/threadsafe.html).
  static func checkThreads(_ mode: Int32) throws(DatabaseError) {
    guard mode != 0 else {
      throw DatabaseError(
        .open, code: .misuse,
        "The SQLite library in this process was built for a single thread "
          + "(SQLITE_THREADSAFE=0): link a library built with SQLITE_THREADSAFE=1 or 2")
    }
  }

  /// Throws if the process's SQLite library is not SQLCipher: plain SQLite would write the file
  /// unencrypted.
  private static func checkLibrary(_ database: OpaquePointer) throws(DatabaseError) {
    guard !isLibraryFit.load(ordering: .relaxed) else { return }
    try checkLibrary(version: try text("PRAGMA cipher_version", database))
    isLibraryFit.store(true, ordering: .relaxed)
  }

  private static let isLibraryFit = Atomic(false)

  static func checkLibrary(version: String?) throws(DatabaseError) {
    guard let version, !version.isEmpty else {
      throw DatabaseError(
        .open, code: .misuse,
        "The SQLite library in this process is not SQLCipher, so nothing would be encrypted. "
          + "If another linked library contains SQLite, link SQLCipher before it"
      ).because(.unfitLibrary)
    }
    let numbers = version.utf8.prefix { $0 != UInt8(ascii: " ") }
      .split(separator: UInt8(ascii: ".")).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    guard !numbers.lexicographicallyPrecedes(minimumVersion) else {
      throw DatabaseError(
        .open, code: .misuse,
        "SQLCipher \(version) is too old: MiniORM needs 4.6.1 or newer. Link a newer library: "
          + "scripts/install-sqlcipher of MiniORM's repository builds one"
      ).because(.unfitLibrary)
    }
  }

  /// Takes a shared lock, which prevents a replacement of the file until the first read.
  private func lock(_ database: OpaquePointer, creates: Bool) throws(DatabaseError) {
    guard DatabaseFile.isFile(path), !configuration.isImmutable else { return }
    let code = FileLock.share(database, state.interruption.waits)
    guard code == SQLITE_OK else {
      throw DatabaseError.opening(path, code: code, creates: creates)
    }
    try FileLock.checkPlace(of: database, .open, path: path)
  }

  private func setKey(
    _ key: CipherKey?, _ database: OpaquePointer, creates: Bool
  ) throws(DatabaseError) {
    try configuration.setKey(key, on: database)
    // sqlite3_key succeeds with every key; only reading shows whether the key matches.
    let code = CurrentSchema.check("main", on: database)
    guard code != SQLITE_OK else { return }
    if Self.isRefusal(code, of: key, for: path, on: database) {
      throw DatabaseError.unreadable(
        path, hasKey: key != nil, isHeadPlain: configuration.cipher.plaintextHeaderSize > 0)
    }
    throw DatabaseError.opening(path, code: code, from: database, creates: creates)
  }

  private func configure(_ database: OpaquePointer, isReadOnly: Bool) throws(DatabaseError) {
    // Defensive mode disables SQL that could damage the file. An untrusted schema may not call
    // functions with side effects. https://www.sqlite.org/security.html
    // Without DQS, a misspelt column in double quotes is an error, not a string literal.
    try configuration.register(
      on: database,
      options: [
        SQLITE_DBCONFIG_DEFENSIVE: 1, SQLITE_DBCONFIG_TRUSTED_SCHEMA: 0,
        SQLITE_DBCONFIG_DQS_DML: 0, SQLITE_DBCONFIG_DQS_DDL: 0,
        SQLITE_DBCONFIG_ENABLE_FKEY: configuration.foreignKeysEnabled ? 1 : 0,
      ])
    _ = try Self.text("PRAGMA main.cache_size = \(configuration.cachePragma)", database)
    guard !isReadOnly else { return }
    try Self.setJournalMode(
      of: "main", configuration, database, state.interruption, isAgain: state.reopening != nil)
    // The default depends on how the library was compiled.
    _ = try Self.text("PRAGMA synchronous = \(configuration.synchronous.rawValue)", database)
    if configuration.fullfsync { _ = try Self.text("PRAGMA fullfsync = ON", database) }
  }

  /// Sets the level: by default, SQLCipher logs a wrong key to the standard error.
  static func setLogLevel(
    _ configuration: Configuration, _ database: OpaquePointer
  ) throws(DatabaseError) {
    guard let level = configuration.cipherLogLevel else { return }
    _ = try text("PRAGMA cipher_log_level = \(level.rawValue)", database)
  }

  /// Sets the configured mode. Without one, a file with contents keeps its mode.
  ///
  /// Retries on SQLITE_BUSY, because SQLite does not call the busy handler here.
  /// - Parameter isAgain: True for a file that is reopened, which keeps a log that other programs use.
  /// - Returns: The mode, if it was set.
  @discardableResult
  static func setJournalMode(
    of schema: String, _ configuration: Configuration, _ database: OpaquePointer,
    _ interruption: Interruption, isAgain: Bool
  ) throws(DatabaseError) -> Configuration.JournalMode? {
    var count: Int32 = 0
    while true {
      do throws(DatabaseError) {
        var mode = configuration.journalMode
        if mode == nil, try text("PRAGMA \(schema).page_count", database) == "0" { mode = .wal }
        if let mode { _ = try text("PRAGMA \(schema).journal_mode = \(mode.rawValue)", database) }
        // The first read opens the log. On close, SQLite deletes only a log that it has opened.
        _ = try text("PRAGMA \(schema).schema_version", database)
        return mode
      } catch {
        if isAgain, hasLog(schema, database, after: error) { return nil }
        guard error.code.primary == .busy else { throw error }
        guard interruption.waits(count) else {
          throw error.adding(
            message: "the journal mode of the file cannot be changed to "
              + "\((configuration.journalMode ?? .wal).rawValue) while another connection uses the file"
          )
        }
        count += 1
      }
    }
  }

  /// True if another program's use in WAL mode prevents the switch to a rollback journal. Its
  /// readers can block the switch indefinitely, so the connection stays in WAL mode.
  static func hasLog(
    _ schema: String, _ database: OpaquePointer, after error: DatabaseError
  ) -> Bool {
    guard error.code.primary == .busy else { return false }
    return (try? text("PRAGMA \(schema).journal_mode", database)) == "wal"
  }

  /// Writes the salt of a new file. With a rollback journal, the file would stay empty until the
  /// first change, and another process could choose a different salt.
  private func writeSalt(_ database: OpaquePointer) throws(DatabaseError) {
    guard let mode = configuration.journalMode, mode != .wal, DatabaseFile.isFile(path),
      try Self.text("PRAGMA page_count", database) == "0"
    else { return }
    _ = try Self.text("BEGIN IMMEDIATE", database)
    // Another process may have written a salt since the check.
    if try Self.text("PRAGMA page_count", database) == "0" {
      _ = try Self.text("PRAGMA user_version = 0", database)
    }
    _ = try Self.text("COMMIT", database)
  }

  /// Runs a statement, and returns its first value as text.
  ///
  /// A statement that writes runs to completion, because only then is the commit certain.
  package static func text(_ sql: String, _ database: OpaquePointer) throws(DatabaseError)
    -> String?
  {
    try SQLiteLibrary.text(sql, database) {
      DatabaseError(.configure, code: $0, from: database, sql: sql)
    }
  }
}
