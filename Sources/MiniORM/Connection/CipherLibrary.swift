/// The SQLCipher of this process, and the library that it encrypts with.
///
/// See [PRAGMA cipher_provider](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_provider).
public struct CipherLibrary: Hashable, Sendable {
  /// SQLCipher's version and edition, such as `4.6.1 community`.
  public let version: String
  /// The library that encrypts, such as `openssl` or `commoncrypto`.
  public let provider: String
  /// That library's version.
  public let providerVersion: String
  /// Whether that library runs in a mode that was validated by FIPS 140.
  public let isFIPS: Bool
}
