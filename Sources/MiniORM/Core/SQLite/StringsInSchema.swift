import CSQLCipher

/// Texts in double quotes in triggers and views of other programs, such as `k = "count"`.
///
/// SQLite reads a name in double quotes as a string if there is no such column. Connections turn
/// this rule off, so that a misspelt column is an error. At the first statement that runs such a
/// trigger, a connection turns the rule on, and from then on compiles statements with their own
/// names in backticks, which are never strings.
///
/// See [Double-quoted String Literals Are Accepted](https://www.sqlite.org/quirks.html#dblquote).
enum StringsInSchema {
  /// Returns whether a statement failed because of such a text, or of a misspelt column.
  static func areRefused(on database: OpaquePointer?, _ code: Int32) -> Bool {
    guard code & 0xff == SQLITE_ERROR, let message = sqlite3_errmsg(database) else { return false }
    return strstr(message, "should this be a string literal in single-quotes?") != nil
  }

  static func allow(_ isOn: Bool, on database: OpaquePointer) {
    _ = miniorm_db_config(database, SQLITE_DBCONFIG_DQS_DML, isOn ? 1 : 0)
  }

  /// Returns a text of the same length. A text that SQLite stores in the file is not changed, and no
  /// name with all kinds of quotation marks.
  static func inBackticks(_ sql: String) -> String {
    let tokens = SQLToken.all(in: sql)
    let isStored = tokens.first.map { $0.isKeyword("create") || $0.isKeyword("alter") } ?? true
    guard !isStored else { return sql }
    let quote = UInt8(ascii: "\"")
    var bytes = Array(sql.utf8)
    for token in tokens where token.kind == .quotedName && bytes[token.range.lowerBound] == quote {
      // The last name may have no end.
      let quotes = bytes[token.range].lazy.filter { $0 == quote }.count
      let name = token.written.utf8
      let marks = ["``", "[]"].map { Array($0.utf8) }.first { !name.contains($0[1]) }
      guard let marks, quotes.isMultiple(of: 2) else { continue }
      // A doubled quotation mark needs a byte less.
      let text = [marks[0]] + name + [marks[1]]
      let blanks = [UInt8](repeating: UInt8(ascii: " "), count: token.range.count - text.count)
      bytes.replaceSubrange(token.range, with: text + blanks)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
