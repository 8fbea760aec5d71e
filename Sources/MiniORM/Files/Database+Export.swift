extension Database {
  /// Copies the database into a new file with its own key: a backup while others read and write, or an export
  /// with another key or none.
  ///
  /// ```swift
  /// try await database.export(to: "backup.db", key: .passphrase(passphrase))
  /// ```
  /// The copy has one committed state of the file: its tables, indexes, views, triggers, full-text and
  /// R*Tree indexes, rowids, sequences, statistics, `user_version`, `application_id` and `auto_vacuum`.
  /// It has no free pages. Every cell, the integrity check and the foreign keys are compared before it
  /// gets its name, so there is never an incomplete copy at `destination`. A process that is killed leaves a
  /// file beside it whose name ends in `.miniorm-` and a number: delete it.
  ///
  /// See [sqlcipher_export](https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlcipher_export).
  /// - Parameters:
  ///   - destination: The path of the new file. The disk needs room for it, and no more.
  ///   - key: The key of the new file. `nil` makes one that is not encrypted.
  ///   - progress: Is called with the fraction that is written, from 0 to 1, on the copy's own executor.
  /// - Throws: ``DatabaseError`` with the operation `copy`, and the code `cannotOpen` where there is a
  ///   file at `destination` already; `CancellationError`. There is no new file then.
  /// - Complexity: O(*n*) in the size of the file.
  public func export(
    to destination: String, key: Key?, progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    guard DatabaseFile.isFile(path) else {
      throw DatabaseError(
        .copy, code: .misuse, "Only a file can be exported: use VACUUM INTO in withoutTransaction",
        path: path)
    }
    let original = try await withConnection(.writer) { db in try db.original }
    try await Self.cancellable {
      try await Connection(path: path, configuration: writer.configuration)
        .copy(original, key, progress) { copy throws(DatabaseError) in
          try copy.run(to: destination)
        }
    }
  }

  /// Encrypts a file in place.
  ///
  /// ```swift
  /// try await Database.encrypt(path: "app.db", key: .passphrase(passphrase))
  /// ```
  /// The encrypted file is written beside the other one, compared with it cell by cell, and renamed into
  /// its place: whenever the process is killed, the path has the one or the other, whole. The plain file's
  /// blocks are returned to the file system, which does not overwrite them.
  ///
  /// Close the file in all processes first. Another process that has the file open is noticed if the file has a
  /// write-ahead log, or while that process reads or writes. Of two processes that encrypt the same file, one succeeds
  /// and the other throws. A file with several names (hard links) is refused: it would stay as it is under the others.
  /// - Parameters:
  ///   - path: The path of a file that is not encrypted. A link stays.
  ///   - key: The key to give it.
  ///   - configuration: The functions and collations that its tables use.
  ///   - progress: Is called with the fraction that is written, from 0 to 1.
  /// - Throws: ``DatabaseError`` with the operation `copy` or `key`: with the code `busy` while the file is open
  ///   elsewhere, and ``ResultCode/readOnlyMoved`` if another program replaced the file; `CancellationError`. The file is
  ///   unchanged then.
  /// - Complexity: O(*n*) in the size of the file. The disk needs room for a second one.
  public static func encrypt(
    path: String, key: Key, configuration: Configuration = Configuration(),
    progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    try await replace(path, key: key, configuration, progress) { () throws(DatabaseError) in
      guard try DatabaseFile.isPlain(path) else {
        // An empty file has no pages yet, and is as good as encrypted.
        guard try DatabaseFile.head(path) != nil else { return .plain }
        throw DatabaseError.unreadable(path, hasKey: false)
      }
      return .plain
    }
  }

  /// Decrypts a file in place.
  ///
  /// It works as ``encrypt(path:key:configuration:progress:)`` does.
  /// - Parameters:
  ///   - path: The path of an encrypted file. A link stays.
  ///   - key: Its key.
  ///   - configuration: The functions and collations that its tables use.
  ///   - progress: Is called with the fraction that is written, from 0 to 1.
  /// - Throws: ``DatabaseError`` with the operation `copy` or `key`: with the code `busy` while the file
  ///   is open elsewhere; `CancellationError`. The file is as it was then.
  /// - Complexity: O(*n*) in the size of the file. The disk needs room for a second one.
  public static func decrypt(
    path: String, key: Key, configuration: Configuration = Configuration(),
    progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    try await replace(path, key: nil, configuration, progress) { () throws(DatabaseError) in
      try Self.original(path, key, configuration)
    }
  }

  /// Brings a file that SQLCipher 1, 2 or 3 wrote to the settings of SQLCipher 4, in place, with the
  /// same key. A file that has them already is not changed.
  ///
  /// It works as ``encrypt(path:key:configuration:progress:)`` does.
  ///
  /// See [PRAGMA cipher_compatibility](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_compatibility).
  /// - Parameters:
  ///   - path: The path of the file. A link stays.
  ///   - key: Its key.
  ///   - configuration: The functions and collations that its tables use.
  ///   - progress: Is called with the fraction that is written, from 0 to 1.
  /// - Returns: The version of SQLCipher whose settings the file had.
  /// - Throws: ``DatabaseError`` with the operation `key` where the key fits with none of them, or `copy`.
  ///   The file is as it was then.
  /// - Complexity: O(*n*) in the size of the file. The disk needs room for a second one.
  @discardableResult
  public static func upgrade(
    path: String, key: Key, configuration: Configuration = Configuration(),
    progress: (@Sendable (Double) -> Void)? = nil
  ) async throws -> Int {
    guard DatabaseFile.isFile(path), !path.utf8.contains(0) else {
      throw DatabaseError(.copy, code: .misuse, "Only a file can be upgraded", path: path)
    }
    guard try !DatabaseFile.isPlain(path) else {
      throw DatabaseError.unreadable(path, hasKey: true)
    }
    return try await cancellable {
      try await Connection(path: path, configuration: configuration).upgrade(key, progress)
    }
  }

  private static func replace(
    _ path: String, key: Key?, _ configuration: Configuration,
    _ progress: (@Sendable (Double) -> Void)?,
    original: @Sendable () throws(DatabaseError) -> FileCopy.Original
  ) async throws {
    guard DatabaseFile.isFile(path), !path.utf8.contains(0) else {
      throw DatabaseError(.copy, code: .misuse, "Only a file can be replaced", path: path)
    }
    let file = DatabaseFile.resolved(path)
    guard OpenFile.ifClosed(file, { () }) != nil else {
      throw DatabaseError(
        .copy, code: .busy, "The file is open in this process: close it first", path: path)
    }
    try await cancellable {
      try await Connection(path: file, configuration: configuration)
        .copy(try original(), key, progress) { copy throws(DatabaseError) in
          try copy.replaceOriginal()
        }
    }
  }

  /// Says of what a cancelled task was stopped in that it was cancelled.
  private static func cancellable<Result: Sendable>(
    _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch let error as DatabaseError where error.code == .interrupt {
      throw CancellationError()
    }
  }
}

extension Connection {
  /// How the file that this connection has open is read by another one.
  var original: FileCopy.Original {
    get throws(DatabaseError) {
      // It is opened by its path.
      try FileLock.checkPlace(of: try handle, .copy, path: path)
      return cipher.map { .encrypted($0) } ?? .plain
    }
  }

  /// Runs a copy on this connection's executor, away from the threads that tasks share. It opens
  /// connections of its own.
  fileprivate func copy(
    _ original: FileCopy.Original, _ key: Key?, _ progress: (@Sendable (Double) -> Void)?,
    _ body: @Sendable (FileCopy) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    let cipher: CipherKey?
    do throws(DatabaseError) {
      cipher = try key.map { key throws(DatabaseError) in
        try CipherKey(key, fileSalt: nil, settings: configuration.cipher)
      }
    } catch {
      throw error.adding(path: path)
    }
    try body(
      FileCopy(
        path: path, original: original, key: cipher, configuration: configuration,
        progress: progress))
  }

  fileprivate func upgrade(
    _ key: Key, _ progress: (@Sendable (Double) -> Void)?
  ) throws(DatabaseError) -> Int {
    let identity = OpenFile.Identity(path)
    do throws(DatabaseError) {
      return try upgradeInPlace(key, progress)
    } catch {
      // The settings of one file were tried on another, which another program has put in its place.
      guard error.code.primary == .notADatabase, OpenFile.Identity(path) != identity else {
        throw error
      }
      throw .replaced(.copy, path)
    }
  }

  private func upgradeInPlace(
    _ key: Key, _ progress: (@Sendable (Double) -> Void)?
  ) throws(DatabaseError) -> Int {
    let salt = try DatabaseFile.head(path)
    let current = try CipherKey(key, fileSalt: salt)
    var failure: DatabaseError?
    for (version, settings) in CipherSettings.versions {
      let former = try CipherKey(key, fileSalt: salt, settings: settings)
      do throws(DatabaseError) {
        try checkOpens(.encrypted(former))
      } catch {
        let isForeign = error.openingFailure == .foreignChanges
        guard isForeign || error.code.primary == .notADatabase else { throw error }
        failure = isForeign ? error : failure ?? error
        continue
      }
      guard version < 4 else { return version }
      try FileCopy(
        path: path, original: .encrypted(former), key: current, configuration: configuration,
        progress: progress
      ).replaceOriginal()
      return version
    }
    throw failure ?? DatabaseError.unreadable(path, hasKey: true)
  }

  /// Opens the file without changing it, and closes it.
  private func checkOpens(_ original: FileCopy.Original) throws(DatabaseError) {
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
      file.close(try file.open())
    } catch {
      throw inspection.naming(error)
    }
  }
}
