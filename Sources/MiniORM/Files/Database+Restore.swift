import CSQLCipher

extension Database {
  /// Replaces the contents of the database with the contents of a file, for example a backup.
  ///
  /// ```swift
  /// try await database.restore(from: "backup.db", key: key)
  /// ```
  /// The database stays open, and the file keeps its key. The restore is a single transaction:
  /// readers see either the complete old contents or the complete new contents, even if the process
  /// is killed. Tables may differ from the current tables: observers are notified, and `migrate`
  /// continues from the version of the backup.
  ///
  /// Writes wait during the restore. With a write-ahead log, reads continue; with a rollback
  /// journal, reads wait at the end. The source file may be open elsewhere, but must not change
  /// during the restore. The source file, its log and its journal are not changed. The
  /// authentication code of each page of an encrypted source file is checked. An unencrypted source
  /// file is checked before the copy.
  ///
  /// See [SQLite Online Backup](https://www.sqlite.org/backup.html).
  /// - Parameters:
  ///   - source: The path of the source file. The cipher settings must match this database's
  ///     configuration.
  ///   - key: The key of the source file; `nil` for an unencrypted file.
  ///   - progress: Receives the copied fraction, from 0 to 1, on a connection's executor.
  /// - Throws: ``DatabaseError`` with the operation `open` or `key` if the source file cannot be
  ///   read, and with the operation `copy` and the code `corrupt` if the file is damaged;
  ///   `CancellationError`. After an error, the database has the old contents.
  /// - Complexity: O(*n*) in the size of the source file. The disk needs room for these contents in
  ///   the log, and once more if only the source or only the database is encrypted.
  public func restore(
    from source: String, key: Key?, progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    let configuration = configuration
    try await restore(from: source, progress) { _ throws(DatabaseError) in
      try Self.original(source, key, configuration)
    }
  }

  /// Replaces the contents of the database with the contents of a file that has the same key, such
  /// as a backup.
  ///
  /// This method works like ``restore(from:key:progress:)``, and accepts the same files as
  /// ``verify(path:)``.
  /// - Parameters:
  ///   - source: The path of the source file.
  ///   - progress: Receives the copied fraction, from 0 to 1, on a connection's executor.
  /// - Throws: ``DatabaseError`` with the operation `open` or `key` if the source file cannot be
  ///   read, and with the operation `copy` and the code `corrupt` if the file is damaged;
  ///   `CancellationError`. After an error, the database has the old contents.
  /// - Complexity: O(*n*) in the size of the source file.
  public func restore(
    from source: String, progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    let configuration = configuration
    try await restore(from: source, progress) { own throws(DatabaseError) in
      try Self.original(source, sharing: own, configuration)
    }
  }

  private func restore(
    from source: String, _ progress: (@Sendable (Double) -> Void)?,
    _ original: @Sendable (_ own: CipherKey?) throws(DatabaseError) -> CipherKey?
  ) async throws {
    guard !configuration.isReadOnly else {
      throw DatabaseError(
        .copy, code: .readOnly,
        "The database is open for reading only: restore it through a Database that can write",
        path: path)
    }
    let format = try await withConnection(.reader) { db in try db.format }
    try await Ending.throwing { () async throws in
      let backup = try await Connection(path: source, configuration: configuration)
        .prepareRestoring(original, into: format)
      defer { backup.removeTemporary() }
      try await rewritingFreePages {
        try await withConnection(.writer) { db in try db.restore(backup, progress) }
      }
    }
    observationHub.publishEverything()
    progress?(1)
  }
}

/// The format of a file. Pages are copied only between files of equal formats.
private struct PageFormat: Equatable {
  var isEncrypted: Bool
  var pageSize: String?
  /// The number of bytes at the end of each page that SQLCipher reserves.
  var reserved: Int32
  var encoding: String?

  init(_ database: OpaquePointer, isEncrypted: Bool) throws(DatabaseError) {
    self.isEncrypted = isEncrypted
    pageSize = try Connection.text("PRAGMA main.page_size", database)
    encoding = try Connection.text("PRAGMA main.encoding", database)
    reserved = -1
    sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
  }
}

private struct RestoreTarget {
  let path: String
  let original: CipherKey?
  let format: PageFormat
}

private struct RestoreSource: Sendable {
  /// The path as the caller passed it, for errors.
  let path: String
  let inspection: Inspection
  var file: FileCopy
  /// True if the rows are first copied into an in-memory database with the target's page format.
  var isConverted = false
  /// A converted copy on the disk, which is read instead of the file.
  var temporary: String?

  func removeTemporary() {
    if let temporary { DatabaseFile.removeAll(temporary) }
  }
}

extension Connection {
  fileprivate var format: RestoreTarget {
    get throws(DatabaseError) {
      RestoreTarget(
        path: path, original: try original,
        format: try PageFormat(try handle, isEncrypted: cipher != nil))
    }
  }

  /// Converts the file to the database's format if necessary, off the cooperative thread pool.
  fileprivate func prepareRestoring(
    _ original: @Sendable (_ own: CipherKey?) throws(DatabaseError) -> CipherKey?,
    into target: RestoreTarget
  ) throws(DatabaseError) -> RestoreSource {
    let original = try original(target.original)
    if DatabaseFile.isFile(target.path),
      let identity = OpenFile.Identity(path), identity == OpenFile.Identity(target.path)
    {
      throw DatabaseError(
        .copy, code: .misuse,
        "A database cannot be restored from itself: give the path of a backup", path: path)
    }
    let inspection = try Inspection(path, original, configuration)
    do throws(DatabaseError) {
      return try prepareRestoring(original, inspection, into: target)
    } catch {
      throw inspection.naming(error)
    }
  }

  private func prepareRestoring(
    _ original: CipherKey?, _ inspection: Inspection, into target: RestoreTarget
  ) throws(DatabaseError) -> RestoreSource {
    var file = FileCopy(
      path: inspection.path, original: original, key: target.original,
      configuration: inspection.configuration, progress: nil)
    file.pageSize = target.format.pageSize
    file.isPrivate = true
    let format = try file.reading { [file] database throws(DatabaseError) in
      if original == nil {
        let damage = try IntegrityCheck.damage(path: path) { () throws(DatabaseError) in
          try Connection.text("PRAGMA main.quick_check(1)", database)
        }
        if let damage {
          throw file.failure(
            .corrupt,
            "The file is damaged, so nothing was restored: \(damage). Restore another backup, or recover the "
              + "readable rows with Database.salvage")
        }
      }
      return try PageFormat(database, isEncrypted: original != nil)
    }
    guard format.encoding == target.format.encoding else {
      throw file.failure(
        .misuse,
        "The file stores text as \(format.encoding ?? "another encoding"), and the database stores text as "
          + "\(target.format.encoding ?? "another encoding"). The encoding of an open database cannot change"
      )
    }
    var backup = RestoreSource(path: path, inspection: inspection, file: file)
    guard format != target.format else { return backup }
    guard DatabaseFile.isFile(target.path) else {
      backup.isConverted = true
      return backup
    }
    let temporary = DatabaseFile.temporaryName(beside: DatabaseFile.resolved(target.path))
    try file.run(to: temporary)
    backup.temporary = temporary
    backup.file = FileCopy(
      path: temporary, original: target.original, key: nil, configuration: configuration,
      progress: nil)
    return backup
  }

  /// Copies the pages of a file into this database. The last step commits.
  fileprivate func restore(
    _ backup: RestoreSource, _ progress: (@Sendable (Double) -> Void)?
  ) throws(DatabaseError) {
    let database = try handle
    let isLogged = try Self.text("PRAGMA main.journal_mode", database) == "wal"
    // The restore may repair a database whose schema cannot be read.
    let record = (try? BackupRecord.read(database)) ?? nil
    let file = backup.file
    let handle = try file.open()
    let source = handle.database
    if backup.isConverted { try file.convertInMemory(source) }
    Ending.watch(source)
    do throws(DatabaseError) {
      // SQLCipher reads a damaged page as zeros, and SQLite detects the error only on the next
      // read. The last step commits without a further read.
      if !backup.isConverted, file.original != nil, try !file.damagedPages().isEmpty {
        throw DatabaseError(
          .copy, code: .corrupt, "The backup is damaged: restore another backup", path: backup.path)
      }
      let pages = PageCopy(
        source: source, sourceName: backup.isConverted ? "copy" : "main", destination: database,
        path: backup.path, progress: progress)
      try pages.run { () throws(DatabaseError) in try state.interruption.checkStatement() }
    } catch {
      throw backup.inspection.naming(file.explained(error, "nothing was restored"))
    }
    state.interruption.shielding {
      keep(record, database)
      // The restored first page may declare a different journal mode.
      if !isLogged {
        let mode = configuration.journalMode ?? .delete
        _ = try? Self.text("PRAGMA main.journal_mode = \(mode.rawValue)", database)
      }
    }
    try? moveLogIntoFile()
  }

  /// The database stays the same for its continuous backup. A failure does not undo the restore.
  private func keep(_ record: BackupRecord?, _ database: OpaquePointer) {
    do throws(DatabaseError) {
      guard try BackupRecord.read(database) != record else { return }
      _ = try Self.text("BEGIN IMMEDIATE", database)
      try BackupRecord.write(record, database)
      _ = try Self.text("COMMIT", database)
    } catch {
      if sqlite3_get_autocommit(database) == 0 {
        sqlite3_exec(database, "ROLLBACK", nil, nil, nil)
      }
    }
  }
}

extension FileCopy {
  /// Converts the rows into an unencrypted in-memory database, for a target in memory.
  fileprivate func convertInMemory(_ source: OpaquePointer) throws(DatabaseError) {
    let attachment = Attachment(name: "copy", path: ":memory:", cipher: key, isImmutable: false)
    let code = attachment.attachFile(to: source)
    guard code == SQLITE_OK else {
      throw DatabaseError(.copy, code: code, from: source, path: path)
    }
    try writeRows(":memory:", from: source)
  }
}
