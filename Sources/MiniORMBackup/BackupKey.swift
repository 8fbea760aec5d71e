import MiniORM

/// Authenticates the objects of a continuous backup. HKDF derives the key from the file's key, which
/// stays unknown to everyone who learns the derived key.
///
/// See [RFC 5869](https://www.rfc-editor.org/rfc/rfc5869).
struct BackupKey: Sendable {
  /// The salt at the start of the file, which is not secret.
  let salt: [UInt8]
  /// The key of the file, already derived.
  let fileKey: Key
  private let key: SecretBytes

  init(_ key: Key, salt: [UInt8], settings: CipherSettings) throws(DatabaseError) {
    try self.init(CipherKey(key, fileSalt: salt, settings: settings))
  }

  init(_ cipher: CipherKey) throws(DatabaseError) {
    salt = cipher.salt
    fileKey = cipher.rawKey
    let extracted = try Self.code(SecretBytes(cipher.salt), cipher.bytes)
    // The number of the only block follows the purpose.
    key = try Self.code(extracted, SecretBytes(Array("MiniORM continuous backup".utf8) + [1]))
  }

  /// Returns the HMAC with SHA-256.
  func code(of data: [UInt8]) throws(DatabaseError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    let isDone = data.withUnsafeBytes { data in
      code.withUnsafeMutableBytes { key.authenticate(data, .sha256, into: $0) }
    }
    guard isDone else { throw Self.failure }
    return code
  }

  /// A fingerprint of the key. The names of generations show it.
  func tag() throws(DatabaseError) -> UInt32 {
    UInt32(truncatingIfNeeded: try code(of: Array("MiniORM key".utf8)).number(0, 4))
  }

  /// Returns the identity that names show. It depends on the salt, so that an object with another salt,
  /// and therefore with other keys, belongs to another file.
  static func file(_ identity: [UInt8], salt: [UInt8]) throws(DatabaseError) -> [UInt8] {
    try code(SecretBytes(identity), SecretBytes(salt)).withBytes { Array($0.prefix(16)) }
  }

  private static func code(
    _ key: SecretBytes, _ data: SecretBytes
  ) throws(DatabaseError) -> SecretBytes {
    try SecretBytes(count: 32) { (code: UnsafeMutableRawBufferPointer) throws(DatabaseError) in
      guard data.withBytes({ key.authenticate($0, .sha256, into: code) }) else { throw failure }
    }
  }

  private static var failure: DatabaseError { DatabaseError(.key, "The platform's HMAC failed") }
}
