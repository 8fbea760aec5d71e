import CSQLCipher

/// The key of an encrypted database: a passphrase, or 32 raw bytes.
///
/// A key is never printed and never written into SQL. Its bytes are held in memory of their own,
/// which is overwritten when the last copy of the key goes. The `String` or array that it was made
/// from is yours to care for.
///
/// See [SQLCipher's key](https://www.zetetic.net/sqlcipher/sqlcipher-api/#key).
public struct Key: Sendable {
  enum Kind: Sendable {
    case passphrase
    case raw(salt: [UInt8]?)
  }

  let kind: Kind
  let secret: SecretBytes

  /// A passphrase with any content. The encryption key is derived from it with PBKDF2, which takes
  /// about half a second, once for each opening of a database.
  /// - Parameter text: The passphrase, used as UTF-8. An empty one is refused when the database is
  ///   opened.
  public static func passphrase(_ text: String) -> Key { passphrase(bytes: text.utf8) }

  /// A passphrase that need not be text.
  /// - Parameter bytes: The passphrase. An empty one is refused when the database is opened.
  public static func passphrase(bytes: some Collection<UInt8>) -> Key {
    Key(kind: .passphrase, secret: SecretBytes(bytes))
  }

  /// The encryption key itself: nothing is derived, so opening is immediate.
  /// - Parameters:
  ///   - bytes: 32 random bytes. Another count is refused when the database is opened.
  ///   - salt: The 16 bytes of salt for the head of a new file, or those that a file has there already.
  ///     `nil` takes random ones, or the file's own. A file whose head is plain text is not opened.
  public static func raw(_ bytes: some Collection<UInt8>, salt: [UInt8]? = nil) -> Key {
    Key(kind: .raw(salt: salt), secret: SecretBytes(bytes))
  }
}

extension Key: CustomStringConvertible, CustomDebugStringConvertible {
  /// The kind of key, and nothing of its content.
  public var description: String {
    switch kind {
    case .passphrase: "Key.passphrase(hidden)"
    case .raw: "Key.raw(hidden)"
    }
  }
  /// The kind of key, and nothing of its content.
  public var debugDescription: String { description }
}

/// Bytes that are overwritten before their memory is given back.
final class SecretBytes: @unchecked Sendable {
  // 1. The memory is written in the initializers, before anybody else sees the object. 2.
  // Afterwards it is only read. 3. It is wiped in deinit, when nobody holds the object any more.
  private let memory: UnsafeMutableRawBufferPointer

  var count: Int { memory.count }

  init(_ bytes: some Collection<UInt8>) {
    memory = .allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
  }

  /// Makes bytes by filling their memory.
  init<E: Error>(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void) throws(E) {
    memory = .allocate(byteCount: count, alignment: 1)
    do {
      try fill(memory)
    } catch {
      miniorm_wipe(memory.baseAddress, memory.count)
      memory.deallocate()
      throw error
    }
  }

  deinit {
    miniorm_wipe(memory.baseAddress, memory.count)
    memory.deallocate()
  }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(memory))
  }
}
