import ArgumentParser
import MiniORM

/// The cipher settings of a file that does not have the settings of SQLCipher 4.
struct CipherOptions: ParsableArguments {
  enum MAC: String, CaseIterable, ExpressibleByArgument { case sha1, sha256, sha512, none }
  enum Hash: String, CaseIterable, ExpressibleByArgument { case sha1, sha256, sha512 }

  @Option(help: "The version of SQLCipher whose settings the file has, 1 to 4.")
  var cipherVersion: Int?

  @Option(help: "The page size in bytes.")
  var cipherPageSize: Int?

  @Option(help: "The number of PBKDF2 iterations.")
  var kdfIterations: Int?

  @Option(help: "The hash function of PBKDF2.")
  var kdfAlgorithm: Hash?

  @Option(help: "The hash function of the pages' HMAC, or none.")
  var hmac: MAC?

  @Option(help: "The number of bytes at the start of the file that are not encrypted, such as 32.")
  var plaintextHeader: Int?

  @Option(
    help:
      "The salt, 32 hexadecimal digits, of a file with a plaintext header. A salt is not secret.")
  var salt: String?

  /// True if an option other than the salt was given.
  var isGiven: Bool {
    cipherVersion != nil || cipherPageSize != nil || kdfIterations != nil || kdfAlgorithm != nil
      || hmac != nil || plaintextHeader != nil
  }

  static let versions: [CipherSettings] = [.sqlcipher1, .sqlcipher2, .sqlcipher3, .sqlcipher4]

  func validate() throws {
    guard cipherVersion.map({ (1...4).contains($0) }) ?? true else {
      throw ValidationError("--cipher-version takes 1, 2, 3 or 4.")
    }
    guard salt == nil || saltBytes != nil else {
      throw ValidationError("--salt takes 32 hexadecimal digits, the 16 bytes of the salt.")
    }
  }

  var saltBytes: [UInt8]? {
    let bytes = salt.flatMap { Array($0.utf8).hexadecimalBytes }
    return bytes?.count == 16 ? bytes : nil
  }

  /// - Parameter hasPlainHeader: True if the file seems to have a plaintext header. The default
  ///   size is 32 bytes, as SQLCipher recommends for iOS.
  func configuration(hasPlainHeader: Bool = false) -> Configuration {
    var settings = Self.versions[(cipherVersion ?? 4) - 1]
    if let cipherPageSize { settings.pageSize = cipherPageSize }
    if let kdfIterations { settings.kdfIterations = kdfIterations }
    settings.kdfAlgorithm =
      kdfAlgorithm.flatMap { .init(rawValue: $0.rawValue.uppercased()) } ?? settings.kdfAlgorithm
    if let hmac { settings.hmacAlgorithm = .init(rawValue: hmac.rawValue.uppercased()) }
    if let size = plaintextHeader ?? (hasPlainHeader ? 32 : nil) {
      settings.plaintextHeaderSize = size
    }
    var configuration = Configuration()
    configuration.cipher = settings
    return configuration
  }
}
