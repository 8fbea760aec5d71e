import CSQLCipher

/// A rollback journal that keeps a connection for reading from reading.
///
/// SQLite looks for a journal before it reads, and then whether somebody is writing. A transaction that is rolled back
/// between the two has left neither, and the first answer stands: a connection that can write finds out with a lock that
/// there is nothing to undo, and one for reading fails. It would read if it tried again, and the busy handler is not asked.
/// A journal that is really there is that of a process that has ended: only who can write undoes it.
///
/// See [SQLITE_READONLY_ROLLBACK](https://www.sqlite.org/rescode.html#readonly_rollback).
enum HotJournal {
  /// SQLITE_READONLY_ROLLBACK, a macro.
  static let code = SQLITE_READONLY | (3 << 8)
  /// How often it is tried, before and after what is left is undone: each of these would have to meet the end of another
  /// transaction.
  private static let attempts = 10

  /// Calls SQLite, and again where a journal kept it from reading. What fails so has read nothing: files are locked before
  /// the first row.
  /// - Parameters:
  ///   - undo: Undoes what is in a journal that stays; nil where nobody can.
  ///   - call: Calls SQLite, and returns its code.
  @inline(__always)
  static func retrying(undo: (() -> Void)? = nil, _ call: () -> Int32) -> Int32 {
    let code = call()
    return code == Self.code ? again(undo, call) : code
  }

  @inline(never)
  private static func again(_ undo: (() -> Void)?, _ call: () -> Int32) -> Int32 {
    for undo in [nil, undo] {
      if let undo { undo() }
      for _ in 0..<attempts {
        let code = call()
        guard code == Self.code else { return code }
      }
    }
    return code
  }
}
