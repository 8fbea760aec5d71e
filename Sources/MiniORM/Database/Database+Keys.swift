extension Database {
  /// Opens a file with a key that is asked for: of a keychain, of a service, or of a person.
  ///
  /// ```swift
  /// let database = try await Database(path: "app.db") { try await keychain.key() }
  /// ```
  /// It is asked once, and not before the file is known to be there, or that it may be created, and to be
  /// encrypted. Connections that are opened later, and after ``changeKey(to:)``, have the key as it was
  /// derived, and do not ask again.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - configuration: How to open it.
  ///   - key: Gives the key. It is called on the caller's actor.
  /// - Throws: What the closure throws, as it is; ``DatabaseError`` as
  ///   ``init(path:key:configuration:)`` does; `CancellationError` where the task was cancelled before
  ///   there was a key. Nothing stays open then.
  /// - Complexity: About half a second for a passphrase, from which the key is derived once.
  public convenience init(
    path: String, configuration: Configuration = Configuration(),
    key: @Sendable () async throws -> Key
  ) async throws {
    self.init(unopened: path, configuration)
    try await writer.checkBeforeKey()
    let key = try await key()
    try Task.checkCancellation()
    _ = try await open([key])
  }

  /// Opens a file with the newest of several keys that fits, and gives it the newest one.
  ///
  /// ```swift
  /// let (database, index) = try await Database.open(
  ///   path: "app.db", keys: [newest, lastYears])
  /// ```
  /// For keys that are changed from time to time: a file that has not been open since then, or was
  /// interrupted, has an older one. Where an older one fits, the key of the file is changed as by
  /// ``changeKey(to:)`` before this returns. Wherever that is interrupted, the file has one of the two, so
  /// that the same call opens it the next time. A file that is created has the newest key, and one that
  /// is only read keeps its own.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - keys: The keys, the newest first. Keep an old one until no file can have it.
  ///   - configuration: How to open it.
  /// - Returns: The database, and the position in `keys` of the key that the file had: 0 where nothing had
  ///   to be changed.
  /// - Throws: ``DatabaseError`` as ``init(path:key:configuration:)`` does where none fits, and as
  ///   ``changeKey(to:)`` does; `CancellationError`. Nothing stays open then.
  /// - Complexity: Each passphrase is derived once, until one fits: about half a second for each. O(*n*) in
  ///   the size of the file where its key is changed.
  public static func open(
    path: String, keys: [Key], configuration: Configuration = Configuration()
  ) async throws -> (database: Database, keyIndex: Int) {
    let database = Database(unopened: path, configuration)
    let opening = try await database.open(keys)
    guard opening.index > 0, !configuration.isReadOnly, let newest = opening.newest else {
      return (database, opening.index)
    }
    do {
      try await database.changeKey(to: .derived(newest))
    } catch {
      try? await database.close()
      throw error
    }
    return (database, opening.index)
  }
}
