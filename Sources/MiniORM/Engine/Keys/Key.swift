/// The key of an encrypted database: a passphrase, or 32 raw bytes. For example,
/// `Key.passphrase(text)`.
///
/// MiniORM never prints a key, never puts a key into SQL text, and overwrites the memory of a key
/// when the last copy is released. The original `String` or array remains the caller's
/// responsibility.
///
/// See [SQLCipher's key](https://www.zetetic.net/sqlcipher/sqlcipher-api/#key).
public struct Key: Sendable {
  enum Kind: Sendable { case passphrase, raw }

  let kind: Kind
  let secret: SecretBytes
  let salt: [UInt8]?

  /// Creates a passphrase key. Opening a database derives the encryption key from the passphrase by
  /// PBKDF2, which is slow by design: see ``CipherSettings/kdfIterations``.
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

  /// Creates a raw key, used for encryption without derivation.
  /// - Parameters:
  ///   - bytes: 32 random bytes. Opening a database with any other count throws.
  ///   - salt: 16 bytes of salt. With `nil`, a new file gets a random salt, and an existing file's
  ///     salt is read from the file. A file with a plaintext header does not store its salt and
  ///     needs this parameter: see ``CipherSettings/plaintextHeaderSize``.
  public static func raw(_ bytes: some Collection<UInt8>, salt: [UInt8]? = nil) -> Key {
    Key(kind: .raw, secret: SecretBytes(bytes), salt: salt)
  }
}

@_documentation(visibility: internal)
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
