extension Database {
  /// Copies the database into a new file with its own key: a compact backup during reads and
  /// writes, or a copy with a different key or without encryption.
  ///
  /// ```swift
  /// try await database.export(to: "backup.db", key: .passphrase(passphrase))
  /// ```
  /// The copy contains a single committed state: tables, indexes, views, triggers, full-text and
  /// R*Tree indexes, rowids, sequences, statistics, `user_version`, `application_id` and
  /// `auto_vacuum`. The copy has no free pages. Before the copy is renamed to `destination`, this
  /// method compares every cell and runs the integrity and foreign key checks. So `destination`
  /// never contains an incomplete copy. If the process is killed, delete the file whose name ends
  /// in `.miniorm-` and a number.
  ///
  /// See [sqlcipher_export](https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlcipher_export).
  /// - Parameters:
  ///   - destination: The path of the new file. The disk needs room for the new file only.
  ///   - key: The key of the new file. `nil` creates an unencrypted file.
  ///   - progress: Receives the written fraction, from 0 to 1, on the copy's own executor.
  /// - Throws: ``DatabaseError`` with the operation `copy`, and with the code `cannotOpen` if a
  ///   file exists at `destination`; `CancellationError`. After an error there is no new file.
  /// - Complexity: O(*n*) in the size of the file.
  public func export(
    to destination: String, key: Key?, progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    guard DatabaseFile.isFile(path) else {
      throw DatabaseError(
        .copy, code: .misuse,
        "Only a database in a file can be exported: use VACUUM INTO in withoutTransaction",
        path: path)
    }
    try await withOriginal { original in
      try await Ending.throwing {
        try await Connection(path: path, configuration: writer.configuration)
          .copy(original, key, progress) { copy throws(DatabaseError) in
            try copy.run(to: destination)
          }
      }
    }
  }

  /// Encrypts a file in place.
  ///
  /// ```swift
  /// try await Database.encrypt(path: "app.db", key: .passphrase(passphrase))
  /// ```
  /// The encrypted file is written beside the original, compared with the original cell by cell,
  /// and renamed. If the process is killed, the path contains either the complete original or the
  /// complete encrypted file. The file system gets the blocks of the plain file back, and does not
  /// overwrite the blocks.
  ///
  /// Close the file in all processes first. A second process that has the file open is detected
  /// only if the file has a write-ahead log, or while that process reads or writes. If two
  /// processes encrypt the same file, the first succeeds and the second throws. A file with several
  /// hard links is refused, because the other links would still refer to the plain file.
  /// - Parameters:
  ///   - path: The path of an unencrypted file. A symbolic link is kept.
  ///   - key: The key to encrypt the file with.
  ///   - configuration: The functions and collations that the tables use.
  ///   - progress: Receives the written fraction, from 0 to 1.
  /// - Throws: ``DatabaseError`` with the operation `copy` or `key`: with the code `busy` if the
  ///   file is open elsewhere, and ``ResultCode/readOnlyMoved`` if another program replaced the
  ///   file; `CancellationError`. After an error, the file is unchanged.
  /// - Complexity: O(*n*) in the size of the file. The disk needs room for a second file of this
  ///   size.
  public static func encrypt(
    path: String, key: Key, configuration: Configuration = Configuration(),
    progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    try await replace(path, key: key, configuration, progress) { () throws(DatabaseError) in
      guard try DatabaseFile.isPlain(path) else {
        // An empty file has no pages to encrypt.
        guard try DatabaseFile.head(path) != nil else { return nil }
        throw DatabaseError.unreadable(path, hasKey: false)
      }
      return nil
    }
  }

  /// Decrypts a file in place.
  ///
  /// This method has the guarantees and requirements of
  /// ``encrypt(path:key:configuration:progress:)``.
  /// - Parameters:
  ///   - path: The path of an encrypted file. A symbolic link is kept.
  ///   - key: The file's key.
  ///   - configuration: The functions and collations that the tables use.
  ///   - progress: Receives the written fraction, from 0 to 1.
  /// - Throws: ``DatabaseError`` with the operation `copy` or `key`: with the code `busy` if the
  ///   file is open elsewhere; `CancellationError`. After an error, the file is unchanged.
  /// - Complexity: O(*n*) in the size of the file. The disk needs room for a second file of this
  ///   size.
  public static func decrypt(
    path: String, key: Key, configuration: Configuration = Configuration(),
    progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    try await replace(path, key: nil, configuration, progress) { () throws(DatabaseError) in
      try Self.original(path, key, configuration)
    }
  }

  /// Upgrades a file of SQLCipher 1, 2 or 3 to the settings of SQLCipher 4, in place and with the
  /// same key. A file with the current settings is not changed.
  ///
  /// This method has the guarantees and requirements of
  /// ``encrypt(path:key:configuration:progress:)``.
  ///
  /// See [PRAGMA
  /// cipher_compatibility](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_compatibility).
  /// - Parameters:
  ///   - path: The path of the file. A symbolic link is kept.
  ///   - key: The file's key.
  ///   - configuration: The functions and collations that the tables use.
  ///   - progress: Receives the written fraction, from 0 to 1.
  /// - Returns: The version of SQLCipher whose settings the file had.
  /// - Throws: ``DatabaseError`` with the operation `key` if the key matches with the settings of
  ///   no version, or with the operation `copy`. After an error, the file is unchanged.
  /// - Complexity: O(*n*) in the size of the file. The disk needs room for a second file of this
  ///   size.
  @discardableResult
  public static func upgrade(
    path: String, key: Key, configuration: Configuration = Configuration(),
    progress: (@Sendable (Double) -> Void)? = nil
  ) async throws -> Int {
    guard DatabaseFile.isFile(path), !path.utf8.contains(0) else {
      throw DatabaseError(
        .copy, code: .misuse, "Only a file can be upgraded: give the path of a file", path: path)
    }
    guard try !DatabaseFile.isPlain(path) else {
      throw DatabaseError.unreadable(path, hasKey: true)
    }
    return try await Ending.throwing {
      try await noticingReplacement(of: path) {
        try await Connection(path: path, configuration: configuration).upgrade(key, progress)
      }
    }
  }

  /// Passes the file's key to a closure that opens the file with a separate connection.
  ///
  /// If ``changeKey(to:)`` runs between the two, the closure cannot read the file, and is called
  /// again with the new key.
  func withOriginal<Result: Sendable>(
    _ body: (CipherKey?) async throws -> Result
  ) async throws -> Result {
    var original = try await withConnection(.reader) { db in try db.original }
    while true {
      do {
        return try await body(original)
      } catch let error as DatabaseError where error.code.primary == .notADatabase {
        let current = try await withConnection(.reader) { db in try db.original }
        // Each change of the key makes a new object.
        guard current?.text !== original?.text else { throw error }
        original = current
      }
    }
  }

  private static func replace(
    _ path: String, key: Key?, _ configuration: Configuration,
    _ progress: (@Sendable (Double) -> Void)?,
    original: @Sendable () throws(DatabaseError) -> CipherKey?
  ) async throws {
    guard DatabaseFile.isFile(path), !path.utf8.contains(0) else {
      throw DatabaseError(
        .copy, code: .misuse, "Only a file can be encrypted or decrypted: give the path of a file",
        path: path)
    }
    let file = DatabaseFile.resolved(path)
    guard OpenFile.ifClosed(file, { () }) != nil else {
      throw DatabaseError(
        .copy, code: .busy, "The file is open in this process: close it first", path: path)
    }
    try await Ending.throwing {
      try await noticingReplacement(of: file) {
        try await Connection(path: file, configuration: configuration)
          .copy(try original(), key, progress) { copy throws(DatabaseError) in
            try copy.replaceOriginal()
          }
      }
    }
  }

  /// Reports a replacement in place of the errors of a mix of two files: the key or the settings of
  /// the first file, and the pages or the log of the second.
  private static func noticingReplacement<Result: Sendable>(
    of path: String, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let identity = OpenFile.Identity(path)
    do {
      return try await body()
    } catch let error as DatabaseError
      where (error.code.primary == .notADatabase || error.openingFailure == .foreignChanges)
      && OpenFile.Identity(path) != identity
    {
      throw DatabaseError.replaced(.copy, path)
    }
  }
}

extension Connection {
  var original: CipherKey? {
    get throws(DatabaseError) {
      // The second connection opens the path, which must still name the same file.
      try FileLock.checkPlace(of: try handle, .copy, path: path)
      return cipher
    }
  }

  /// Runs on this connection's executor, off the cooperative thread pool, with separate
  /// connections.
  fileprivate func copy(
    _ original: CipherKey?, _ key: Key?, _ progress: (@Sendable (Double) -> Void)?,
    _ body: @Sendable (FileCopy) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    let cipher = try DatabaseError.adding(path: path) { () throws(DatabaseError) in
      try key.map { key throws(DatabaseError) in
        try CipherKey(key, fileSalt: nil, settings: configuration.cipher)
      }
    }
    try body(
      FileCopy(
        path: path, original: original, key: cipher, configuration: configuration,
        progress: progress))
  }

  fileprivate func upgrade(
    _ key: Key, _ progress: (@Sendable (Double) -> Void)?
  ) throws(DatabaseError) -> Int {
    let salt = try DatabaseFile.head(path)
    let current = try CipherKey(key, fileSalt: salt)
    var failure: DatabaseError?
    for (version, settings) in CipherSettings.versions {
      let former = try CipherKey(key, fileSalt: salt, settings: settings)
      do throws(DatabaseError) {
        try checkOpens(former)
      } catch {
        let isForeign = error.openingFailure == .foreignChanges
        guard isForeign || error.code.primary == .notADatabase else { throw error }
        failure = isForeign ? error : failure ?? error
        continue
      }
      guard version < 4 else { return version }
      try FileCopy(
        path: path, original: former, key: current, configuration: configuration,
        progress: progress
      ).replaceOriginal()
      return version
    }
    throw failure ?? DatabaseError.unreadable(path, hasKey: true)
  }

  private func checkOpens(_ original: CipherKey?) throws(DatabaseError) {
    let inspection: Inspection
    do throws(DatabaseError) {
      inspection = try Inspection(path, original, configuration)
    } catch {
      throw error.openingFailure == .wrongKey ? error : error.adding(operation: .copy)
    }
    do throws(DatabaseError) {
      let file = FileCopy(
        path: inspection.path, original: original, key: nil,
        configuration: inspection.configuration, progress: nil)
      _ = try file.open()
    } catch {
      throw inspection.naming(error)
    }
  }
}
