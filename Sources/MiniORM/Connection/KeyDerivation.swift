#if canImport(CommonCrypto)
  import CommonCrypto
#else
  import COpenSSL
#endif

/// The key as SQLCipher takes it: `x'` 64 hexadecimal digits of key, 32 of salt `'`.
///
/// SQLCipher would derive the key from a passphrase for every connection, at half a second each. It
/// is derived here once, the way SQLCipher 4 does, and every connection is given the result.
///
/// See [SQLCipher's design](https://www.zetetic.net/sqlcipher/design/).
struct CipherKey: Sendable {
  static let saltCount = 16
  private static let keyCount = 32
  private static let iterations = 256_000

  /// The text `x'…'`.
  let text: SecretBytes
  let salt: [UInt8]

  /// Prepares a key.
  ///
  /// - Parameters:
  ///   - key: The user's key.
  ///   - fileSalt: The first 16 bytes of the file; nil when there is no file yet.
  init(_ key: Key, fileSalt: [UInt8]?) throws(DatabaseError) {
    guard key.secret.count > 0 else { throw DatabaseError(.key, code: .misuse, "The key is empty") }
    let secret: SecretBytes
    switch key.kind {
    case .passphrase:
      salt = fileSalt ?? Self.randomSalt()
      secret = try Self.derive(key.secret, salt)
    case .raw(let given):
      guard key.secret.count == Self.keyCount else {
        throw DatabaseError(
          .key, code: .misuse,
          "A raw key has \(Self.keyCount) bytes, and this one has \(key.secret.count)")
      }
      if let given, given.count != Self.saltCount {
        throw DatabaseError(
          .key, code: .misuse, "A salt has \(Self.saltCount) bytes, and this one has \(given.count)"
        )
      }
      salt = given ?? fileSalt ?? Self.randomSalt()
      secret = key.secret
    }
    let digits = Array("0123456789abcdef".utf8)
    let salt = salt
    text = SecretBytes(count: 2 * (Self.keyCount + Self.saltCount) + 3) { memory in
      var index = 0
      func append(_ byte: UInt8) {
        memory[index] = byte
        index += 1
      }
      func appendHexadecimal(_ byte: UInt8) {
        append(digits[Int(byte >> 4)])
        append(digits[Int(byte & 15)])
      }
      append(UInt8(ascii: "x"))
      append(UInt8(ascii: "'"))
      secret.withBytes { $0.forEach(appendHexadecimal) }
      salt.forEach(appendHexadecimal)
      append(UInt8(ascii: "'"))
    }
  }

  private static func randomSalt() -> [UInt8] {
    // The system's cryptographic source on every platform.
    var random = SystemRandomNumberGenerator()
    return (0..<saltCount).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// PBKDF2 with HMAC-SHA512.
  private static func derive(_ passphrase: SecretBytes, _ salt: [UInt8]) throws(DatabaseError)
    -> SecretBytes
  {
    try SecretBytes(count: keyCount) {
      (output: UnsafeMutableRawBufferPointer) throws(DatabaseError) in
      let derived = passphrase.withBytes { passphrase in
        let text = passphrase.assumingMemoryBound(to: CChar.self).baseAddress
        let bytes = output.assumingMemoryBound(to: UInt8.self).baseAddress
        #if canImport(CommonCrypto)
          return CCKeyDerivationPBKDF(
            CCPBKDFAlgorithm(kCCPBKDF2), text, passphrase.count, salt, salt.count,
            CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA512), UInt32(iterations), bytes, keyCount)
            == kCCSuccess
        #else
          guard let count = Int32(exactly: passphrase.count) else { return false }
          return PKCS5_PBKDF2_HMAC(
            text, count, salt, Int32(salt.count), Int32(iterations), EVP_sha512(),
            Int32(keyCount), bytes) == 1
        #endif
      }
      guard derived else { throw DatabaseError(.key, "The platform's PBKDF2 failed") }
    }
  }
}
