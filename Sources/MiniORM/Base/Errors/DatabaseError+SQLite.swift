import CSQLCipher

extension DatabaseError {
  var isOutOfMemory: Bool { code.primary.rawValue == SQLITE_NOMEM }

  package init(
    _ operation: Operation, code: Int32, from database: OpaquePointer?, sql: String? = nil,
    path: String? = nil
  ) {
    var extended = code
    var message = Self.text(sqlite3_errstr(code))
    var offset: Int?
    var thrown: DatabaseError?
    // sqlite3_errmsg describes the connection's most recent call: compare its code first.
    if let database, Self.isInterrupted(code, database) {
      extended = SQLITE_INTERRUPT
      message = Self.text(sqlite3_errstr(extended))
    } else if let database, code & 0xff == SQLITE_NOMEM,
      // If the state cannot be read, memory is short.
      (try? CodecState.isLost(database, after: code)) ?? false
    {
      extended = SQLITE_NOTADB
      message = Self.explained(Self.text(sqlite3_errstr(extended)))
    } else if let database, sqlite3_errcode(database) & 0xff == code & 0xff {
      extended = sqlite3_extended_errcode(database)
      message = Self.text(sqlite3_errmsg(database))
      let position = Int(sqlite3_error_offset(database))
      if position >= 0, sql != nil { offset = position }
      thrown = ThrownError.take(message, on: database)
      message = Self.explained(message, extended)
      if let sql, SecretSQL.mayHoldKey(sql) {
        message =
          "\(Self.text(sqlite3_errstr(code))): SQLite's message is left out, because it may quote a key"
      }
    } else if code == SQLITE_NOTADB {
      message = Self.explained(message)
    }
    // SQLite runs RESTRICT and the other actions of a foreign key as internal triggers.
    if extended == SQLITE_CONSTRAINT | (7 << 8),
      message.hasSameBytes(as: "FOREIGN KEY constraint failed")
    {
      extended = ResultCode.constraintForeignKey.rawValue
    }
    let place = thrown == nil ? Self.place(in: message, code: extended) : nil
    self.init(
      operation, code: thrown?.code ?? ResultCode(rawValue: extended), message, sql: sql,
      sqlOffset: thrown == nil ? offset : nil, path: path ?? thrown?.path,
      table: thrown?.table ?? place?.table, column: thrown?.column ?? place?.column,
      rowType: thrown?.rowType)
  }

  /// True for SQLITE_ERROR with SQLite's generic text, which PRAGMAs and built-in functions report
  /// if a page cannot be read or written.
  var saysNothing: Bool {
    guard code == .error, let words = sqlite3_errstr(SQLITE_ERROR) else { return false }
    return message.hasSameBytes(as: String(cString: words))  // a static ASCII text
  }

  /// ALTER TABLE reports SQLITE_ERROR if its internal SQL is interrupted.
  ///
  /// See [sqlite3_is_interrupted](https://www.sqlite.org/c3ref/interrupt.html).
  private static func isInterrupted(_ code: Int32, _ database: OpaquePointer) -> Bool {
    code == SQLITE_ERROR && sqlite3_errcode(database) == code
      && sqlite3_is_interrupted(database) != 0
  }

  static func explained(_ message: String, _ code: Int32 = SQLITE_OK) -> String {
    if code == HotJournal.code {
      return
        "A rollback journal beside the file holds an unfinished change, which only a connection that can write can roll back: open the file once where it is writable"
    }
    if message.hasSameBytes(as: "file is not a database") {
      return
        "\(message): another connection has changed its key since it was opened, or the file was replaced or damaged. Open it again with its current key"
    }
    let found: (part: String, remedy: String)? =
      switch message {
      case "no such module: fts5": ("full-text search", "build it with SQLITE_ENABLE_FTS5")
      case "no such module: rtree": ("R*Trees", "build it with SQLITE_ENABLE_RTREE")
      case "no such function: jsonb": ("binary JSON", "use SQLite 3.45.0 or newer")
      case "no such function: json", "no such table: json_each", "no such table: json_tree":
        ("JSON", "build it without SQLITE_OMIT_JSON")
      default: nil
      }
    guard let found else { return message }
    return "\(message). This SQLite library lacks \(found.part): \(found.remedy)"
  }

  private static func text(_ message: UnsafePointer<CChar>?) -> String {
    message.map { String(cString: $0) } ?? "unknown error"  // NUL-terminated by contract
  }

  private static func place(in message: String, code: Int32) -> (table: String, column: String)? {
    guard code & 0xff == SQLITE_CONSTRAINT else { return nil }
    let codes: Set<ResultCode> = [
      .constraintUnique, .constraintNotNull, .constraintPrimaryKey, .constraintRowID,
      .constraintDataType,
    ]
    guard codes.contains(ResultCode(rawValue: code)) else { return nil }
    let names: Substring.UTF8View
    if let colon = message.utf8.firstRange(of: "failed: ".utf8) {
      names = message.utf8[colon.upperBound...]
    } else if let word = message.utf8.firstRange(of: " column ".utf8) {
      names = message.utf8[word.upperBound...]
    } else {
      return nil
    }
    // SQLite does not quote the names. Names with a dot or a comma cannot be separated.
    let places = Array(names).split(separator: Array(", ".utf8))
      .map { $0.split(separator: UInt8(ascii: ".")) }
    guard let first = places.first, !names.starts(with: "index '".utf8),
      places.allSatisfy({ $0.count == 2 && $0[0].elementsEqual(first[0]) })
    else { return nil }
    return (String(decoding: first[0], as: UTF8.self), String(decoding: first[1], as: UTF8.self))
  }

  /// Longer texts, in bytes, are not searched for the words of values.
  private static let longestExpansion: Int32 = 1 << 18
  private static let longestMessage = 1 << 12

  /// Replaces the words of bound values in the message by "…".
  ///
  /// Some SQL functions quote their arguments. Full-text search, for example, quotes the invalid
  /// part of a search text. If the SQL with its values is long, SQLite's description of the code
  /// replaces the message.
  /// - Parameter statement: The statement that failed, with its values still bound.
  func hidingValues(of statement: OpaquePointer) -> DatabaseError {
    // Ask SQLite for the code: a function may have thrown an error with any code.
    let failure = sqlite3_errcode(sqlite3_db_handle(statement)) & 0xff
    guard failure != SQLITE_CONSTRAINT, sqlite3_bind_parameter_count(statement) > 0 else {
      return self
    }
    let words = Self.text(sqlite3_errstr(code.rawValue))
    guard !message.utf8.elementsEqual(words.utf8) else { return self }
    let message = Array(message.utf8)
    let database = sqlite3_db_handle(statement)
    let usual = sqlite3_limit(database, SQLITE_LIMIT_LENGTH, Self.longestExpansion)
    let expanded = message.count <= Self.longestMessage ? sqlite3_expanded_sql(statement) : nil
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, usual)
    guard let pointer = expanded else {
      return with {
        $0.message = "\(words): SQLite's message is left out, because it may quote a long value"
      }
    }
    defer { sqlite3_free(pointer) }
    // SQLite's copy of the statement is NUL-terminated.
    let hidden = Self.words(in: Self.text(pointer)).subtracting(
      Self.words(in: sqlite3_sql(statement).map { String(cString: $0) } ?? ""))
    var text: [UInt8] = []
    var rest = message[...]
    while !rest.isEmpty {
      let word = rest.prefix(while: Self.isInWord)
      text += hidden.contains(word) ? Array("…".utf8) : Array(word)
      rest = rest.dropFirst(word.count)
      let between = rest.prefix { !Self.isInWord($0) }
      text += between
      rest = rest.dropFirst(between.count)
    }
    return with { $0.message = String(decoding: text, as: UTF8.self) }
  }

  private static func words(in text: String) -> Set<ArraySlice<UInt8>> {
    Set(Array(text.utf8).split { !isInWord($0) })
  }

  private static func isInWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
