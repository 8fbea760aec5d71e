import CSQLCipher

/// A licence code for a commercial edition of SQLCipher, hidden from descriptions and errors.
///
/// See [SQLCipher's licence codes](https://www.zetetic.net/sqlcipher/sqlcipher-license-codes).
public struct CipherLicense: Sendable {
  private let code: String

  /// Creates a licence for ``Configuration/cipherLicense``.
  /// - Parameter code: The code as issued by Zetetic.
  public init(_ code: String) { self.code = code }

  /// Runs PRAGMA cipher_license. The community edition ignores the PRAGMA.
  func give(to database: OpaquePointer) throws(DatabaseError) {
    // SQLCipher has no C function for the licence, and a PRAGMA takes no bound values.
    guard (1...1 << 16).contains(code.utf8.count), !code.utf8.contains(0) else {
      throw DatabaseError(
        .key, code: .misuse,
        "SQLCipher's licence code is empty, too long, or contains a NUL character: give the code as issued"
      )
    }
    // At verbose levels, SQLCipher logs the values of all PRAGMAs except the key PRAGMAs.
    let level = try Connection.text("PRAGMA cipher_log_level", database) ?? "NONE"
    _ = try Connection.text("PRAGMA cipher_log_level = NONE", database)
    defer { _ = try? Connection.text("PRAGMA cipher_log_level = \(level)", database) }
    do throws(DatabaseError) {
      _ = try Connection.text("PRAGMA cipher_license = \(code.quotedLiteral)", database)
    } catch {
      // SQLite's message may contain the licence code.
      throw DatabaseError(
        .key, code: error.code,
        "SQLCipher refused the licence code: check Configuration.cipherLicense")
    }
  }
}

@_documentation(visibility: internal)
extension CipherLicense: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A placeholder without the code.
  public var description: String { "CipherLicense(hidden)" }
  /// A placeholder without the code.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
