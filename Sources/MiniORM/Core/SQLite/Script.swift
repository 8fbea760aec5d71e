import CSQLCipher

enum Script {
  static func isBlank(_ text: Substring.UTF8View) -> Bool {
    var rest = text
    while let first = rest.first {
      if first == UInt8(ascii: ";") || (9...13).contains(first) || first == UInt8(ascii: " ") {
        rest.removeFirst()
      } else if rest.starts(with: "--".utf8) {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else if rest.starts(with: "/*".utf8) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest.removeFirst() }
        rest = rest.dropFirst(2)
      } else {
        return false
      }
    }
    return true
  }

  /// Returns the end of a statement. Semicolons in quotes, comments and trigger bodies do not end
  /// it.
  private static func end(_ script: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    func byte(_ offset: Int = 0) -> UInt8 {
      index + offset < script.count ? script[index + offset] : 0
    }
    func skip(to isEnd: () -> Bool, _ length: Int) {
      while index < script.count, !isEnd() { index += 1 }
      index += length
    }
    while index < script.count {
      let first = byte()
      index += 1
      switch first {
      // A doubled quotation mark ends a text and begins the next.
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
        skip(to: { byte() == first }, 1)
      case UInt8(ascii: "["): skip(to: { byte() == UInt8(ascii: "]") }, 1)
      case UInt8(ascii: "-") where byte() == first: skip(to: { byte() == UInt8(ascii: "\n") }, 1)
      case UInt8(ascii: "/") where byte() == UInt8(ascii: "*"):
        index += 1
        skip(to: { byte() == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/") }, 2)
      case UInt8(ascii: ";"):
        let text = String(decoding: script[start..<index], as: UTF8.self)
        if sqlite3_complete(text) != 0 { return index }
      case 0: return index  // SQLite stops at a NUL
      default: break
      }
    }
    return script.count
  }

  /// Runs the statements of a script in order.
  /// - Throws: ``DatabaseError`` for the first statement that fails. Earlier statements remain in
  ///   effect.
  /// - Complexity: O(*n*) in the length of the script, besides the work of its statements.
  static func run(
    _ script: String, on database: OpaquePointer, allowedBy authorizer: Authorizer?,
    watchedBy watch: TransactionWatch?, undo: (() -> Void)?, check: (PreparedStatement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    // With a terminating NUL, SQLite does not copy the rest of the script for each statement.
    let failure = (Array(script.utf8) + [0]).withUnsafeBufferPointer { bytes -> DatabaseError? in
      let script = UnsafeBufferPointer(rebasing: bytes.dropLast())
      guard let base = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
      else { return nil }
      var offset = 0
      while offset < script.count {
        var pointer: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        func text(_ end: Int) -> String { String(decoding: script[offset..<end], as: UTF8.self) }
        func rest() -> String { text(script.count) }
        func prepare() -> Int32 {
          sqlite3_prepare_v3(database, base + offset, -1, 0, &pointer, &tail)
        }
        let code = CurrentSchema.compiling(on: database, undo: undo) {
          authorizer.map { $0.preparing(text(end(script, from: offset)), prepare) } ?? prepare()
        }
        guard code == SQLITE_OK else {
          let error = DatabaseError(.prepare, code: code, from: database, sql: rest())
          sqlite3_finalize(pointer)
          return authorizer?.explain(error) ?? error
        }
        let next = tail.map { $0 - base } ?? script.count
        guard let pointer else {
          guard next < script.count else { return nil }
          return DatabaseError(
            .prepare, code: .misuse, "The script contains a NUL character: remove it", sql: rest(),
            sqlOffset: next - offset)
        }
        let statement = PreparedStatement(
          pointer, sql: Statement.sql(pointer) ?? "", authorizer?.recorded ?? RecordedAccess())
        offset = next
        do throws(DatabaseError) { try check(statement) } catch { return error }
        guard sqlite3_bind_parameter_count(pointer) == 0 else {
          return DatabaseError(
            .bind, code: .range, "A script cannot bind parameters: run this statement separately",
            sql: Statement.sql(pointer))
        }
        func step() -> Int32 {
          var code = HotJournal.retrying(undo: undo) { sqlite3_step(pointer) }
          while code == SQLITE_ROW { code = sqlite3_step(pointer) }
          return code
        }
        watch?.didCheckOut(statement)
        let done = authorizer.map { $0.stepping(statement.sql, step) } ?? step()
        defer { watch?.didCheckIn(statement, sqlite3_reset(statement.pointer)) }
        guard done == SQLITE_DONE else {
          var error = DatabaseError(.step, code: done, from: database, sql: Statement.sql(pointer))
          error = FailedCommit.checking(authorizer?.explain(error) ?? error, of: statement, watch)
          watch?.noteFailure(error)
          return error
        }
      }
      return nil
    }
    if let failure { throw failure }
  }
}
