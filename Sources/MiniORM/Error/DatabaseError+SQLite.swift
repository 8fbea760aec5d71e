import CSQLCipher

extension DatabaseError {
  /// Creates an error from the last failure that `database` reported.
  ///
  /// - Parameters:
  ///   - database: The `sqlite3*` that failed, or nil if SQLite could not even create one.
  ///   - code: The code that the failing call returned.
  init(
    _ operation: Operation, code: Int32, from database: OpaquePointer?, sql: String? = nil,
    path: String? = nil
  ) {
    var extended = code
    var message = Self.text(sqlite3_errstr(code))
    var offset: Int?
    var thrown: DatabaseError?
    // sqlite3_errmsg tells of the most recent call on the connection: ask only where that call
    // failed.
    if let database, Self.isInterrupted(code, database) {
      extended = SQLITE_INTERRUPT
      message = Self.text(sqlite3_errstr(extended))
    } else if let database, code & 0xff == SQLITE_NOMEM,
      CodecState.hasFailed(on: database, after: code)
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
    if let thrown {
      self.init(
        operation, code: thrown.code, message, sql: sql, path: path ?? thrown.path,
        table: thrown.table, column: thrown.column, rowType: thrown.rowType)
      return
    }
    let place = Self.place(in: message, code: extended)
    self.init(
      operation, code: ResultCode(rawValue: extended), message, sql: sql, sqlOffset: offset,
      path: path,
      table: place?.table, column: place?.column)
  }

  /// Whether it has the code and the words that SQLite and SQLCipher have for what keeps a PRAGMA or a function of theirs
  /// from reading or writing a page, and which a mistake in SQL never has alone.
  var saysNothing: Bool {
    guard code == .error, let words = sqlite3_errstr(SQLITE_ERROR) else { return false }
    return message.hasSameBytes(as: String(cString: words))  // a static ASCII text
  }

  /// Returns whether a statement failed because it was interrupted, and SQLite does not say so: ALTER TABLE reads the
  /// schema by SQL of its own, and passes on that this has failed, but not why.
  ///
  /// See [sqlite3_is_interrupted](https://www.sqlite.org/c3ref/interrupt.html).
  private static func isInterrupted(_ code: Int32, _ database: OpaquePointer) -> Bool {
    code == SQLITE_ERROR && sqlite3_errcode(database) == code
      && sqlite3_is_interrupted(database) != 0
  }

  /// Returns SQLite's message and, where it does not say by itself what has happened, that: the library
  /// was built without a feature, or an open file is no longer what it was.
  static func explained(_ message: String, _ code: Int32 = SQLITE_OK) -> String {
    if code == HotJournal.code {
      return
        "Beside the file is a journal of a change that was not finished, and that is undone only by a connection that can write: open the file once where it can be written"
    }
    if message.hasSameBytes(as: "file is not a database") {
      return
        "\(message): since it was opened another connection has changed its key, or it was replaced or damaged. Open it again with the key that it has now"
    }
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

  /// Returns a string with the bytes of one of SQLite's messages, which are NUL-terminated by
  /// contract.
  private static func text(_ message: UnsafePointer<CChar>?) -> String {
    message.map { String(cString: $0) } ?? "unknown error"
  }

  /// Returns the table and column that SQLite names at the end of a constraint's message, such as
  /// "UNIQUE constraint failed: person.name, person.city".
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
    // SQLite does not quote the names: if one contains a dot or a comma, they cannot be separated.
    let places = Array(names).split(separator: Array(", ".utf8))
      .map { $0.split(separator: UInt8(ascii: ".")) }
    guard let first = places.first, !names.starts(with: "index '".utf8),
      places.allSatisfy({ $0.count == 2 && $0[0].elementsEqual(first[0]) })
    else { return nil }
    return (String(decoding: first[0], as: UTF8.self), String(decoding: first[1], as: UTF8.self))
  }

  /// The longest values and message, in bytes, for which the words of one are looked for in the
  /// other.
  private static let longestValues = 1 << 18
  private static let longestMessage = 1 << 12

  /// Returns the same error without the words of bound values.
  ///
  /// Some SQL functions quote their arguments: full-text search shows where in the search text a
  /// mistake is.
  /// - Parameters:
  ///   - statement: The statement that failed, with its values still bound.
  ///   - count: The number of bytes of bound texts and blobs. If there are many, SQLite's
  ///     description of the code replaces its message.
  func hidingValues(of statement: OpaquePointer, count: Int) -> DatabaseError {
    // By SQLite's own code: a function may have thrown any.
    let failure = sqlite3_errcode(sqlite3_db_handle(statement)) & 0xff
    guard failure != SQLITE_CONSTRAINT, sqlite3_bind_parameter_count(statement) > 0 else {
      return self
    }
    let words = Self.text(sqlite3_errstr(code.rawValue))
    // They quote nothing.
    guard !message.utf8.elementsEqual(words.utf8) else { return self }
    let message = Array(message.utf8)
    guard count <= Self.longestValues, message.count <= Self.longestMessage else {
      return replacing(
        message: "\(words): SQLite's message is left out, because it may quote a long value")
    }
    guard let pointer = sqlite3_expanded_sql(statement) else { return replacing(message: words) }
    defer { sqlite3_free(pointer) }
    let hidden = Self.words(in: Self.text(pointer)).subtracting(Self.words(in: sql ?? ""))
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
    return replacing(message: String(decoding: text, as: UTF8.self))
  }

  private static func words(in text: String) -> Set<ArraySlice<UInt8>> {
    Set(Array(text.utf8).split { !isInWord($0) })
  }

  /// Returns whether a byte of UTF-8 belongs to a letter or a digit: every byte outside ASCII does.
  private static func isInWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private func replacing(message: String) -> DatabaseError {
    DatabaseError(
      operation, code: code, message, sql: sql, sqlOffset: sqlOffset, path: path, table: table,
      column: column, rowType: rowType)
  }
}
