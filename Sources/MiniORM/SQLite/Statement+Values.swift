import CSQLCipher

extension Statement {
  /// Returns the stored values of rows that can only bind themselves to a statement.
  ///
  /// They are bound to a statement in an in-memory database that returns what is bound to it,
  /// because the fast way of binding has no room for another receiver.
  static func values<Rows: Collection>(
    count: Int, of rows: Rows,
    bind: (Rows.Element, borrowing Statement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) -> [[DatabaseValue]] {
    var database: OpaquePointer?
    // Closes when the last statement is finalized.
    defer { sqlite3_close_v2(database) }
    let code = sqlite3_open_v2(
      ":memory:", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let database else {
      throw DatabaseError(.open, code: ResultCode(rawValue: code), "There is no memory")
    }
    let marks = Array(repeating: "?", count: count).joined(separator: ", ")
    let statement = try StatementCache(capacity: 1).checkOut("SELECT \(marks)", on: database)
    var all: [[DatabaseValue]] = []
    all.reserveCapacity(rows.count)
    for row in rows {
      try bind(row, statement)
      guard try statement.step() else { continue }
      var values: [DatabaseValue] = []
      values.reserveCapacity(count)
      for index in 0..<Int32(count) {
        values.append(try DatabaseValue(cell: Cell(statement.pointer, index)))
      }
      all.append(values)
      statement.reset()
    }
    return all
  }
}
