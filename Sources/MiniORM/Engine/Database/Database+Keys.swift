extension Database {
  /// Opens a file with a key from a closure, for example from a keychain or a password prompt.
  ///
  /// ```swift
  /// let database = try await Database(path: "app.db") { try await keychain.key() }
  /// ```
  /// The closure is called once, after the checks that need no key, for example that the file
  /// exists or can be created.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - configuration: The options for opening the file.
  ///   - key: Returns the key. Called on the caller's actor.
  /// - Throws: The error of the closure; ``DatabaseError`` as ``init(path:key:configuration:)``;
  ///   `CancellationError` if the task was cancelled before the key arrived. After an error, the
  ///   file is closed.
  /// - Complexity: Derives a passphrase once, with ``CipherSettings/kdfIterations``.
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
