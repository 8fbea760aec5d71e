import CSQLCipher

/// The error that an SQL function in Swift threw, stored until the statement fails.
///
/// SQLite itself reacts to some codes with a rollback or a recompilation. So the function reports
/// SQLITE_ERROR, and the statement's error gets the original code here.
///
/// See [Database Connection Client Data](https://www.sqlite.org/c3ref/get_clientdata.html).
final class ThrownError {
  private let error: DatabaseError
  private let message: String

  private init(_ error: DatabaseError, _ message: String) {
    (self.error, self.message) = (error, message)
  }

  private static let name = "miniorm.thrown"

  static func keep(_ error: DatabaseError, saying message: String, on database: OpaquePointer?) {
    let kept = CallbackContext.retained(ThrownError(error, message))
    // SQLite calls the destructor even if it runs out of memory. The statement then fails without
    // the code.
    _ = sqlite3_set_clientdata(database, name, kept) { pointer in
      if let pointer { CallbackContext<ThrownError>.release(pointer) }
    }
  }

  static func take(_ message: String, on database: OpaquePointer) -> DatabaseError? {
    guard let pointer = sqlite3_get_clientdata(database, name) else { return nil }
    let kept = CallbackContext<ThrownError>.object(pointer)
    let isSame = kept.message.hasSameBytes(as: message)
    let error = kept.error
    _ = sqlite3_set_clientdata(database, name, nil, nil)
    return isSame ? error : nil
  }
}
