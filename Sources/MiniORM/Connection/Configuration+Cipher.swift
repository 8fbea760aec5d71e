import CSQLCipher

extension Configuration {
  /// Gives a connection that has just been opened its key and the settings of the file. Nothing has
  /// been read then: that tells whether they are the right ones.
  func setKey(_ key: CipherKey?, on database: OpaquePointer) throws(DatabaseError) {
    try cipherLicense?.give(to: database)
    // For the process: it is never switched off again.
    if cipherMemorySecurity {
      _ = try Connection.text("PRAGMA cipher_memory_security = ON", database)
    }
    guard let key else { return }
    if cipherLogLevel == .off { CipherLog.quiet() }
    let code = key.text.withBytes { miniorm_key(database, $0.baseAddress, Int32($0.count)) }
    guard code == SQLITE_OK else { throw DatabaseError(.key, code: code, from: database) }
    // Not before the key: the first one of a process starts the log anew.
    try Connection.setLogLevel(self, database)
    try key.settings.apply(to: database)
    try key.settings.checkPageSize(DatabaseFile.head(of: database, count: 18))
  }
}
