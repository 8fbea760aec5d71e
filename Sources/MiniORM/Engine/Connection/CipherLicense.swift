import CSQLCipher

/// A licence code for a commercial edition of SQLCipher, hidden from descriptions and errors.
///
/// See [SQLCipher's licence codes](https://www.zetetic.net/sqlcipher/sqlcipher-license-codes).
public struct CipherLicense: Sendable {
  private let secret: SecretBytes

  /// Creates a licence for ``Configuration/cipherLicense``.
  /// - Parameter code: The code as issued by Zetetic.
  public init(_ code: String) { secret = SecretBytes(code.utf8) }

  /// Runs PRAGMA cipher_license. The community edition ignores the PRAGMA.
  func give(to database: OpaquePointer) throws(DatabaseError) {
    // SQLCipher has no C function for the licence, and a PRAGMA takes no bound values.
    guard let sql = statement else {
      throw DatabaseError(
        .key, code: .misuse,
        "SQLCipher's licence code is empty, too long, or contains a NUL character: give the code as issued"
      )
    }
    // At verbose levels, SQLCipher logs the values of all PRAGMAs except the key PRAGMAs.
    let level = try Connection.text("PRAGMA cipher_log_level", database) ?? "NONE"
    _ = try Connection.text("PRAGMA cipher_log_level = NONE", database)
    defer { _ = try? Connection.text("PRAGMA cipher_log_level = \(level)", database) }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let code = SQLiteLibrary.trusting(on: database) {
      let code = sql.withBytes { sql in
        sqlite3_prepare_v2(
          database, sql.assumingMemoryBound(to: CChar.self).baseAddress, Int32(sql.count),
          &statement, nil)
      }
      return code == SQLITE_OK ? sqlite3_step(statement) : code
    }
    guard code == SQLITE_ROW || code == SQLITE_DONE else {
      // SQLite's message may contain the licence code.
      throw DatabaseError(
        .key, code: ResultCode(rawValue: code),
        "SQLCipher refused the licence code: check Configuration.cipherLicense")
    }
  }

  /// The PRAGMA with the quoted code; nil if the code is empty, too long or contains a NUL.
  private var statement: SecretBytes? {
    let quote = UInt8(ascii: "'")
    let quotes: Int? = secret.withBytes { code in
      code.isEmpty || code.contains(0) || code.count > 1 << 16
        ? nil : code.count { $0 == quote }
    }
    guard let quotes else { return nil }
    let head = Array("PRAGMA cipher_license = '".utf8)
    return SecretBytes(count: head.count + secret.count + quotes + 1) { memory in
      memory.copyBytes(from: head)
      var index = head.count
      func append(_ byte: UInt8) {
        memory[index] = byte
        index += 1
      }
      secret.withBytes { code in
        for byte in code {
          if byte == quote { append(quote) }
          append(byte)
        }
      }
      append(quote)
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
