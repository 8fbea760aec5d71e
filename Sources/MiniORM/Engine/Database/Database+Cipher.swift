import CSQLCipher

extension Database {
  /// The versions of SQLCipher and its cryptographic library in this process.
  ///
  /// - Throws: ``DatabaseError`` if the library is not SQLCipher.
  public static var cipherLibrary: CipherLibrary {
    get throws(DatabaseError) {
      let handle = try SQLiteHandle()
      let database = handle.database
      let version = try Connection.text("PRAGMA cipher_version", database)
      try Connection.checkLibrary(version: version)
      // Only an encrypted database has a provider.
      _ = try CipherKey.zeros.set(on: database)
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
