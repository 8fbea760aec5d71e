extension Database {
  /// Copies the database page by page into a file with the same key, while other connections read
  /// and write.
  ///
  /// ```swift
  /// try await database.backup(to: "backup.db", replacing: true)
  /// ```
  /// The copy contains a single committed state. With a write-ahead log, reads and writes continue;
  /// with a rollback journal, writes wait until the copy is complete. The copy is created beside
  /// `destination` and renamed when all pages are on the disk. So `destination` never contains an
  /// incomplete copy, and a previous backup stays until the new backup is complete. If the process
  /// is killed, delete the file whose name ends in `.miniorm-` and a number.
  ///
  /// ``export(to:key:progress:)`` copies rows instead of pages: an export has no free pages, and is
  /// compared with the original. To check a backup for damage, call
  /// ``verify(path:key:configuration:)``.
  ///
  /// See [SQLite Online Backup](https://www.sqlite.org/backup.html).
  /// - Parameters:
  ///   - destination: The path of the backup. The disk needs room for the new and the previous
  ///     backup.
  ///   - replacing: Whether to replace an existing file. That file must not be open.
  ///   - progress: Receives the copied fraction, from 0 to 1, on the copy's own executor.
  /// - Throws: ``DatabaseError`` with the operation `copy`: with the code `cannotOpen` if
  ///   `destination` exists and `replacing` is `false`, and `busy` if the existing file is open;
  ///   `CancellationError`. After an error, an existing file at `destination` is unchanged.
  /// - Complexity: O(*n*) in the size of the file.
  public func backup(
    to destination: String, replacing: Bool = false, progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    try await backUp(to: destination, replacing, progress) { $0 }
  }

  /// Copies the database into a file with a different key, or without encryption.
  ///
  /// This method has the same guarantees as ``backup(to:replacing:progress:)``. If only the
  /// database or only the copy is encrypted, rows are copied instead of pages.
  /// - Parameters:
  ///   - destination: The path of the backup.
  ///   - key: The key of the backup. `nil` creates an unencrypted file.
  ///   - replacing: Whether to replace an existing file. That file must not be open.
  ///   - progress: Receives the copied fraction, from 0 to 1, on the copy's own executor.
  /// - Throws: ``DatabaseError`` with the operation `copy` or `key`; `CancellationError`. After an
  ///   error, an existing file at `destination` is unchanged.
  /// - Complexity: O(*n*) in the size of the file.
  public func backup(
    to destination: String, key: Key?, replacing: Bool = false,
    progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    let settings = configuration.cipher
    try await backUp(to: destination, replacing, progress) { _ throws(DatabaseError) in
      try key.map { key throws(DatabaseError) in
        try CipherKey(key, fileSalt: nil, settings: settings)
      }
    }
  }

  private func backUp(
    to destination: String, _ replacing: Bool, _ progress: (@Sendable (Double) -> Void)?,
    _ key: @Sendable (CipherKey?) throws(DatabaseError) -> CipherKey?
  ) async throws {
    guard DatabaseFile.isFile(path) else {
      throw DatabaseError(
        .copy, code: .misuse,
        "Only a database in a file can be backed up: use VACUUM INTO in withoutTransaction",
        path: path)
    }
    try await withOriginal { original in
      try await Ending.throwing {
        try await Connection(path: path, configuration: configuration)
          .backUp(original, to: destination, replacing, progress, key)
      }
    }
  }
}

extension Connection {
  /// Runs on this connection's executor, with separate connections.
  fileprivate func backUp(
    _ original: CipherKey?, to destination: String, _ replacing: Bool,
    _ progress: (@Sendable (Double) -> Void)?,
    _ key: (CipherKey?) throws(DatabaseError) -> CipherKey?
  ) throws(DatabaseError) {
    let cipher = try DatabaseError.adding(path: path) { () throws(DatabaseError) in
      try key(original)
    }
    var copy = FileCopy(
      path: path, original: original, key: cipher, configuration: configuration, progress: progress)
    copy.copiesPages = (original == nil) == (cipher == nil)
    try copy.run(to: destination, replacing: replacing)
  }
}
