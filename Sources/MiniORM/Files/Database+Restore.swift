import CSQLCipher

extension Database {
  /// Puts the contents of another file, such as a backup, in the place of all that the database has.
  ///
  /// ```swift
  /// try await database.restore(from: "backup.db", key: key)
  /// ```
  /// The database stays open, and its file keeps its key. It is one transaction: readers see the old contents
  /// or the new ones, whole, and so does whoever opens the file after the process was killed. Tables may be
  /// others than before; observers are woken, and `migrate` goes on from the version of the backup.
  ///
  /// Writes wait meanwhile. With a write-ahead log reads go on; with a rollback journal they wait at the end.
  /// The other file has to have one state: it may be open elsewhere. No byte of it changes, nor of a file beside it. Pages are read and checked by their
  /// authentication codes as they are copied; a file that is not encrypted is checked before.
  ///
  /// See [SQLite Online Backup](https://www.sqlite.org/backup.html).
  /// - Parameters:
  ///   - source: The path of the other file, which has the cipher settings of this database's configuration.
  ///   - key: Its key; `nil` for one that is not encrypted.
  ///   - progress: Is called with the fraction that is copied, from 0 to 1, on a connection's executor.
  /// - Throws: ``DatabaseError`` with the operation `open` or `key` where the other file cannot be read, and
  ///   `copy`, with the code `corrupt` where it is damaged; `CancellationError`. The database has its old
  ///   contents then.
  /// - Complexity: O(*n*) in the size of the other file. The disk needs room for it in the log, and once
  ///   more where one of the two is encrypted and the other is not.
  public func restore(
    from source: String, key: Key?, progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    let configuration = configuration
    try await restore(from: source, progress) { _ throws(DatabaseError) in
      try Self.original(source, key, configuration)
    }
  }

  /// Puts the contents of another file that has the key of this database, such as its backup, in the place of all
  /// that the database has.
  ///
  /// It works as ``restore(from:key:progress:)`` does, and fits the files that ``verify(path:)`` does.
  /// - Parameters:
  ///   - source: The path of the other file.
  ///   - progress: Is called with the fraction that is copied, from 0 to 1, on a connection's executor.
  /// - Throws: ``DatabaseError`` with the operation `open` or `key` where the other file cannot be read, and
  ///   `copy`, with the code `corrupt` where it is damaged; `CancellationError`. The database has its old
  ///   contents then.
  /// - Complexity: O(*n*) in the size of the other file.
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
    _ original: @Sendable (_ own: FileCopy.Original) throws(DatabaseError) -> FileCopy.Original
  ) async throws {
    guard !configuration.isReadOnly else {
      throw DatabaseError(.copy, code: .readOnly, "The database can only be read", path: path)
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

/// What has to be the same in two databases, that pages may go from the one to the other.
private struct PageFormat: Equatable {
  var isEncrypted: Bool
  var pageSize: String?
  /// The bytes at the end of each page that are SQLCipher's.
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

/// The database that a file is restored into.
private struct RestoreTarget {
  let path: String
  let original: FileCopy.Original
  let format: PageFormat

  var key: CipherKey? {
    if case .encrypted(let key) = original { key } else { nil }
  }
}

/// A file that is ready to be restored.
private struct RestoreSource: Sendable {
  /// The path as it was given, for errors.
  let path: String
  /// What keeps the file, or a copy of it, as it is.
  let inspection: Inspection
  let file: FileCopy
  /// Whether its pages have to be written in another format first, in memory.
  let isConverted: Bool
  /// The file of our own that is read instead.
  let temporary: String?

  func removeTemporary() {
    guard let temporary else { return }
    for file in DatabaseFile.all(temporary) where DatabaseFile.exists(file) {
      try? DatabaseFile.remove(file)
    }
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

  /// Looks whether a file can be restored, and writes it in the format of the database where it has
  /// another one. It runs on this connection's executor, with connections of its own.
  fileprivate func prepareRestoring(
    _ original: @Sendable (_ own: FileCopy.Original) throws(DatabaseError) -> FileCopy.Original,
    into target: RestoreTarget
  ) throws(DatabaseError) -> RestoreSource {
    let original = try original(target.original)
    if DatabaseFile.isFile(target.path),
      let identity = OpenFile.Identity(path), identity == OpenFile.Identity(target.path)
    {
      throw DatabaseError(
        .copy, code: .misuse, "A database cannot be restored from itself", path: path)
    }
    let inspection = try Inspection(path, original, configuration)
    do throws(DatabaseError) {
      return try prepareRestoring(original, inspection, into: target)
    } catch {
      throw inspection.naming(error)
    }
  }

  private func prepareRestoring(
    _ original: FileCopy.Original, _ inspection: Inspection, into target: RestoreTarget
  ) throws(DatabaseError) -> RestoreSource {
    var file = FileCopy(
      path: inspection.path, original: original, key: target.key,
      configuration: inspection.configuration, progress: nil)
    file.pageSize = target.format.pageSize
    file.isPrivate = true
    let format = try file.reading { [file] database throws(DatabaseError) in
      if !original.isEncrypted {
        let damage = try IntegrityCheck.damage(path: path) { () throws(DatabaseError) in
          try Connection.text("PRAGMA main.quick_check(1)", database)
        }
        if let damage {
          throw file.failure(.corrupt, "The file is damaged, so nothing was restored: \(damage)")
        }
      }
      return try PageFormat(database, isEncrypted: original.isEncrypted)
    }
    guard format.encoding == target.format.encoding else {
      throw file.failure(
        .misuse,
        "The text of this file is in \(format.encoding ?? "another encoding"), and that of the database "
          + "in \(target.format.encoding ?? "another one"), which cannot change while it is open")
    }
    if format == target.format {
      return RestoreSource(
        path: path, inspection: inspection, file: file, isConverted: false, temporary: nil)
    }
    guard DatabaseFile.isFile(target.path) else {
      return RestoreSource(
        path: path, inspection: inspection, file: file, isConverted: true, temporary: nil)
    }
    let random = UInt64.random(in: .min ... .max)
    let temporary =
      "\(DatabaseFile.resolved(target.path)).miniorm-\(String(random, radix: 36))"
    try file.run(to: temporary)
    let converted = FileCopy(
      path: temporary, original: target.original, key: nil, configuration: configuration,
      progress: nil)
    return RestoreSource(
      path: path, inspection: inspection, file: converted, isConverted: false, temporary: temporary)
  }

  /// Copies the pages of a file into this database. The last step commits.
  fileprivate func restore(
    _ backup: RestoreSource, _ progress: (@Sendable (Double) -> Void)?
  ) throws(DatabaseError) {
    let database = try handle
    let file = backup.file
    let source = try file.open()
    defer { file.close(source) }
    if backup.isConverted { try file.convertInMemory(source) }
    Ending.watch(source)
    do throws(DatabaseError) {
      // The last step commits, and may be the one that reads zeros, of which SQLite learns too late.
      if !backup.isConverted, file.original.isEncrypted, try !file.damagedPages().isEmpty {
        throw DatabaseError(.copy, code: .corrupt, "The backup is damaged", path: backup.path)
      }
      let pages = PageCopy(
        source: source, sourceName: backup.isConverted ? "copy" : "main", destination: database,
        path: backup.path, progress: progress)
      try pages.run { () throws(DatabaseError) in try state.interruption.checkStatement() }
    } catch {
      throw backup.inspection.naming(file.explained(error, "nothing was restored"))
    }
    state.interruption.shielding {
      // The first page may speak of another journal.
      if configuration.journalMode != .wal {
        _ = try? Self.text(
          "PRAGMA main.journal_mode = \(configuration.journalMode.rawValue)", database)
      }
    }
    try? moveLogIntoFile()
  }
}

extension FileCopy {
  /// Writes the rows into a database in memory that is not encrypted, for one that is in memory itself.
  fileprivate func convertInMemory(_ source: OpaquePointer) throws(DatabaseError) {
    let attachment = Attachment(name: "copy", path: ":memory:", cipher: key, isImmutable: false)
    let code = attachment.attachFile(to: source)
    guard code == SQLITE_OK else {
      throw DatabaseError(.copy, code: code, from: source, path: path)
    }
    try writeRows(":memory:", from: source)
  }
}
