import CSQLCipher

extension Configuration {
  /// Sets the key and the cipher settings of a new connection. Only the first read shows whether
  /// the key and the settings match the file.
  func setKey(_ key: CipherKey?, on database: OpaquePointer) throws(DatabaseError) {
    try cipherLicense?.give(to: database)
    // The setting applies to the whole process and is never switched off.
    if cipherMemorySecurity {
      _ = try Connection.text("PRAGMA cipher_memory_security = ON", database)
    }
    guard let key else { return }
    if cipherLogLevel == .off { CipherLog.quiet() }
    let code = key.text.withBytes { miniorm_key(database, $0.baseAddress, Int32($0.count)) }
    guard code == SQLITE_OK else { throw DatabaseError(.key, code: code, from: database) }
    // After the key: the first key of a process restarts the log.
    try Connection.setLogLevel(self, database)
    try key.settings.apply(to: database)
    try key.settings.checkPageSize(DatabaseFile.head(of: database, count: 18))
  }
}
