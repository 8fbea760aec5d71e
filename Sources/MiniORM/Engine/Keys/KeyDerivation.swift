import CSQLCipher
import Synchronization

#if canImport(CommonCrypto)
  import CommonCrypto
#else
  import COpenSSL
#endif

/// A key in SQLCipher's format: `x'` + 64 hexadecimal digits of key + 32 of salt + `'`. In this
/// format, SQLCipher does not derive a passphrase again for each connection.
///
/// See [SQLCipher's design](https://www.zetetic.net/sqlcipher/design/).
package struct CipherKey: Sendable {
  static let saltCount = 16
  private static let keyCount = 32
  /// The number of passphrase derivations, for tests.
  static let derivations = Atomic(0)

  let text: SecretBytes
  package let salt: [UInt8]
  package let settings: CipherSettings

  /// - Parameter fileSalt: The salt in the file, if any.
  package init(
    _ key: Key, fileSalt: [UInt8]?, settings: CipherSettings = .sqlcipher4
  ) throws(DatabaseError) {
    try settings.validate()
    try Self.check(key)
    self.settings = settings
    if let given = key.salt ?? fileSalt {
      salt = given
    } else if settings.plaintextHeaderSize == 0 {
      salt = Self.randomSalt()
    } else {
      throw Self.invalid(
        "A file with a plaintext header does not store its salt: give the salt with the key")
    }
    var secret = key.secret
    if key.kind == .passphrase {
      Self.derivations.add(1, ordering: .relaxed)
      secret = try Self.derive(
        secret, salt, settings.kdfAlgorithm, iterations: settings.kdfIterations)
    }
    let salt = salt
    text = SecretBytes(count: 2 * (Self.keyCount + Self.saltCount) + 3) { memory in
      var index = 0
      func append(_ byte: UInt8) {
        memory[index] = byte
        index += 1
      }
      func appendHexadecimal(_ byte: UInt8) {
        append(Self.digit(byte >> 4))
        append(Self.digit(byte & 15))
      }
      append(UInt8(ascii: "x"))
      append(UInt8(ascii: "'"))
      secret.withBytes { $0.forEach(appendHexadecimal) }
      salt.forEach(appendHexadecimal)
      append(UInt8(ascii: "'"))
    }
  }

  /// Creates the key for a file with a different salt. Valid only for raw keys.
  init(_ key: CipherKey, fileSalt: [UInt8]?) {
    settings = key.settings
    guard let fileSalt, fileSalt.count == Self.saltCount, fileSalt != key.salt else {
      (text, salt) = (key.text, key.salt)
      return
    }
    salt = fileSalt
    text = SecretBytes(count: key.text.count) { memory in
      key.text.withBytes { memory.copyMemory(from: $0) }
      // The salt follows x' and the digits of the key.
      for (index, byte) in fileSalt.enumerated() {
        memory[2 * (Self.keyCount + index) + 2] = Self.digit(byte >> 4)
        memory[2 * (Self.keyCount + index) + 3] = Self.digit(byte & 15)
      }
    }
  }

  /// A key that needs no derivation and protects nothing.
  static var zeros: CipherKey {
    get throws(DatabaseError) {
      try CipherKey(.raw([UInt8](repeating: 0, count: keyCount)), fileSalt: nil)
    }
  }

  /// Sets the key of a connection. Returns SQLite's code.
  func set(on database: OpaquePointer) -> Int32 {
    text.withBytes { miniorm_key(database, $0.baseAddress, Int32($0.count)) }
  }

  /// The same key, already derived.
  package var rawKey: Key { Key(kind: .raw, secret: bytes, salt: salt) }

  package var bytes: SecretBytes {
    text.withBytes { text in
      func number(_ index: Int) -> UInt8 {
        let byte = text[index]
        return byte < UInt8(ascii: "a") ? byte - UInt8(ascii: "0") : byte - UInt8(ascii: "a") + 10
      }
      return SecretBytes(count: Self.keyCount) { memory in
        for index in 0..<Self.keyCount {
          memory[index] = number(2 + 2 * index) << 4 | number(3 + 2 * index)
        }
      }
    }
  }

  private static func digit(_ number: UInt8) -> UInt8 {
    number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10
  }

  static func check(_ key: Key) throws(DatabaseError) {
    guard key.secret.count > 0 else {
      throw invalid("The key is empty: give a passphrase or a raw key")
    }
    if case .raw = key.kind, key.secret.count != keyCount {
      throw invalid("A raw key must have \(keyCount) bytes, not \(key.secret.count)")
    }
    if let salt = key.salt, salt.count != saltCount {
      throw invalid("A salt must have \(saltCount) bytes, not \(salt.count)")
    }
  }

  private static func invalid(_ message: String) -> DatabaseError {
    DatabaseError(.key, code: .misuse, message).because(.invalidKey)
  }

  private static func randomSalt() -> [UInt8] {
    // This generator is cryptographically secure on every platform.
    var random = SystemRandomNumberGenerator()
    return (0..<saltCount).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  static func derive(
    _ passphrase: SecretBytes, _ salt: [UInt8], _ algorithm: CipherSettings.HashFunction,
    iterations: Int
  ) throws(DatabaseError) -> SecretBytes {
    try SecretBytes(count: keyCount) {
      (output: UnsafeMutableRawBufferPointer) throws(DatabaseError) in
      let derived = passphrase.withBytes { passphrase in
        let text = passphrase.assumingMemoryBound(to: CChar.self).baseAddress
        let bytes = output.assumingMemoryBound(to: UInt8.self).baseAddress
        #if canImport(CommonCrypto)
          let function =
            switch algorithm {
            case .sha1: kCCPRFHmacAlgSHA1
            case .sha256: kCCPRFHmacAlgSHA256
            case .sha512: kCCPRFHmacAlgSHA512
            }
          return CCKeyDerivationPBKDF(
            CCPBKDFAlgorithm(kCCPBKDF2), text, passphrase.count, salt, salt.count,
            CCPseudoRandomAlgorithm(function), UInt32(clamping: iterations), bytes,
            keyCount) == kCCSuccess
        #else
          guard let count = Int32(exactly: passphrase.count) else { return false }
          return PKCS5_PBKDF2_HMAC(
            text, count, salt, Int32(salt.count), Int32(clamping: iterations),
            algorithm.digest, Int32(keyCount), bytes) == 1
        #endif
      }
      guard derived else { throw DatabaseError(.key, "The platform's PBKDF2 failed") }
    }
  }
}
