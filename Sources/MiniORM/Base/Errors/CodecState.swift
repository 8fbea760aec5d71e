import CSQLCipher
import Synchronization

/// Detects a connection whose codec failed and no longer decrypts pages.
///
/// From SQLCipher 4.7 on, a page that fails its HMAC check stops decryption until the connection is
/// closed. Before 4.12, SQLite then reports `SQLITE_NOMEM`. Later versions read zeros, unnoticed in
/// the last overflow page of a value, and during a copy of pages.
enum CodecState {
  /// True if SQLCipher reports the failure in `PRAGMA cipher_status`: from SQLCipher 4.12 on.
  ///
  /// See [PRAGMA cipher_status](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_status).
  static var isTold: Bool { traits & told != 0 }

  /// True if the failure lasts until the connection is closed: from SQLCipher 4.7 on.
  static var lasts: Bool { traits & lasting != 0 }

  private static let (told, lasting) = (1, 2)
  private static let known = Atomic(-1)

  private static var traits: Int {
    let traits = known.load(ordering: .relaxed)
    guard traits < 0 else { return traits }
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    // Without memory, query the library again on the next call.
    guard SQLiteLibrary.openInMemory(&database) == SQLITE_OK, let database else {
      return told | lasting
    }
    var found = 0
    do throws(DatabaseError) {
      let version = try SQLiteLibrary.value("PRAGMA cipher_version", database) ?? ""
      if !version.startsWithBytes(of: "4.6.") { found |= lasting }
      // Older versions do not have the PRAGMA, which returns no row then.
      if try SQLiteLibrary.value("PRAGMA cipher_status", database) != nil { found |= told }
    } catch {
      return told | lasting
    }
    known.store(found, ordering: .relaxed)
    return found
  }

  /// True if SQLCipher no longer decrypts pages.
  /// - Parameter code: The code of the failed call, if there is one.
  static func isLost(
    _ database: OpaquePointer, after code: Int32 = SQLITE_OK
  ) throws(DatabaseError) -> Bool {
    guard isTold || lasts && code & 0xff == SQLITE_NOMEM else { return false }
    for schema in SQLiteLibrary.schemas(of: database).lazy.map(\.quotedIdentifier) {
      // An unencrypted file has no page size here.
      let pageSize = try SQLiteLibrary.value("PRAGMA \(schema).cipher_page_size", database)
      guard pageSize != nil else { continue }
      guard isTold else {
        if isOutOfMemory(schema, database) { return true }
        continue
      }
      if try SQLiteLibrary.value("PRAGMA \(schema).cipher_status", database) == "0" { return true }
    }
    return false
  }

  private static func isOutOfMemory(_ schema: String, _ database: OpaquePointer) -> Bool {
    guard SQLiteLibrary.hasMemory else { return false }
    let sql = "PRAGMA \(schema).schema_version"
    return SQLiteLibrary.trusting(on: database) {
      sqlite3_exec(database, sql, nil, nil, nil) & 0xff == SQLITE_NOMEM
    }
  }

  /// Throws if pages read so far may contain zeros.
  static func check(
    _ database: OpaquePointer, _ operation: DatabaseError.Operation, path: String
  ) throws(DatabaseError) {
    let isLost: Bool
    do throws(DatabaseError) {
      isLost = try Self.isLost(database)
    } catch {
      throw DatabaseError(operation, code: error.code, error.message, path: path)
    }
    guard !isLost else { throw failure(operation, path: path) }
  }

  static func failure(_ operation: DatabaseError.Operation, path: String) -> DatabaseError {
    DatabaseError(
      operation, code: .notADatabase,
      "A page of the file could not be decrypted: the page is damaged, or the file was replaced after it was opened. Open the file again, and call integrityReport()",
      path: path)
  }
}
