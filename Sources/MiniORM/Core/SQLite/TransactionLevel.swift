/// The changes in a transaction, or since a savepoint.
struct TransactionLevel {
  let savepoint: ExactText
  var changes = WriteSet()
  /// Statements whose changes are not in `changes` yet, but computed on demand.
  var statements: [PreparedStatement] = []
  /// The changed rows, while rows are observed.
  var rows = RowLog()

  mutating func clear() {
    if !changes.isEmpty { changes = WriteSet() }
    // The array usually has one or two elements, so popping is faster than removeAll.
    while statements.popLast() != nil {}
    if !rows.isEmpty { rows = RowLog() }
  }

  mutating func insert(_ statement: PreparedStatement) {
    // Search from the end: the last statement is the most likely match.
    guard !statements.reversed().contains(where: { $0 === statement }) else { return }
    statements.append(statement)
  }
}
