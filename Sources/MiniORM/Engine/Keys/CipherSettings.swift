/// The settings for encrypting pages and for deriving the key from a passphrase.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.cipher = .sqlcipher3
/// ```
/// A file opens only with the settings of its creation. The settings are not secret, and the file
/// does not store them: a program with custom settings must know the values.
///
/// See [SQLCipher's API](https://www.zetetic.net/sqlcipher/sqlcipher-api/).
public struct CipherSettings: Hashable, Sendable {
  /// A hash function of the SHA family.
  public enum HashFunction: String, Sendable, CaseIterable {
    /// SHA-1, used by SQLCipher 1 to 3.
    case sha1 = "SHA1"
    /// SHA-256.
    case sha256 = "SHA256"
    /// SHA-512, used by SQLCipher 4.
    case sha512 = "SHA512"
  }

  /// The size of a page in bytes: a power of two from 1,024 to 65,536.
  ///
  /// See
  /// [PRAGMA cipher_page_size](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_page_size).
  public var pageSize = 4_096

  /// The number of PBKDF2 iterations for a passphrase, from 1 to 2,147,483,647. An attacker needs
  /// as many for each guess. A raw key needs none.
  ///
  /// See [PRAGMA kdf_iter](https://www.zetetic.net/sqlcipher/sqlcipher-api/#kdf_iter).
  public var kdfIterations = 256_000

  /// The hash function of PBKDF2.
  ///
  /// See
  /// [PRAGMA cipher_kdf_algorithm](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_kdf_algorithm).
  public var kdfAlgorithm = HashFunction.sha512

  /// The hash function of each page's HMAC, which detects manipulation. `nil` omits the HMAC: the
  /// file can then be changed, undetected, without the key.
  ///
  /// See [PRAGMA
  /// cipher_hmac_algorithm](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_hmac_algorithm).
  public var hmacAlgorithm: HashFunction? = .sha512

  /// The number of unencrypted bytes at the start of the file: a multiple of 16, and less than the
  /// usable size of a page. 0 by default.
  ///
  /// iOS terminates an app that enters the background with a lock on a file in a shared container,
  /// unless iOS recognizes the file as a database. A plaintext header of 32 bytes suffices for
  /// this, and reveals no content. From 112 bytes on, the header can include names and rows. A file
  /// with a plaintext header does not store its salt: keep the salt, and pass it to
  /// ``Key/raw(_:salt:)`` or ``Key/passphrase(_:salt:)``.
  ///
  /// See [PRAGMA
  /// cipher_plaintext_header_size](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_plaintext_header_size).
  public var plaintextHeaderSize = 0

  /// Creates the settings of SQLCipher 4.
  public init() {}

  init(
    pageSize: Int, kdfIterations: Int, kdfAlgorithm: HashFunction, hmacAlgorithm: HashFunction?
  ) {
    self.pageSize = pageSize
    self.kdfIterations = kdfIterations
    self.kdfAlgorithm = kdfAlgorithm
    self.hmacAlgorithm = hmacAlgorithm
  }

  /// The settings of SQLCipher 1: pages of 1,024 bytes without HMAC, 4,000 iterations with SHA-1.
  public static let sqlcipher1 = CipherSettings(
    pageSize: 1_024, kdfIterations: 4_000, kdfAlgorithm: .sha1, hmacAlgorithm: nil)
  /// The settings of SQLCipher 2: like SQLCipher 1, with an HMAC with SHA-1 in each page.
  public static let sqlcipher2 = CipherSettings(
    pageSize: 1_024, kdfIterations: 4_000, kdfAlgorithm: .sha1, hmacAlgorithm: .sha1)
  /// The settings of SQLCipher 3: like SQLCipher 2, with 64,000 iterations.
  public static let sqlcipher3 = CipherSettings(
    pageSize: 1_024, kdfIterations: 64_000, kdfAlgorithm: .sha1, hmacAlgorithm: .sha1)
  /// The settings of SQLCipher 4: pages of 4,096 bytes with an HMAC with SHA-512, 256,000
  /// iterations with SHA-512.
  public static let sqlcipher4 = CipherSettings()

  static let versions: [(number: Int, settings: CipherSettings)] = [
    (4, .sqlcipher4), (3, .sqlcipher3), (2, .sqlcipher2), (1, .sqlcipher1),
  ]

  /// The reserved bytes at the end of each page: the initialization vector and the HMAC, in whole
  /// blocks.
  package var reservedSize: Int {
    switch hmacAlgorithm {
    case nil: 16
    case .sha1, .sha256: 48
    case .sha512: 80
    }
  }

  /// Throws for settings that SQLCipher accepts but cannot use.
  func validate() throws(DatabaseError) {
    // For sizes under 1,024, SQLite and SQLCipher would use different sizes.
    guard (1_024...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
      throw Self.invalid("The page size must be a power of two from 1024 to 65536, not \(pageSize)")
    }
    guard (1...Int(Int32.max)).contains(kdfIterations) else {
      throw Self.invalid(
        "The number of KDF iterations must be from 1 to \(Int32.max), not \(kdfIterations)")
    }
    let limit = pageSize - reservedSize
    guard (0..<limit).contains(plaintextHeaderSize), plaintextHeaderSize % 16 == 0 else {
      throw Self.invalid(
        "The size of the plaintext header must be a multiple of 16 and, with these settings, less than \(limit), not \(plaintextHeaderSize)"
      )
    }
  }

  private static func invalid(_ message: String) -> DatabaseError {
    DatabaseError(.configure, code: .misuse, message).because(.invalidSettings)
  }
}
