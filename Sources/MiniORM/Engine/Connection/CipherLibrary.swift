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
