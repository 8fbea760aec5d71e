/// How SQLCipher encrypts the pages of a file, and derives the key from a passphrase.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.cipher = .sqlcipher3
/// ```
/// A file can only be opened with the settings that it was made with. They are not secret, but they are not
/// stored in the file: a program that uses its own has to know them.
///
/// See [SQLCipher's API](https://www.zetetic.net/sqlcipher/sqlcipher-api/).
public struct CipherSettings: Hashable, Sendable {
  /// A hash function of the SHA family.
  public enum HashFunction: String, Sendable, CaseIterable {
    /// SHA-1, which SQLCipher 1 to 3 used.
    case sha1 = "SHA1"
    /// SHA-256.
    case sha256 = "SHA256"
    /// SHA-512, which SQLCipher 4 uses.
    case sha512 = "SHA512"
  }

  /// The size of a page in bytes: a power of two from 1,024 to 65,536.
  ///
  /// See [PRAGMA cipher_page_size](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_page_size).
  public var pageSize = 4_096

  /// How many rounds of PBKDF2 make a key of a passphrase: 1 to 2,147,483,647. Each passphrase that is
  /// guessed costs as many. A raw key needs none.
  ///
  /// See [PRAGMA kdf_iter](https://www.zetetic.net/sqlcipher/sqlcipher-api/#kdf_iter).
  public var kdfIterations = 256_000

  /// The hash function of PBKDF2.
  ///
  /// See [PRAGMA cipher_kdf_algorithm](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_kdf_algorithm).
  public var kdfAlgorithm = HashFunction.sha512

  /// The hash function of the code (HMAC) that each page carries, by which a change from outside is
  /// noticed. `nil` means no code: such a file can be changed without the key, unnoticed.
  ///
  /// See [PRAGMA cipher_hmac_algorithm](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_hmac_algorithm).
  public var hmacAlgorithm: HashFunction? = .sha512

  /// How many bytes at the head of the file are not encrypted: a multiple of 16 that leaves something
  /// of the first page. 0 by default.
  ///
  /// iOS terminates an app that enters the background while it holds a lock in a shared container, unless it
  /// recognizes the file as a database: 32 bytes are enough for that, and reveal nothing of the content. From
  /// 112 on, they can include names and rows. The salt, which is there otherwise, has to be kept by the
  /// program: see ``Key/raw(_:salt:)`` and ``Key/passphrase(_:salt:)``.
  ///
  /// See [PRAGMA cipher_plaintext_header_size](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_plaintext_header_size).
  public var plaintextHeaderSize = 0

  /// The settings of SQLCipher 4, for new files.
  public init() {}

  init(
    pageSize: Int, kdfIterations: Int, kdfAlgorithm: HashFunction, hmacAlgorithm: HashFunction?
  ) {
    self.pageSize = pageSize
    self.kdfIterations = kdfIterations
    self.kdfAlgorithm = kdfAlgorithm
    self.hmacAlgorithm = hmacAlgorithm
  }

  /// The settings of SQLCipher 1: pages of 1,024 bytes without HMAC, 4,000 rounds with SHA-1.
  public static let sqlcipher1 = CipherSettings(
    pageSize: 1_024, kdfIterations: 4_000, kdfAlgorithm: .sha1, hmacAlgorithm: nil)
  /// The settings of SQLCipher 2: as those of 1, and each page has an HMAC with SHA-1.
  public static let sqlcipher2 = CipherSettings(
    pageSize: 1_024, kdfIterations: 4_000, kdfAlgorithm: .sha1, hmacAlgorithm: .sha1)
  /// The settings of SQLCipher 3: as those of 2, with 64,000 rounds.
  public static let sqlcipher3 = CipherSettings(
    pageSize: 1_024, kdfIterations: 64_000, kdfAlgorithm: .sha1, hmacAlgorithm: .sha1)
  /// The settings of SQLCipher 4: pages of 4,096 bytes with an HMAC with SHA-512, 256,000 rounds with
  /// SHA-512.
  public static let sqlcipher4 = CipherSettings()

  /// The settings of SQLCipher's major versions, the newest first.
  static let versions: [(number: Int, settings: CipherSettings)] = [
    (4, .sqlcipher4), (3, .sqlcipher3), (2, .sqlcipher2), (1, .sqlcipher1),
  ]

  /// How many bytes at the end of each page SQLCipher needs for itself: a random block, and the code,
  /// in whole blocks.
  var reservedSize: Int {
    switch hmacAlgorithm {
    case nil: 16
    case .sha1, .sha256: 48
    case .sha512: 80
    }
  }

  /// Refuses what SQLCipher would take without a word, and fail with later.
  ///
  /// - Throws: ``DatabaseError`` with the operation `configure` and the code `misuse`.
  func validate() throws(DatabaseError) {
    // With less SQLite takes another page size than SQLCipher.
    guard (1_024...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
      throw Self.invalid("The page size is a power of two from 1024 to 65536, and not \(pageSize)")
    }
    guard (1...Int(Int32.max)).contains(kdfIterations) else {
      throw Self.invalid(
        "A key is derived in 1 to \(Int32.max) iterations, and not in \(kdfIterations)")
    }
    let limit = pageSize - reservedSize
    guard (0..<limit).contains(plaintextHeaderSize), plaintextHeaderSize % 16 == 0 else {
      throw Self.invalid(
        "The plaintext header has a multiple of 16 bytes, and with these settings less than \(limit): not \(plaintextHeaderSize)"
      )
    }
  }

  private static func invalid(_ message: String) -> DatabaseError {
    DatabaseError(.configure, code: .misuse, message).because(.invalidSettings)
  }
}
