import CSQLCipher

/// A rollback journal that makes a read-only connection fail to read.
///
/// SQLite looks for a journal, and then for a write lock. If a transaction is rolled back in
/// between, SQLite takes the vanished journal for hot, and a read-only connection fails without
/// calling the busy handler. The next attempt succeeds. A journal that stays was left by a process
/// that ended, and only a connection that can write can roll it back.
///
/// See [SQLITE_READONLY_ROLLBACK](https://www.sqlite.org/rescode.html#readonly_rollback).
enum HotJournal {
  static let code = SQLITE_READONLY | (3 << 8)
  private static let attempts = 10

  /// Repeats a call while a journal prevents reading. Repeating is safe, because SQLite locks the
  /// files before the first row.
  /// - Parameter undo: Rolls back a journal that stays; nil if no connection can.
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
