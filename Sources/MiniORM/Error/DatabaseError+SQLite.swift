import CSQLCipher

extension DatabaseError {
  /// The failure that `database` reported last.
  ///
  /// - Parameters:
  ///   - database: The `sqlite3*` that failed, or nil where SQLite could not even make one.
  ///   - code: The code that the failing call returned.
  init(
    _ operation: Operation, code: Int32, from database: OpaquePointer?, sql: String? = nil,
    path: String? = nil
  ) {
    var extended = code
    var message = Self.text(sqlite3_errstr(code))
    var offset: Int?
    // sqlite3_errmsg tells of the most recent call on the connection: ask only where that call
    // failed.
    if let database, sqlite3_errcode(database) & 0xff == code & 0xff {
      extended = sqlite3_extended_errcode(database)
      message = Self.text(sqlite3_errmsg(database))
      let position = Int(sqlite3_error_offset(database))
      if position >= 0, sql != nil { offset = position }
    }
    let place = Self.place(in: message, code: extended)
    self.init(
      operation, code: ResultCode(rawValue: extended), message, sql: sql, sqlOffset: offset,
      path: path,
      table: place?.table, column: place?.column)
  }

  /// SQLite's messages are NUL-terminated by contract.
  private static func text(_ message: UnsafePointer<CChar>?) -> String {
    message.map { String(cString: $0) } ?? "unknown error"
  }

  /// The table and column that SQLite names at the end of a constraint's message, such as
  /// "UNIQUE constraint failed: person.name, person.city".
  private static func place(in message: String, code: Int32) -> (table: String, column: String)? {
    guard code & 0xff == SQLITE_CONSTRAINT else { return nil }
    let codes: Set<ResultCode> = [
      .constraintUnique, .constraintNotNull, .constraintPrimaryKey, .constraintRowID,
      .constraintDataType,
    ]
    guard codes.contains(ResultCode(rawValue: code)) else { return nil }
    let name: Substring
    if let colon = message.firstRange(of: "failed: ") {
      name = message[colon.upperBound...].prefix { $0 != "," }
    } else if let word = message.firstRange(of: " column ") {
      name = message[word.upperBound...]
    } else {
      return nil
    }
    guard let dot = name.firstIndex(of: ".") else { return nil }
    return (String(name[..<dot]), String(name[name.index(after: dot)...]))
  }
}
