import CSQLCipher

/// What an SQL function written in Swift has thrown, kept beside the connection until the statement has
/// failed with it.
///
/// To SQLite a code means more than to a caller: with some of them it rolls the transaction back, with
/// others it compiles the statement again. So it is told of a plain failure, and the error of the
/// statement gets the code here.
///
/// See [Database Connection Client Data](https://www.sqlite.org/c3ref/get_clientdata.html).
final class ThrownError {
  private let error: DatabaseError
  /// The message that SQLite was given for it.
  private let message: String

  private init(_ error: DatabaseError, _ message: String) {
    (self.error, self.message) = (error, message)
  }

  private static let name = "miniorm.thrown"

  static func keep(_ error: DatabaseError, saying message: String, on database: OpaquePointer?) {
    let kept = Unmanaged.passRetained(ThrownError(error, message)).toOpaque()
    // SQLite calls it where it has no memory, too, and the statement fails without a code of its own then.
    _ = sqlite3_set_clientdata(database, name, kept) { pointer in
      if let pointer { Unmanaged<ThrownError>.fromOpaque(pointer).release() }
    }
  }

  /// Returns what was thrown, where it is what SQLite has failed with. It is kept no longer.
  static func take(_ message: String, on database: OpaquePointer) -> DatabaseError? {
    guard let pointer = sqlite3_get_clientdata(database, name) else { return nil }
    let kept = Unmanaged<ThrownError>.fromOpaque(pointer).takeUnretainedValue()
    let isSame = kept.message.hasSameBytes(as: message)
    let error = kept.error
    _ = sqlite3_set_clientdata(database, name, nil, nil)
    return isSame ? error : nil
  }
}
