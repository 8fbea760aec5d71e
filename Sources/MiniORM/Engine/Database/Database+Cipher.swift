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

/// The versions of SQLCipher and of its cryptographic library in this process.
///
/// See [PRAGMA cipher_provider](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_provider).
public struct CipherLibrary: Hashable, Sendable {
  /// The version and edition of SQLCipher, for example `4.6.1 community`.
  public let version: String
  /// The cryptographic library, for example `openssl` or `commoncrypto`.
  public let provider: String
  /// The version of the cryptographic library.
  public let providerVersion: String
  /// True if the cryptographic library runs in a FIPS 140 validated mode.
  public let isFIPS: Bool
}
