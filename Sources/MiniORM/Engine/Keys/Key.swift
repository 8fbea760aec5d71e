/// The key of an encrypted database: a passphrase, or 32 raw bytes. For example,
/// `Key.passphrase(text)`.
///
/// MiniORM never prints a key, and never writes a key into SQL text. The bytes are kept in separate
/// memory, which is overwritten when the key's last copy is released. The original `String` or
/// array remains the caller's responsibility.
///
/// See [SQLCipher's key](https://www.zetetic.net/sqlcipher/sqlcipher-api/#key).
public struct Key: Sendable {
  enum Kind: Sendable { case passphrase, raw }

  let kind: Kind
  let secret: SecretBytes
  let salt: [UInt8]?

  /// Creates a passphrase key. PBKDF2 derives the encryption key each time a database is opened,
  /// which is slow by design: see ``CipherSettings/kdfIterations``.
  /// - Parameters:
  ///   - text: The passphrase, used as UTF-8. Opening a database with an empty passphrase throws.
  ///   - salt: 16 bytes, as for ``raw(_:salt:)``.
  public static func passphrase(_ text: String, salt: [UInt8]? = nil) -> Key {
    passphrase(bytes: text.utf8, salt: salt)
  }

  /// Creates a passphrase key from arbitrary bytes.
  /// - Parameters:
  ///   - bytes: The passphrase. Opening a database with an empty passphrase throws.
  ///   - salt: 16 bytes, as for ``raw(_:salt:)``.
  public static func passphrase(bytes: some Collection<UInt8>, salt: [UInt8]? = nil) -> Key {
    Key(kind: .passphrase, secret: SecretBytes(bytes), salt: salt)
  }

  /// Creates a raw key: the encryption key without derivation.
  /// - Parameters:
  ///   - bytes: 32 random bytes. Opening a database with any other count throws.
  ///   - salt: 16 bytes of salt. `nil` uses a random salt for a new file, and the stored salt of an
  ///     existing file. Required for a file with a plaintext header, which does not store its salt:
  ///     see ``CipherSettings/plaintextHeaderSize``.
  public static func raw(_ bytes: some Collection<UInt8>, salt: [UInt8]? = nil) -> Key {
    Key(kind: .raw, secret: SecretBytes(bytes), salt: salt)
  }
}

extension Key: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind of key, without its content.
  public var description: String {
    switch kind {
    case .passphrase: "Key.passphrase(hidden)"
    case .raw: "Key.raw(hidden)"
    }
  }
  /// The kind of key, without its content.
  public var debugDescription: String { description }
  /// A mirror without children, which hides the key's content and length.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
