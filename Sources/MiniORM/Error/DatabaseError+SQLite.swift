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
      message = Self.explained(message)
    }
    let place = Self.place(in: message, code: extended)
    self.init(
      operation, code: ResultCode(rawValue: extended), message, sql: sql, sqlOffset: offset,
      path: path,
      table: place?.table, column: place?.column)
  }

  /// SQLite's message; where its library was built without what is asked for, with how to have it.
  static func explained(_ message: String) -> String {
    let found: (part: String, remedy: String)? =
      switch message {
      case "no such module: fts5": ("full-text search", "build it with SQLITE_ENABLE_FTS5")
      case "no such module: rtree": ("R*Trees", "build it with SQLITE_ENABLE_RTREE")
      case "no such function: jsonb": ("binary JSON", "SQLite has it from 3.45.0 on")
      case "no such function: json", "no such table: json_each", "no such table: json_tree":
        ("JSON", "build it without SQLITE_OMIT_JSON")
      default: nil
      }
    guard let found else { return message }
    return "\(message). This SQLite library is without \(found.part): \(found.remedy)"
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
    let names: Substring
    if let colon = message.firstRange(of: "failed: ") {
      names = message[colon.upperBound...]
    } else if let word = message.firstRange(of: " column ") {
      names = message[word.upperBound...]
    } else {
      return nil
    }
    // SQLite does not quote the names: where one holds a dot or a comma there is no telling.
    let places = names.split(separator: ", ").map { $0.split(separator: ".") }
    guard let first = places.first, !names.hasPrefix("index '"),
      places.allSatisfy({ $0.count == 2 && $0[0] == first[0] })
    else { return nil }
    return (String(first[0]), String(first[1]))
  }

  /// The same error without the words of bound values.
  ///
  /// Some SQL functions quote their arguments: a full-text search shows where in the search text
  /// its mistake is.
  func hidingValues(of statement: OpaquePointer) -> DatabaseError {
    guard code.primary != .constraint, sqlite3_bind_parameter_count(statement) > 0 else {
      return self
    }
    guard let pointer = sqlite3_expanded_sql(statement) else {
      return replacing(message: Self.text(sqlite3_errstr(code.rawValue)))
    }
    defer { sqlite3_free(pointer) }
    let hidden = Self.words(in: Self.text(pointer)).subtracting(Self.words(in: sql ?? ""))
    var text = ""
    var rest = message[...]
    while !rest.isEmpty {
      let word = rest.prefix(while: Self.isInWord)
      text += hidden.contains(word) ? "…" : word
      rest = rest.dropFirst(word.count)
      text += rest.prefix { !Self.isInWord($0) }
      rest = rest.drop { !Self.isInWord($0) }
    }
    return replacing(message: text)
  }

  private static func words(in text: String) -> Set<Substring> {
    Set(text.split { !isInWord($0) })
  }

  private static func isInWord(_ character: Character) -> Bool {
    !character.isASCII || character.isLetter || character.isNumber
  }

  private func replacing(message: String) -> DatabaseError {
    DatabaseError(
      operation, code: code, message, sql: sql, sqlOffset: sqlOffset, path: path, table: table,
      column: column, rowType: rowType)
  }
}
