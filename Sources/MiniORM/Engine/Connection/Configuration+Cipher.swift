import CSQLCipher

extension Configuration {
  /// Only the first read shows whether the key matches.
  func setKey(_ key: CipherKey?, on database: OpaquePointer) throws(DatabaseError) {
    try cipherLicense?.give(to: database)
    // Applies to the whole process and is never switched off.
    if cipherMemorySecurity {
      _ = try Connection.text("PRAGMA cipher_memory_security = ON", database)
    }
    guard let key else { return }
    if cipherLogLevel == .off { CipherLog.quiet() }
    let code = key.text.withBytes { miniorm_key(database, $0.baseAddress, Int32($0.count)) }
    guard code == SQLITE_OK else { throw DatabaseError(.key, code: code, from: database) }
    // The log level is set after the key, because the first key of a process restarts the log.
    try Connection.setLogLevel(self, database)
    try key.settings.apply(to: database)
    try key.settings.checkPageSize(DatabaseFile.head(of: database, count: 18))
  }
}
