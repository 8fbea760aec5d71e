/// What was changed in a transaction, or since a savepoint of it.
struct TransactionLevel {
  let savepoint: ExactText
  var changes = WriteSet()
  /// Statements whose changes are not among those yet: what they are is asked for when somebody
  /// wants to know.
  var statements: [PreparedStatement] = []
  /// The rows, while somebody wants to know them.
  var rows = RowLog()

  /// Begins anew, in the same memory.
  mutating func clear() {
    if !changes.isEmpty { changes = WriteSet() }
    // One by one, as there are mostly one or two: removeAll takes a hundred instructions more.
    while statements.popLast() != nil {}
    if !rows.isEmpty { rows = RowLog() }
  }

  mutating func insert(_ statement: PreparedStatement) {
    // The last one first: mostly it is the same again.
    guard !statements.reversed().contains(where: { $0 === statement }) else { return }
    statements.append(statement)
  }
}
