import CSQLCipher

extension StatementCache {
  func prepare(_ sql: String, on database: OpaquePointer) throws(DatabaseError)
    -> PreparedStatement
  {
    var pointer: OpaquePointer?
    let text = sql
    var sql = sql
    let (code, rest) = sql.withUTF8 { bytes -> (Int32, Int) in
      let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
      var tail: UnsafePointer<CChar>?
      // A hint "that the prepared statement will be retained for a long time".
      func prepare() -> Int32 {
        sqlite3_prepare_v3(
          database, start, Int32(clamping: bytes.count), UInt32(SQLITE_PREPARE_PERSISTENT),
          &pointer, &tail)
      }
      let code = CurrentSchema.compiling(on: database, undo: undoJournal) {
        authorizer.map { $0.preparing(text, prepare) } ?? prepare()
      }
      return (code, tail.map { tail in start.map { tail - $0 } ?? 0 } ?? bytes.count)
    }
    guard code == SQLITE_OK else {
      let error = DatabaseError(.prepare, code: code, from: database, sql: sql)
      sqlite3_finalize(pointer)
      throw authorizer?.explain(error) ?? error
    }
    let prepared = pointer.map {
      PreparedStatement($0, sql: sql, authorizer?.recorded ?? RecordedAccess())
    }  // owns the statement from here on
    guard sql.utf8.dropFirst(rest).first != 0 else {
      throw DatabaseError(
        .prepare, code: .misuse, "The SQL contains a NUL character: remove it", sql: sql,
        sqlOffset: rest)
    }
    guard let prepared else {
      throw DatabaseError(
        .prepare, code: .misuse,
        "The SQL contains no statement, only spaces or comments: write a statement", sql: sql)
    }
    guard Script.isBlank(sql.utf8.dropFirst(rest)) else {
      throw DatabaseError(
        .prepare, code: .misuse,
        "The SQL contains more than one statement: run a script with execute(script:)",
        sql: sql, sqlOffset: rest)
    }
    return prepared
  }
}
