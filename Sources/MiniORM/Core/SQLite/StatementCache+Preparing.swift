import CSQLCipher

extension StatementCache {
  func prepare(_ sql: String, on database: OpaquePointer) throws(DatabaseError)
    -> PreparedStatement
  {
    let (statement, length) = try sql.withCString { start in
      Result { () throws(DatabaseError) in
        // A hint "that the prepared statement will be retained for a long time".
        try compile(
          start, flags: UInt32(SQLITE_PREPARE_PERSISTENT), of: sql, keepsText: true, on: database)
      }
    }.get()
    func misuse(_ message: String, at offset: Int? = nil) -> DatabaseError {
      DatabaseError(.prepare, code: .misuse, message, sql: sql, sqlOffset: offset)
    }
    let tail = sql.utf8.dropFirst(length)
    guard tail.first != 0 else {
      throw misuse("The SQL contains a NUL character: remove it", at: length)
    }
    guard let statement else {
      throw misuse("The SQL contains no statement, only spaces or comments: write a statement")
    }
    guard
      tail.isEmpty || SQLToken.all(in: String(Substring(tail))).allSatisfy({ $0.isSymbol(";") })
    else {
      throw misuse(
        "The SQL contains more than one statement: run a script with execute(script:)", at: length)
    }
    return statement
  }

  /// Runs the statements of a script in order.
  /// - Throws: ``DatabaseError`` for the first statement that fails. Earlier statements remain in
  ///   effect.
  /// - Complexity: O(*n*) in the length of the script, besides the work of its statements.
  func run(
    script: String, on database: OpaquePointer,
    check: (PreparedStatement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    try script.withCString { start in
      var offset = 0
      func unread() -> String { String(decoding: script.utf8.dropFirst(offset), as: UTF8.self) }
      return Result { () throws(DatabaseError) in
        while offset < script.utf8.count {
          let (statement, length) = try compile(start + offset, of: unread(), on: database)
          guard let statement else {
            guard offset + length < script.utf8.count else { return }
            throw DatabaseError(
              .prepare, code: .misuse, "The script contains a NUL character: remove it",
              sql: unread(), sqlOffset: length)
          }
          offset += length
          try check(statement)
          guard !statement.hasParameters else {
            throw DatabaseError(
              .bind, code: .range,
              "A script cannot bind parameters: run this statement separately", sql: statement.sql)
          }
          try checkOut(statement).run()
        }
      }
    }.get()
  }

  /// Compiles the first statement of a text that ends with a NUL, so that SQLite does not copy it.
  /// - Parameters:
  ///   - sql: The text for an error.
  ///   - keepsText: True if the statement is known by `sql`; false for its own part of `sql`.
  /// - Returns: The statement, or nil for spaces and comments, and the length of its text.
  private func compile(
    _ start: UnsafePointer<CChar>, flags: UInt32 = 0, of sql: @autoclosure () -> String,
    keepsText: Bool = false, on database: OpaquePointer
  ) throws(DatabaseError) -> (PreparedStatement?, length: Int) {
    var (pointer, length): (OpaquePointer?, Int) = (nil, 0)
    func text() -> String { pointer.flatMap(Statement.sql) ?? "" }
    func compile(_ start: UnsafePointer<CChar>) -> Int32 {
      func prepare() -> Int32 {
        var tail: UnsafePointer<CChar>?
        sqlite3_finalize(pointer)
        defer { length = tail.map { $0 - start } ?? 0 }
        return sqlite3_prepare_v3(database, start, -1, flags, &pointer, &tail)
      }
      return CurrentSchema.compiling(on: database, undo: undoJournal) {
        authorizer.map { $0.preparing(text(), prepare) } ?? prepare()
      }
    }
    func compileInBackticks() -> Int32 {
      // The text comes from a Swift string, and SQLite reads it to the first NUL too.
      StringsInSchema.inBackticks(String(cString: start)).withCString(compile)
    }
    let code = readsStrings ? compileInBackticks() : compile(start)
    if code != SQLITE_OK {
      let areRefused = !isChecking && StringsInSchema.areRefused(on: database, code)
      var error = DatabaseError(.prepare, code: code, from: database, sql: sql())
      error = authorizer?.explain(error) ?? error
      if areRefused { readStrings(true, on: database) }
      guard areRefused, compileInBackticks() == SQLITE_OK else {
        if areRefused { readStrings(false, on: database) }
        sqlite3_finalize(pointer)
        throw error
      }
      removeAll()
    }
    let statement = pointer.map {
      PreparedStatement(
        $0, sql: keepsText ? sql() : text(), authorizer?.recorded ?? RecordedAccess())
    }
    return (statement, length)
  }
}
