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
}
