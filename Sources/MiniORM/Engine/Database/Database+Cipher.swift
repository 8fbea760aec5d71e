import CSQLCipher

extension Database {
  /// The versions of SQLCipher and its cryptographic library in this process.
  ///
  /// - Throws: ``DatabaseError`` if the library is not SQLCipher.
  public static var cipherLibrary: CipherLibrary {
    get throws(DatabaseError) {
      var pointer: OpaquePointer?
      defer { sqlite3_close_v2(pointer) }
      let code = SQLiteLibrary.openInMemory(&pointer)
      guard code == SQLITE_OK, let database = pointer else {
        throw DatabaseError(.open, code: code, from: pointer)
      }
      let version = try Connection.text("PRAGMA cipher_version", database)
      try Connection.checkLibrary(version: version)
      // Only an encrypted database has a provider. A raw key needs no derivation.
      let zeros = [UInt8](repeating: 0, count: 32)
      let key = try CipherKey(.raw(zeros), fileSalt: nil)
      _ = key.text.withBytes { miniorm_key(database, $0.baseAddress, Int32($0.count)) }
      return CipherLibrary(
        version: version ?? "",
        provider: try Connection.text("PRAGMA cipher_provider", database) ?? "",
        providerVersion: try Connection.text("PRAGMA cipher_provider_version", database) ?? "",
        isFIPS: try Connection.text("PRAGMA cipher_fips_status", database) == "1")
    }
  }

  /// Returns the file's cipher settings; `nil` if the file is not encrypted.
  ///
  /// - Throws: ``DatabaseError``; `CancellationError`.
  public func cipherSettings() async throws -> CipherSettings? {
    try await withConnection(.reader) { db in try CipherSettings(of: try db.handle) }
  }
}
