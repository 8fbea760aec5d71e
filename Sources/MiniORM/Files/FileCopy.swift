import CSQLCipher

/// Copies a database into a temporary file beside the destination, compares the rows, syncs the
/// file to the disk, and renames it.
///
/// See [sqlcipher_export](https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlcipher_export).
package struct FileCopy {
  package let path: String
  package let original: CipherKey?
  package let key: CipherKey?
  package let configuration: Configuration
  package let progress: (@Sendable (Double) -> Void)?
  var copiesPages = false
  var isPrivate = false
  /// The page size of an unencrypted copy; nil for the page size of the original.
  var pageSize: String?

  package init(
    path: String, original: CipherKey?, key: CipherKey?, configuration: Configuration,
    progress: (@Sendable (Double) -> Void)?
  ) {
    (self.path, self.original, self.key) = (path, original, key)
    (self.configuration, self.progress) = (configuration, progress)
  }

  /// Copies a single committed state, while other connections may read and write.
  /// - Parameter replacing: True if the copy may replace a file.
  func run(to destination: String, replacing: Bool = false) throws(DatabaseError) {
    guard DatabaseFile.isFile(destination), !destination.utf8.contains(0) else {
      throw failure(.misuse, "\(destination) is not a file path: give the path of a file")
    }
    guard replacing || !DatabaseFile.exists(destination) && !DatabaseFile.isLink(destination) else {
      throw failure(.cannotOpen, "There is a file at \(destination) already: choose another path")
    }
    let file = replacing ? DatabaseFile.resolved(destination) : destination
    if DatabaseFile.exists(file) { return try replace(file) }
    try withCopy(beside: file, isAlone: false) { (copy, _) throws(DatabaseError) in
      try move(to: file) { DatabaseFile.move(copy, toFree: $0) }
    }
  }

  /// Replaces an existing file that no connection has open.
  private func replace(_ file: String) throws(DatabaseError) {
    guard !DatabaseFile.isDirectory(file) else {
      throw failure(.cannotOpen, "\(file) is a folder: choose the path of a file")
    }
    guard DatabaseFile.isRegular(file) else {
      throw failure(.cannotOpen, "\(file) is not a regular file: choose another path")
    }
    try whileClosed(file) {}
    let exclusive = try exclusiveFile(file)
    // SQLite finds a log by name, and would apply the replaced file's log to the copy.
    let (log, journal) = (file + "-wal", file + "-journal")
    if DatabaseFile.size(log) > 0 || DatabaseFile.isHot(journal) {
      throw failure(
        .busy,
        "\(DatabaseFile.size(log) > 0 ? log : journal) contains changes of the file that would be "
          + "replaced: open that file once and close it, or delete both files")
    }
    try withCopy(beside: file, isAlone: false) { (copy, _) throws(DatabaseError) in
      try put(copy, over: file, lockedBy: exclusive.database)
    }
  }

  func exclusiveFile(_ file: String) throws(DatabaseError) -> ExclusiveFile {
    do throws(DatabaseError) {
      return try ExclusiveFile(file, waiting: configuration.busyMilliseconds, .copy)
    } catch {
      throw failure(error.code, error.message)
    }
  }

  /// - Parameter database: A connection that holds the file's exclusive lock.
  private func put(
    _ copy: String, over file: String, lockedBy database: OpaquePointer
  ) throws(DatabaseError) {
    try whileClosed(file) { () throws(DatabaseError) in
      try FileLock.checkPlace(of: database, .copy, path: path)
      // SQLite finds a journal by name: a leftover journal would be applied to the new file. The
      // journal may also hold unencrypted pages.
      try DatabaseFile.removeJournal(file + "-journal", .copy, path: path)
      // A killed process may have left the -shm file. No connection has it open.
      if DatabaseFile.exists(file + "-shm") { try? DatabaseFile.remove(file + "-shm") }
      DatabaseFile.synchronizeFolder(DatabaseFile.parent(file))
      try move(to: file) { DatabaseFile.move(copy, over: $0) }
    }
  }

  /// Runs a closure while no task of this process can open a file. Throws if the file is open.
  package func whileClosed(
    _ file: String, named name: String? = nil, _ body: () throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    guard try OpenFile.ifClosed(file, body) != nil else {
      throw failure(.busy, "\(name ?? file) is open in this process: close it first")
    }
  }

  /// Replaces the original with the copy. No other connection may have the original open.
  func replaceOriginal() throws(DatabaseError) {
    // A symbolic link is kept. The log and the journal are beside its target.
    let file = DatabaseFile.resolved(path)
    try whileClosed(file, named: "The file") {}
    let names = DatabaseFile.nameCount(file)
    guard names < 2 else {
      throw failure(
        .misuse,
        "The file has \(names) hard links, and the operation would replace only this one: delete the other links first"
      )
    }
    try withCopy(beside: file, isAlone: true) { (copy, source) throws(DatabaseError) in
      try put(copy, over: file, lockedBy: source)
    }
  }

  // MARK: Steps

  /// Writes a temporary copy, which is deleted after an error.
  /// - Parameters:
  ///   - isAlone: True to lock other connections out of the original until the copy is in place.
  ///   - place: Moves the complete copy to the destination.
  func withCopy(
    beside destination: String, isAlone: Bool,
    place: (_ copy: String, _ source: OpaquePointer) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    let handle = try open(isAlone: isAlone)
    let source = handle.database
    var mode: String?
    do throws(DatabaseError) {
      if isAlone {
        mode = try Connection.text("PRAGMA main.journal_mode", source)
        try leaveLog(source)
      }
      let model = isPrivate ? nil : isAlone ? destination : path
      try withTemporaryFile(beside: destination, permissionsOf: model) {
        copy throws(DatabaseError) in
        if copiesPages {
          try writePages(copy, from: source)
        } else {
          try write(copy, from: source, isSeparate: !isAlone)
        }
      } place: { copy throws(DatabaseError) in
        try place(copy, source)
      }
    } catch {
      // After a rename, the log and the journal at the path belong to a different file.
      if let mode, !FileLock.hasMoved(source) { returnToLog(source, mode) }
      throw error
    }
    progress?(1)
  }

  /// Writes a temporary file, syncs it to the disk, and moves it to its place. Deletes the file, its
  /// log and its journal after an error.
  package func withTemporaryFile<Result>(
    beside destination: String, permissionsOf model: String?,
    _ write: (_ copy: String) throws(DatabaseError) -> Result,
    place: (_ copy: String) throws(DatabaseError) -> Void
  ) throws(DatabaseError) -> Result {
    let copy = DatabaseFile.temporaryName(beside: destination)
    defer { DatabaseFile.removeAll(copy) }
    guard DatabaseFile.create(copy) else {
      let error = DatabaseError.opening(copy, code: SQLITE_CANTOPEN, creates: true)
      throw failure(.cannotOpen, error.message)
    }
    let result = try write(copy)
    if let reason = DatabaseFile.synchronize(copy, permissionsOf: model) {
      throw failure(
        .inputOutput,
        "The copy could not be synced to the disk: \(reason). Remove the cause and try again")
    }
    try place(copy)
    // After a power loss, the folder has the old or the new entry. Both files are complete.
    DatabaseFile.synchronizeFolder(DatabaseFile.parent(destination))
    return result
  }

  /// - Parameter move: Returns the system's error text on failure.
  package func move(
    to file: String, _ move: (_ name: String) -> String?
  ) throws(DatabaseError) {
    guard let reason = move(file) else { return }
    throw failure(
      .inputOutput,
      "The copy could not be moved to \(file): \(reason). Remove the cause and try again")
  }

  /// Opens the file to copy.
  /// - Parameters:
  ///   - isRead: True to take a shared lock, and to check the key by reading the schema.
  ///   - isAlone: True to block other connections' writes until this connection closes.
  package func open(isRead: Bool = true, isAlone: Bool = false) throws(DatabaseError)
    -> SQLiteHandle
  {
    guard DatabaseFile.exists(path) else {
      throw failure(.cannotOpen, "The file does not exist: check the path")
    }
    try DatabaseError.adding(operation: .copy) { () throws(DatabaseError) in
      try DatabaseFile.checkRegular(path)
    }
    // ATTACH creates a file only if the main connection has SQLITE_OPEN_CREATE. The original may
    // have been deleted since the check.
    let name = DatabaseFile.name(path, configuration, mustExist: true)
    let handle = try SQLiteHandle(name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) {
      DatabaseError.opening(path, code: $0, from: $1).adding(operation: .copy)
    }
    sqlite3_extended_result_codes(handle.database, 1)
    sqlite3_busy_timeout(handle.database, configuration.busyMilliseconds)
    if isAlone || isRead { try lock(handle.database, isAlone: isAlone) }
    try setKey(handle.database, isRead: isRead)
    // Defensive mode stays off, because sqlcipher_export writes the schema as VACUUM does.
    try configuration.register(on: handle.database, options: [SQLITE_DBCONFIG_TRUSTED_SCHEMA: 0])
    return handle
  }

  private func setKey(_ database: OpaquePointer, isRead: Bool) throws(DatabaseError) {
    try configuration.setKey(original, on: database)
    try Connection.setLogLevel(configuration, database)
    let code = isRead ? CurrentSchema.check("main", on: database) : SQLITE_OK
    guard code != SQLITE_OK else { return }
    if code & 0xff == SQLITE_NOTADB {
      throw DatabaseError.unreadable(path, hasKey: original != nil)
    }
    throw DatabaseError(.copy, code: code, from: database, path: path)
  }

  /// Prevents a replacement until the first read. With `isAlone`, prevents replacement and other
  /// writes until this connection closes.
  private func lock(_ database: OpaquePointer, isAlone: Bool) throws(DatabaseError) {
    guard isAlone || !configuration.isImmutable else { return }
    try FileLock.take(
      isExclusive: isAlone, of: database, waiting: configuration.busyMilliseconds, .copy, path: path
    )
    guard isAlone else { return }
    try checkBeside()
    let code = FileLock.downgrade(database)
    guard code == SQLITE_OK else {
      throw DatabaseError(.copy, code: code, from: nil, path: path)
    }
    // In this mode, SQLite keeps every lock that it acquires.
    _ = try Connection.text("PRAGMA main.locking_mode = EXCLUSIVE", database)
  }

  /// Checks a leftover log or journal. Under the caller's lock, no connection can create either.
  private func checkBeside() throws(DatabaseError) {
    let file = DatabaseFile.resolved(path)
    do throws(DatabaseError) {
      try FilesBeside(file, isWritten: false).check(FileBytes(file), path, original)
    } catch {
      throw error.openingFailure == .wrongKey ? error : error.adding(operation: .copy)
    }
  }

  /// Switches to a truncated journal. On close, SQLite would delete a journal by name, which may
  /// belong to the new file by then.
  private func leaveLog(_ database: OpaquePointer) throws(DatabaseError) {
    try copying { () throws(DatabaseError) in
      let now = try Connection.text("PRAGMA main.journal_mode = TRUNCATE", database)
      guard now == "truncate" else {
        throw failure(.busy, "Another connection has the file open: close it first")
      }
      _ = try Connection.text("BEGIN EXCLUSIVE", database)
      _ = try Connection.text("COMMIT", database)
    }
  }

  private func returnToLog(_ database: OpaquePointer, _ mode: String) {
    _ = try? Connection.text("PRAGMA main.journal_mode = \(mode)", database)
    let journal = DatabaseFile.resolved(path) + "-journal"
    // The journal is empty after TRUNCATE.
    if mode == "wal", DatabaseFile.exists(journal), DatabaseFile.size(journal) == 0 {
      try? DatabaseFile.remove(journal)
    }
  }

  /// Runs a closure whose errors become errors of the copy.
  func copying<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    do throws(DatabaseError) {
      return try body()
    } catch {
      throw DatabaseError(.copy, code: error.code, error.message, sql: error.sql, path: path)
    }
  }

  package func failure(_ code: ResultCode, _ message: String) -> DatabaseError {
    DatabaseError(.copy, code: code, message, path: path)
  }
}
