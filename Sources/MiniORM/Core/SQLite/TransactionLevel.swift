struct TransactionLevel {
  let savepoint: ExactText
  var changes = WriteSet()
  /// Statements whose changes are not in `changes` yet, but computed on demand.
  var statements: [PreparedStatement] = []
  var rows = RowLog()

  mutating func clear() {
    if !changes.isEmpty { changes = WriteSet() }
    // With one or two elements, popping is faster than removeAll.
    while statements.popLast() != nil {}
    if !rows.isEmpty { rows = RowLog() }
  }

  mutating func insert(_ statement: PreparedStatement) {
    // The search begins at the end: the last statement is the most likely match.
    guard !statements.reversed().contains(where: { $0 === statement }) else { return }
    statements.append(statement)
  }
}

/// Detects commits by other connections.
///
/// See [PRAGMA data_version](https://www.sqlite.org/pragma.html#pragma_data_version).
struct OtherCommits {
  private var versions: [String: String] = [:]

  mutating func haveComeSinceLast(in schemas: [String], _ database: OpaquePointer) -> Bool {
    var now: [String: String] = [:]
    for schema in schemas {
      let sql = "PRAGMA \(schema.quotedIdentifier).data_version"
      now[schema] = try? SQLiteLibrary.value(sql, database)
    }
    defer { versions = now }
    return now != versions
  }
}
