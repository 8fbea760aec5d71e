import CSQLCipher

@usableFromInline
final class PreparedStatement {
  let pointer: OpaquePointer
  let sql: String
  let access: StatementAccess
  let isWatched: Bool
  let hasParameters: Bool

  var isCheckedOut = false
  var lastUse = 0
  /// The last use whose formats were checked.
  var checkedUse = -1
  /// The part of the transaction that already records the statement's changes, and a flag for the
  /// current run. See ``TransactionWatch``.
  var notedPart = 0
  var isNoted = false

  init(_ pointer: OpaquePointer, sql: String, _ recorded: RecordedAccess) {
    self.pointer = pointer
    self.sql = sql
    access = StatementAccess(pointer, sql, recorded)
    isWatched = access.kind != .reading
    hasParameters = sqlite3_bind_parameter_count(pointer) > 0
  }

  deinit { sqlite3_finalize(pointer) }
}
