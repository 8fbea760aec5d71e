import CSQLCipher

extension Connection {
  /// The result of the first opening, reused by further connections.
  struct FirstOpening: Sendable {
    var cipher: CipherKey?
    var index = 0
    var newest: CipherKey?
  }

  /// Throws errors that need no key, before a key is requested. Returns the file's salt, if any.
  @discardableResult
  func checkBeforeKey() throws(DatabaseError) -> [UInt8]? {
    try DatabaseError.adding(path: path, configuration.cipher.validate)
    guard DatabaseFile.isFile(path) else { return nil }
    try checkPath()
    let creates = configuration.createsFile && !configuration.isReadOnly
    let isThere = DatabaseFile.exists(path)
    let cannotOpen =
      isThere
      ? DatabaseFile.isDirectory(path)
      : !creates || !DatabaseFile.isDirectory(DatabaseFile.parent(path))
    if cannotOpen {
      throw DatabaseError.opening(path, code: SQLITE_CANTOPEN, creates: creates)
    }
    let head = try DatabaseFile.head(path)
    guard configuration.cipher.plaintextHeaderSize == 0 else { return nil }
    // The first bytes of an unencrypted file are not a salt.
    if head == DatabaseFile.plainHeader { throw DatabaseError.unreadable(path, hasKey: true) }
    return head
  }

  /// Opens the file with the first key that matches.
  /// - Parameter keys: The keys to try, each derived at most once; nil for an unencrypted file.
  func openFirst(_ keys: [Key]?) throws(DatabaseError) -> FirstOpening {
    try DatabaseError.adding(path: path) { () throws(DatabaseError) in
      try state.interruption.opening { () throws(DatabaseError) in try openWithFirst(keys) }
    }
  }

  private func openWithFirst(_ keys: [Key]?) throws(DatabaseError) -> FirstOpening {
    guard let keys, path != ":memory:" else {
      try open(nil, isReadOnly: configuration.isReadOnly)
      return FirstOpening()
    }
    let salt = try checkBeforeKey()
    for key in keys { try CipherKey.check(key) }
    var opening = FirstOpening()
    var refusal: DatabaseError?
    for (index, key) in keys.enumerated() {
      opening.index = index
      do throws(DatabaseError) {
        let cipher = try openFirst(key, salt, &opening)
        opening.cipher = cipher
        return opening
      } catch {
        guard error.openingFailure == .wrongKey else { throw error }
        refusal = refusal ?? error
      }
    }
    guard var refusal else {
      throw DatabaseError(
        .key, code: .misuse, "No key was given: give at least one key", path: path
      ).because(.invalidKey)
    }
    if keys.count > 1 {
      refusal = refusal.adding(message: "none of the \(keys.count) keys opens it")
    }
    for key in keys {
      if let reason = Self.otherSettings(of: path, key, configuration) { throw reason }
    }
    throw refusal
  }

  private func openFirst(
    _ key: Key, _ salt: [UInt8]?, _ opening: inout FirstOpening
  ) throws(DatabaseError) -> CipherKey {
    let cipher = try CipherKey(key, fileSalt: salt, settings: configuration.cipher)
    if opening.index == 0 { opening.newest = cipher }
    do throws(DatabaseError) {
      try open(cipher, isReadOnly: configuration.isReadOnly)
      return cipher
    } catch {
      // While this process derived the key, another process may have created the file with a
      // different salt.
      guard error.code.primary == .notADatabase, key.salt == nil,
        let now = try DatabaseFile.salt(path, configuration.cipher), now != salt
      else { throw error }
      let cipher = try CipherKey(key, fileSalt: now, settings: configuration.cipher)
      if opening.index == 0 { opening.newest = cipher }
      try open(cipher, isReadOnly: configuration.isReadOnly)
      return cipher
    }
  }

  /// Returns an error that names the version of SQLCipher with whose settings the key matches;
  /// otherwise nil.
  static func otherSettings(
    of path: String, _ key: Key, _ configuration: Configuration
  ) -> DatabaseError? {
    guard DatabaseFile.isFile(path), let salt = try? DatabaseFile.head(path) else { return nil }
    for (version, settings) in CipherSettings.versions where settings != configuration.cipher {
      guard let cipher = try? CipherKey(key, fileSalt: salt, settings: settings),
        fit(of: cipher, path, configuration, isImmutable: true) == .fits
      else { continue }
      let remedy =
        version == 4
        ? "leave Configuration.cipher at its default"
        : "call Database.upgrade(path:key:), or set Configuration.cipher to .sqlcipher\(version)"
      return DatabaseError(
        .key, code: .notADatabase,
        "The key is correct, but the file has the settings of SQLCipher \(version): \(remedy)",
        path: path
      ).because(.otherSettings(version: version))
    }
    return nil
  }
}
