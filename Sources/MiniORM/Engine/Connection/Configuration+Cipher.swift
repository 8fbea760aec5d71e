import CSQLCipher

extension Configuration {
  /// Sets the key and the cipher settings. A wrong key is not detected until the first read.
  func setKey(_ key: CipherKey?, on database: OpaquePointer) throws(DatabaseError) {
    try cipherLicense?.give(to: database)
    // SQLCipher applies this setting to the whole process and cannot switch it off.
    if cipherMemorySecurity {
      _ = try Connection.text("PRAGMA cipher_memory_security = ON", database)
    }
    guard let key else { return }
    if cipherLogLevel == .off { CipherLog.quiet() }
    let code = key.set(on: database)
    guard code == SQLITE_OK else { throw DatabaseError(.key, code: code, from: database) }
    // SQLCipher resets the log level at a process's first key.
    try Connection.setLogLevel(self, database)
    try key.settings.apply(to: database)
    try key.settings.checkPageSize(DatabaseFile.head(of: database, count: 18))
  }
}
