import CSQLCipher

extension Database {
  /// Checks the database for damage: damaged pages, inconsistent tables and indexes, and rows that
  /// violate a constraint or a foreign key.
  ///
  /// ```swift
  /// let report = try await database.integrityReport()
  /// if !report.isEmpty { print(report) }
  /// ```
  /// Other connections can read and write during the check: a separate connection reads a single
  /// committed state. To check an attached file, call ``verify(path:key:configuration:)``.
  ///
  /// - Returns: The problems found; an empty report if the file is intact.
  /// - Throws: ``DatabaseError`` if the file cannot be read for a reason other than damage, or if
  ///   the first page is damaged, which SQLCipher reports like a wrong key; `CancellationError`.
  /// - Complexity: O(*n* log *n*) in the size of the file. Cancellation takes effect within a
  ///   thousand pages.
  public func integrityReport() async throws -> IntegrityReport {
    guard DatabaseFile.isFile(path) else {
      return try await withConnection(.reader) { db in
        try db.transaction(.deferred) { db in
          try IntegrityCheck(database: try db.handle, key: nil).run()
        }
      }
    }
    return try await withOriginal { original in
      try await Self.report(path, configuration) { original }
    }
  }

  /// Checks a file for damage, for example a backup, without opening the file as a database.
  ///
  /// ```swift
  /// let report = try await Database.verify(path: "backup.db", key: key)
  /// ```
  /// Another connection may have the file open. The file, its log and its journal are not changed.
  /// If a killed program left a log or a journal, this method applies the changes to a copy, checks
  /// the copy, and reports the leftover changes. A log or a journal of a different file is reported
  /// as a problem.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - key: The file's key; `nil` for an unencrypted file. Such a file has no authentication
  ///     codes, so not every damaged page can be detected.
  ///   - configuration: The cipher settings, and the functions and collations that the tables use.
  /// - Returns: The problems found; an empty report if the file is intact.
  /// - Throws: ``DatabaseError`` with the operation `key` for a wrong key or a damaged first page,
  ///   which SQLCipher reports in the same way; `CancellationError`.
  /// - Complexity: O(*n* log *n*) in the size of the file. If a log or a journal was left beside
  ///   the file, the folder for temporary files needs room for a copy.
  public static func verify(
    path: String, key: Key?, configuration: Configuration = Configuration()
  ) async throws -> IntegrityReport {
    try await verify(path: path, key: key, configuration: configuration, progress: nil)
  }

  /// - Parameter progress: Receives the finished fraction.
  package static func verify(
    path: String, key: Key?, configuration: Configuration,
    progress: (@Sendable (Double) -> Void)?
  ) async throws -> IntegrityReport {
    try await report(path, configuration, progress) { () throws(DatabaseError) in
      try original(path, key, configuration)
    }
  }

  /// Checks a file that has the same key as this database, such as a backup, for damage.
  ///
  /// ```swift
  /// try await database.backup(to: "backup.db", replacing: true)
  /// let report = try await database.verify(path: "backup.db")
  /// ```
  /// This method works like ``verify(path:key:configuration:)``. Files with a different key cannot
  /// be checked: a backup from before ``changeKey(to:)``, and a backup or an export with an
  /// explicit key. If the key is a passphrase, only files from ``backup(to:replacing:progress:)``
  /// match, because these files have the same salt.
  /// - Parameter path: The path of the file.
  /// - Returns: The problems found; an empty report if the file is intact.
  /// - Throws: ``DatabaseError`` with the operation `key` for a different key or a damaged first
  ///   page, which SQLCipher reports in the same way; `CancellationError`.
  /// - Complexity: O(*n* log *n*) in the size of the file.
  public func verify(path: String) async throws -> IntegrityReport {
    let configuration = configuration
    return try await withOriginal { own in
      try await Self.report(path, configuration) { () throws(DatabaseError) in
        try Self.original(path, sharing: own, configuration)
      }
    }
  }

  /// Returns the encryption of a closed file, without verifying the key.
  package static func original(
    _ path: String, _ key: Key?, _ configuration: Configuration
  ) throws(DatabaseError) -> CipherKey? {
    let salt = try salt(of: path, hasKey: key != nil, configuration)
    return try DatabaseError.adding(path: path) { () throws(DatabaseError) in
      try key.map { key throws(DatabaseError) in
        try CipherKey(key, fileSalt: salt, settings: configuration.cipher)
      }
    }
  }

  static func original(
    _ path: String, sharing other: CipherKey?, _ configuration: Configuration
  ) throws(DatabaseError) -> CipherKey? {
    let salt = try salt(of: path, hasKey: other != nil, configuration)
    return other.map { CipherKey($0, fileSalt: salt) }
  }

  private static func salt(
    of path: String, hasKey: Bool, _ configuration: Configuration
  ) throws(DatabaseError) -> [UInt8]? {
    guard DatabaseFile.isFile(path), !path.utf8.contains(0) else {
      throw DatabaseError(
        .open, code: .misuse, "Only a file can be checked: give the path of a file", path: path)
    }
    guard DatabaseFile.exists(path), !DatabaseFile.isDirectory(path) else {
      throw DatabaseError.opening(path, code: SQLITE_CANTOPEN)
    }
    try DatabaseFile.checkRegular(path)
    guard hasKey else { return nil }
    let isPlain = try DatabaseFile.isPlain(path)
    guard configuration.cipher.plaintextHeaderSize > 0 || !isPlain else {
      throw DatabaseError.unreadable(path, hasKey: true)
    }
    return try DatabaseFile.salt(path, configuration.cipher)
  }

  private static func report(
    _ path: String, _ configuration: Configuration,
    _ progress: (@Sendable (Double) -> Void)? = nil,
    _ original: @Sendable () throws(DatabaseError) -> CipherKey?
  ) async throws -> IntegrityReport {
    try await Ending.throwing {
      try await Connection(path: path, configuration: configuration).report(progress, original)
    }
  }
}

extension Connection {
  /// Runs on this connection's executor, off the cooperative thread pool. Damage makes a connection
  /// unusable, so the check opens a separate connection.
  fileprivate func report(
    _ progress: (@Sendable (Double) -> Void)?,
    _ original: @Sendable () throws(DatabaseError) -> CipherKey?
  ) throws(DatabaseError) -> IntegrityReport {
    let original = try original()
    let inspection: Inspection
    var foreign: [IntegrityReport.Problem] = []
    do throws(DatabaseError) {
      inspection = try Inspection(path, original, configuration)
    } catch {
      guard error.openingFailure == .foreignChanges else { throw error }
      foreign = [IntegrityReport.Problem(.foreignChanges, error.message)]
      inspection = try Inspection(path, original, configuration, isAlone: true)
    }
    do throws(DatabaseError) {
      let report = try FileCopy(
        path: inspection.path, original: original, key: nil,
        configuration: inspection.configuration, progress: progress
      ).report()
      try inspection.checkUnchanged()
      return IntegrityReport(
        problems: foreign + report.problems, isComplete: report.isComplete,
        unfinishedChanges: inspection.unfinished, notChecked: report.notChecked)
    } catch {
      throw inspection.naming(error)
    }
  }
}

extension FileCopy {
  fileprivate func report() throws(DatabaseError) -> IntegrityReport {
    do throws(DatabaseError) {
      return try reading { database throws(DatabaseError) in
        let steps = CopyProgress(path, total: DatabaseFile.size(path), report: progress)
        let check = IntegrityCheck(
          database: database, key: original, readsLog: readsLog, freeLeaves: freeLeaves,
          progress: steps)
        guard progress != nil else { return try check.run() }
        return try steps.watching(database, every: 1_000) { () throws(DatabaseError) in
          try check.run()
        }
      }
    } catch {
      let isRefused = [.notADatabase, .error].contains(error.code.primary)
      if isRefused, original == nil, DatabaseFile.isPlainAtItsHeadOnly(path) {
        throw DatabaseError.unreadable(path, hasKey: false)
      }
      guard error.code.primary != .interrupt, error.code.primary != .notADatabase else {
        throw error.adding(path: path)
      }
      // The schema may be on a damaged page, or the end of the file may be missing.
      var problems = original != nil ? (try? damagedPages()) ?? [] : []
      if problems.isEmpty, error.code.primary == .corrupt {
        problems = [IntegrityReport.Problem(.structure, error.message)]
      }
      guard !problems.isEmpty else { throw error.adding(path: path) }
      return IntegrityReport(problems: problems, isComplete: false)
    }
  }

  var readsLog: Bool { !configuration.isImmutable }

  /// Runs a closure in a read transaction on a separate connection.
  func reading<Result>(
    _ body: (OpaquePointer) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let handle = try open()
    let database = handle.database
    Ending.watch(database)
    _ = try Connection.text("BEGIN", database)
    _ = try Connection.text("SELECT count(*) FROM main.sqlite_schema", database)
    return try body(database)
  }

  /// Returns the damaged pages of a file that SQLite cannot read, if the key matches.
  func damagedPages() throws(DatabaseError) -> [IntegrityReport.Problem] {
    let handle = try open(isRead: false)
    return try IntegrityCheck(
      database: handle.database, key: original, readsLog: readsLog, freeLeaves: freeLeaves
    ).readablePagesThatAreDamaged()
  }
}
