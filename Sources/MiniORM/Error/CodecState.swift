import CSQLCipher
import Synchronization

/// Whether SQLCipher still decrypts what a connection reads.
///
/// After one page whose code does not fit, SQLCipher from 4.7 on decrypts no other of that file either, until the
/// connection is closed. Up to 4.12 SQLite says then that it is out of memory. Later versions read zeros, which SQLite
/// notices in most pages, but not in the last one of a long value, nor where it copies pages.
enum CodecState {
  /// Whether SQLCipher tells of it: from 4.12 on.
  ///
  /// See [PRAGMA cipher_status](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_status).
  static var isTold: Bool { traits & told != 0 }

  /// Whether it lasts until the connection is closed.
  static var lasts: Bool { traits & lasting != 0 }

  private static let (told, lasting) = (1, 2)
  /// What is known of the library; -1 for nothing.
  private static let known = Atomic(-1)

  private static var traits: Int {
    let traits = known.load(ordering: .relaxed)
    guard traits < 0 else { return traits }
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    guard SQLiteLibrary.openInMemory(&database) == SQLITE_OK, let database,
      let version = try? SQLiteLibrary.value("PRAGMA cipher_version", database)
    else {
      // For want of memory: it is asked again, and looked at more closely than it may need until then.
      return told | lasting
    }
    var found = 0
    if !version.startsWithBytes(of: "4.6.") { found |= lasting }
    // Without an error there is no such PRAGMA.
    do throws(SQLiteLibrary.WithoutMemory) {
      if try SQLiteLibrary.value("PRAGMA cipher_status", database) != nil { found |= told }
    } catch {
      return told | lasting
    }
    known.store(found, ordering: .relaxed)
    return found
  }

  /// Returns whether a file of a connection is no longer decrypted.
  /// - Parameter code: What the last call on the connection has returned.
  static func hasFailed(on database: OpaquePointer, after code: Int32 = SQLITE_OK) -> Bool {
    (try? isLost(database, after: code)) ?? false
  }

  private static func isLost(
    _ database: OpaquePointer, after code: Int32
  ) throws(SQLiteLibrary.WithoutMemory) -> Bool {
    guard isTold || lasts && code & 0xff == SQLITE_NOMEM else { return false }
    for schema in SchemaNames(of: database).lazy.map(\.quotedIdentifier) {
      // A file that is not encrypted has none.
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

  /// Returns whether SQLite says that there is no memory to read a file, although there is.
  private static func isOutOfMemory(_ schema: String, _ database: OpaquePointer) -> Bool {
    guard SQLiteLibrary.hasMemory else { return false }
    let sql = "PRAGMA \(schema).schema_version"
    return sqlite3_exec(database, sql, nil, nil, nil) & 0xff == SQLITE_NOMEM
  }

  /// Throws where pages that have been read may be zeros.
  /// - Parameters:
  ///   - operation: What was done.
  ///   - path: The file.
  static func check(
    _ database: OpaquePointer, _ operation: DatabaseError.Operation, path: String
  ) throws(DatabaseError) {
    guard isTold else { return }
    do throws(SQLiteLibrary.WithoutMemory) {
      guard try isLost(database, after: SQLITE_OK) else { return }
    } catch {
      throw DatabaseError(operation, code: SQLITE_NOMEM, from: nil, path: path)
    }
    throw failure(operation, path: path)
  }

  /// The error for a page that could not be decrypted.
  static func failure(_ operation: DatabaseError.Operation, path: String) -> DatabaseError {
    DatabaseError(
      operation, code: .notADatabase,
      "A page of the file could not be decrypted: it was damaged, or replaced since the file was opened",
      path: path)
  }
}
