/// The key of an encrypted database: a passphrase, or 32 raw bytes.
///
/// A key is never printed and never written into SQL. Its bytes are kept in separate memory, which is
/// overwritten when the last copy of the key is released. The `String` or array that it was made from is your
/// own responsibility.
///
/// See [SQLCipher's key](https://www.zetetic.net/sqlcipher/sqlcipher-api/#key).
public struct Key: Sendable {
  enum Kind: Sendable { case passphrase, raw }

  let kind: Kind
  let secret: SecretBytes
  /// The salt that the user gave.
  let salt: [UInt8]?

  /// Returns a passphrase with any content. The encryption key is derived from it with PBKDF2,
  /// which takes about half a second, once for each opening of a database.
  /// - Parameters:
  ///   - text: The passphrase, used as UTF-8. An empty one is refused when the database is opened.
  ///   - salt: 16 bytes, as for ``raw(_:salt:)``.
  public static func passphrase(_ text: String, salt: [UInt8]? = nil) -> Key {
    passphrase(bytes: text.utf8, salt: salt)
  }

  /// Returns a passphrase that need not be text.
  /// - Parameters:
  ///   - bytes: The passphrase. An empty one is refused when the database is opened.
  ///   - salt: 16 bytes, as for ``raw(_:salt:)``.
  public static func passphrase(bytes: some Collection<UInt8>, salt: [UInt8]? = nil) -> Key {
    Key(kind: .passphrase, secret: SecretBytes(bytes), salt: salt)
  }

  /// Returns the encryption key itself: nothing is derived, so opening is immediate.
  /// - Parameters:
  ///   - bytes: 32 random bytes. Another count is refused when the database is opened.
  ///   - salt: The 16 bytes of salt for the head of a new file, or those that a file has there already.
  ///     `nil` takes random ones, or the file's own. It is needed where the head of the file is not
  ///     encrypted, for no salt stands there: see ``CipherSettings/plaintextHeaderSize``.
  public static func raw(_ bytes: some Collection<UInt8>, salt: [UInt8]? = nil) -> Key {
    Key(kind: .raw, secret: SecretBytes(bytes), salt: salt)
  }
}

extension Key: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind of key, and nothing of its content.
  public var description: String {
    switch kind {
    case .passphrase: "Key.passphrase(hidden)"
    case .raw: "Key.raw(hidden)"
    }
  }
  /// The kind of key, and nothing of its content.
  public var debugDescription: String { description }
  /// Nothing: neither the content of the key nor how long it is.
  public var customMirror: Mirror { Mirror(self, children: []) }  // hides, and reads nothing
}
