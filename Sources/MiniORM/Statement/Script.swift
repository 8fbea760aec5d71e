import CSQLCipher

/// SQL with any number of statements.
enum Script {
  /// Whether only white space, semicolons and comments are left.
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

  /// Runs every statement in turn, ignoring result rows.
  ///
  /// - Parameter check: Called before each statement.
  /// - Throws: ``DatabaseError`` for the first statement that fails; those before it have had their
  ///   effect.
  static func run(
    _ script: String, on database: OpaquePointer, watchedBy watch: SchemaWatch?,
    check: () throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    var script = script
    let failure = script.withUTF8 { bytes -> DatabaseError? in
      guard let base = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
      else { return nil }
      var offset = 0
      while offset < bytes.count {
        var pointer: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        let rest = UnsafeBufferPointer(rebasing: bytes[offset...])
        func text() -> String { String(decoding: rest, as: UTF8.self) }
        func prepare() -> Int32 {
          sqlite3_prepare_v3(
            database, base + offset, Int32(clamping: rest.count), 0, &pointer, &tail)
        }
        let code = watch.map { $0.watching(text(), prepare) } ?? prepare()
        guard code == SQLITE_OK else {
          let error = DatabaseError(.prepare, code: code, from: database, sql: text())
          return watch?.explain(error) ?? error
        }
        let next = tail.map { $0 - base } ?? bytes.count
        guard let pointer else {
          // SQLite takes a NUL for the end.
          guard next < bytes.count else { return nil }
          return DatabaseError(
            .prepare, code: .misuse, "The script holds a NUL character", sql: text(),
            sqlOffset: next - offset)
        }
        defer { sqlite3_finalize(pointer) }
        offset = next
        do throws(DatabaseError) { try check() } catch { return error }
        guard sqlite3_bind_parameter_count(pointer) == 0 else {
          return DatabaseError(
            .bind, code: .range, "A script has no parameters to bind: run this statement by itself",
            sql: Statement.sql(pointer))
        }
        var step = sqlite3_step(pointer)
        while step == SQLITE_ROW { step = sqlite3_step(pointer) }
        guard step == SQLITE_DONE else {
          let error = DatabaseError(.step, code: step, from: database, sql: Statement.sql(pointer))
          return watch?.explain(error) ?? error
        }
      }
      return nil
    }
    if let failure { throw failure }
  }
}
