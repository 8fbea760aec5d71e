import CSQLCipher

extension Database {
  /// Looks for damage in the database: pages that are not as SQLCipher wrote them, tables and indexes
  /// that do not fit together, rows that break a constraint or a foreign key.
  ///
  /// ```swift
  /// let report = try await database.integrityReport()
  /// if !report.isEmpty { print(report) }
  /// ```
  /// Others read and write meanwhile: a file is read by a connection of its own, which sees one committed
  /// state. Attached files are not looked at; ``verify(path:key:configuration:)`` is for those.
  ///
  /// - Returns: What is wrong; an empty report where nothing is.
  /// - Throws: ``DatabaseError`` where the file cannot be read for another reason than damage, or where its
  ///   first page is damaged, which SQLCipher cannot tell from a wrong key; `CancellationError`.
  /// - Complexity: O(*n* log *n*) in the size of the file. Cancellation is noticed at once while SQLite
  ///   reads, and where SQLCipher checks pages, once all of them are read.
  public func integrityReport() async throws -> IntegrityReport {
    guard DatabaseFile.isFile(path) else {
      return try await withConnection(.reader) { db in
        try db.transaction(.deferred) { db in
          try IntegrityCheck(database: try db.handle, key: nil).run()
        }
      }
    }
    let original = try await withConnection(.reader) { db in try db.original }
    return try await Self.report(path, configuration) { original }
  }

  /// Looks for damage in a file without opening it as a database, such as a backup.
  ///
  /// ```swift
  /// let report = try await Database.verify(path: "backup.db", key: key)
  /// ```
  /// Another connection may have it open. No byte of it changes, nor of a file beside it. If its program was killed and left
  /// a log or a journal, a copy is checked to which that was applied: the report says what was left, and a log or a
  /// journal that belongs to another file is a problem.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - key: Its key; `nil` for a file that is not encrypted, whose pages have no codes that tell whether
  ///     they are damaged.
  ///   - configuration: Its cipher settings, and the functions and collations that its tables use.
  /// - Returns: What is wrong; an empty report where nothing is.
  /// - Throws: ``DatabaseError`` with the operation `key` for a wrong key or a damaged first page, which
  ///   SQLCipher cannot tell apart; `CancellationError`.
  /// - Complexity: O(*n* log *n*) in the size of the file. If a log or a journal was left beside the file, the folder for
  ///   temporary files needs room for a copy of the file.
  public static func verify(
    path: String, key: Key?, configuration: Configuration = Configuration()
  ) async throws -> IntegrityReport {
    try await report(path, configuration) { () throws(DatabaseError) in
      try original(path, key, configuration)
    }
  }

  /// Looks for damage in another file that has the key of this database, such as its backup.
  ///
  /// ```swift
  /// try await database.backup(to: "backup.db", replacing: true)
  /// let report = try await database.verify(path: "backup.db")
  /// ```
  /// It works as ``verify(path:key:configuration:)`` does, and the key need not be at hand: the database has it.
  /// A backup from before ``changeKey(to:)`` has the former key, and so has an export or a backup
  /// the one that it was given. A passphrase fits only files that ``backup(to:replacing:progress:)`` made, which have
  /// the salt of this one.
  /// - Parameter path: The path of the file.
  /// - Returns: What is wrong; an empty report where nothing is.
  /// - Throws: ``DatabaseError`` with the operation `key` where the file has another key or a damaged first page,
  ///   which SQLCipher cannot tell apart; `CancellationError`.
  /// - Complexity: O(*n* log *n*) in the size of the file.
  public func verify(path: String) async throws -> IntegrityReport {
    let configuration = configuration
    let own = try await withConnection(.reader) { db in try db.original }
    return try await Self.report(path, configuration) { () throws(DatabaseError) in
      try Self.original(path, sharing: own, configuration)
    }
  }

  /// Returns how a closed file is read, with a key that may not fit.
  static func original(
    _ path: String, _ key: Key?, _ configuration: Configuration
  ) throws(DatabaseError) -> FileCopy.Original {
    guard let key else { return try original(path, configuration) }
    return try original(path, configuration) { salt throws(DatabaseError) in
      try CipherKey(key, fileSalt: salt, settings: configuration.cipher)
    }
  }

  /// Returns how a closed file is read that has the key of an open one.
  static func original(
    _ path: String, sharing other: FileCopy.Original, _ configuration: Configuration
  ) throws(DatabaseError) -> FileCopy.Original {
    guard case .encrypted(let cipher) = other else { return try original(path, configuration) }
    return try original(path, configuration) { salt throws(DatabaseError) in
      CipherKey(cipher, fileSalt: salt)
    }
  }

  private static func original(
    _ path: String, _ configuration: Configuration,
    _ key: ((_ salt: [UInt8]?) throws(DatabaseError) -> CipherKey)? = nil
  ) throws(DatabaseError) -> FileCopy.Original {
    guard DatabaseFile.isFile(path), !path.utf8.contains(0) else {
      throw DatabaseError(.open, code: .misuse, "This is not the path of a file", path: path)
    }
    guard DatabaseFile.exists(path), !DatabaseFile.isDirectory(path) else {
      throw DatabaseError.opening(
        path, code: ResultCode.cannotOpen.rawValue, from: nil, isReadOnly: true, creates: false)
    }
    try DatabaseFile.checkRegular(path)
    guard let key else { return .plain }
    let settings = configuration.cipher
    let isPlain = try DatabaseFile.isPlain(path)
    guard settings.plaintextHeaderSize > 0 || !isPlain else {
      throw DatabaseError.unreadable(path, hasKey: true)
    }
    do throws(DatabaseError) {
      let salt = try DatabaseFile.salt(path, settings)
      return .encrypted(try key(salt))
    } catch {
      throw error.adding(path: path)
    }
  }

  private static func report(
    _ path: String, _ configuration: Configuration,
    _ original: @Sendable () throws(DatabaseError) -> FileCopy.Original
  ) async throws -> IntegrityReport {
    try await Ending.throwing {
      try await Connection(path: path, configuration: configuration).report(original)
    }
  }
}

extension Connection {
  /// Runs on this connection's executor, away from the threads that tasks share, with a connection to the
  /// file that no damage makes useless for others.
  fileprivate func report(
    _ original: @Sendable () throws(DatabaseError) -> FileCopy.Original
  ) throws(DatabaseError) -> IntegrityReport {
    let original = try original()
    let inspection: Inspection
    var foreign: [IntegrityReport.Problem] = []
    do throws(DatabaseError) {
      inspection = try Inspection(path, original, configuration)
    } catch {
      guard error.openingFailure == .foreignChanges else { throw error }
      // The file alone is checked, as it is without them.
      foreign = [IntegrityReport.Problem(.foreignChanges, error.message)]
      inspection = try Inspection(path, original, configuration, isAlone: true)
    }
    do throws(DatabaseError) {
      let report = try FileCopy(
        path: inspection.path, original: original, key: nil,
        configuration: inspection.configuration, progress: nil
      ).report()
      try inspection.checkUnchanged()
      return IntegrityReport(
        problems: foreign + report.problems, isComplete: report.isComplete,
        unfinishedChanges: inspection.unfinished)
    } catch {
      throw inspection.naming(error)
    }
  }
}

extension FileCopy {
  fileprivate func report() throws(DatabaseError) -> IntegrityReport {
    do throws(DatabaseError) {
      return try reading { database throws(DatabaseError) in
        try IntegrityCheck(
          database: database, key: original.key, readsLog: readsLog, freeLeaves: freeLeaves
        ).run()
      }
    } catch {
      guard error.code.primary != .interrupt, error.code.primary != .notADatabase else {
        throw error.adding(path: path)
      }
      // The schema itself may be on a damaged page, or the end of the file be gone.
      var problems = original.isEncrypted ? (try? damagedPages()) ?? [] : []
      if problems.isEmpty, error.code.primary == .corrupt {
        problems = [IntegrityReport.Problem(.structure, error.message)]
      }
      guard !problems.isEmpty else { throw error.adding(path: path) }
      return IntegrityReport(problems: problems, isComplete: false)
    }
  }

  /// Whether pages of the file can have newer versions in a log.
  var readsLog: Bool { !configuration.isImmutable }

  /// Reads one state of the file.
  func reading<Result>(
    _ body: (OpaquePointer) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let database = try open()
    defer { close(database) }
    Ending.watch(database)
    _ = try Connection.text("BEGIN", database)
    _ = try Connection.text("SELECT count(*) FROM main.sqlite_schema", database)
    return try body(database)
  }

  /// Returns the damaged pages of a file that SQLite cannot read, as far as the key fits.
  func damagedPages() throws(DatabaseError) -> [IntegrityReport.Problem] {
    let database = try open(isRead: false)
    defer { close(database) }
    return try IntegrityCheck(
      database: database, key: original.key, readsLog: readsLog, freeLeaves: freeLeaves
    ).readablePagesThatAreDamaged()
  }
}
