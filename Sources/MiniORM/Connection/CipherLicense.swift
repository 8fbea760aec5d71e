import CSQLCipher

/// The code that unlocks a commercial edition of SQLCipher. It is never printed, and in no error.
///
/// See [SQLCipher's licence codes](https://www.zetetic.net/sqlcipher/sqlcipher-license-codes).
public struct CipherLicense: Sendable {
  private let secret: SecretBytes

  /// Creates a licence.
  /// - Parameter code: The code, as Zetetic sends it.
  public init(_ code: String) { secret = SecretBytes(code.utf8) }

  /// Unlocks the library. The community's edition does not know the PRAGMA, and does nothing.
  func give(to database: OpaquePointer) throws(DatabaseError) {
    // SQLCipher has no function of C for it, and a PRAGMA takes no bound value.
    guard let sql = statement else {
      throw DatabaseError(
        .key, code: .misuse, "SQLCipher's licence code is empty, too long, or holds a NUL character"
      )
    }
    // Its log has the value of each PRAGMA but the keys', where it tells much.
    let level = try Connection.text("PRAGMA cipher_log_level", database) ?? "NONE"
    _ = try Connection.text("PRAGMA cipher_log_level = NONE", database)
    defer { _ = try? Connection.text("PRAGMA cipher_log_level = \(level)", database) }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let code = Authorizer.trusting(on: database) {
      let code = sql.withBytes { sql in
        sqlite3_prepare_v2(
          database, sql.assumingMemoryBound(to: CChar.self).baseAddress, Int32(sql.count),
          &statement, nil)
      }
      return code == SQLITE_OK ? sqlite3_step(statement) : code
    }
    guard code == SQLITE_ROW || code == SQLITE_DONE else {
      // SQLite's message may quote the code.
      throw DatabaseError(
        .key, code: ResultCode(rawValue: code), "SQLCipher refused the licence code")
    }
  }

  /// The PRAGMA with the code in quotes, each quote in it doubled. `nil` where none can be written.
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

extension CipherLicense: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Nothing of the code.
  public var description: String { "CipherLicense(hidden)" }
  /// Nothing of the code.
  public var debugDescription: String { description }
  /// Nothing of the code.
  public var customMirror: Mirror { Mirror(self, children: []) }  // hides, and reads nothing
}
