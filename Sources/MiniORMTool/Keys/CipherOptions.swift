import ArgumentParser
import MiniORM

/// The cipher settings of a file that does not have the settings of SQLCipher 4.
struct CipherOptions: ParsableArguments {
  enum MAC: String, CaseIterable, ExpressibleByArgument { case sha1, sha256, sha512, none }
  enum Hash: String, CaseIterable, ExpressibleByArgument { case sha1, sha256, sha512 }

  @Option(
    name: .customLong("cipher-version"),
    help: "The version of SQLCipher whose settings the file has, 1 to 4.")
  var version: Int?

  @Option(name: .customLong("cipher-page-size"), help: "The page size in bytes.")
  var pageSize: Int?

  @Option(name: .customLong("kdf-iterations"), help: "The number of PBKDF2 iterations.")
  var iterations: Int?

  @Option(name: .customLong("kdf-algorithm"), help: "The hash function of PBKDF2.")
  var kdf: Hash?

  @Option(name: .customLong("hmac"), help: "The hash function of the pages' HMAC, or none.")
  var hmac: MAC?

  @Option(
    name: .customLong("plaintext-header"),
    help: "The number of bytes at the start of the file that are not encrypted, such as 32.")
  var headerSize: Int?

  @Option(
    help:
      "The salt, 32 hexadecimal digits, of a file with a plaintext header. A salt is not secret.")
  var salt: String?

  /// True if an option other than the salt was given.
  var isGiven: Bool {
    version != nil || pageSize != nil || iterations != nil || kdf != nil || hmac != nil
      || headerSize != nil
  }

  static let versions: [CipherSettings] = [.sqlcipher1, .sqlcipher2, .sqlcipher3, .sqlcipher4]

  func validate() throws {
    guard version.map({ (1...4).contains($0) }) ?? true else {
      throw ValidationError("--cipher-version takes 1, 2, 3 or 4.")
    }
    guard salt == nil || saltBytes != nil else {
      throw ValidationError("--salt takes 32 hexadecimal digits, the 16 bytes of the salt.")
    }
  }

  var saltBytes: [UInt8]? {
    guard let bytes = salt.flatMap({ Array($0.utf8).hexadecimalBytes }), bytes.count == 16 else {
      return nil
    }
    return bytes
  }

  /// - Parameter hasPlainHeader: True if the file seems to have a plaintext header. The default
  ///   size is 32 bytes, as SQLCipher recommends for iOS.
  func settings(hasPlainHeader: Bool) -> CipherSettings {
    var settings = Self.versions[(version ?? 4) - 1]
    if let pageSize { settings.pageSize = pageSize }
    if let iterations { settings.kdfIterations = iterations }
    if let kdf {
      settings.kdfAlgorithm =
        CipherSettings.HashFunction(rawValue: kdf.rawValue.uppercased())
        ?? settings.kdfAlgorithm
    }
    if let hmac { settings.hmacAlgorithm = .init(rawValue: hmac.rawValue.uppercased()) }
    if let size = headerSize ?? (hasPlainHeader ? 32 : nil) { settings.plaintextHeaderSize = size }
    return settings
  }
}
