import CSQLCipher

/// SQLite resolves an unqualified name to temporary objects first: a temporary table `company`
/// would hide the file's table from its model.
///
/// See [Database Object Name Resolution](https://www.sqlite.org/lang_naming.html).
extension Authorizer {
  /// Refuses a statement if a temporary table or view would hide an object of the main file.
  func checkTemporaryNames(_ sql: () -> String) -> Int32 {
    for name in recorded.newNames(in: sql) {
      // SQL must qualify a name in an attached file.
      let isTemporary = name.schema.hasSameBytes(as: "temp")
      guard isTemporary || session.hasTemporaryObjects && name.schema.hasSameBytes(as: "main"),
        !name.table.folded.string.startsWithBytes(of: "sqlite_")
      else { continue }
      let schema = SchemaReader(database)
      let other = SchemaTable(schema: isTemporary ? "main" : "temp", table: name.table)
      let isHidden = schema.hasTable(other)
      guard !schema.hasFailed else { return sqlite3_errcode(database) }
      guard isHidden else { continue }
      return refuse(
        isTemporary
          ? "A temporary table or view named \(name.table) would hide \(name.table) of the file: choose another name"
          : "The temporary table or view \(name.table) would hide \(name.table) of the file: drop the temporary table or view first",
        holdsKey: false)
    }
    return SQLITE_OK
  }
}

extension RecordedAccess {
  fileprivate func newNames(in sql: () -> String) -> [SchemaTable] {
    guard let alteredSchema else { return created }
    // ALTER TABLE [schema.]table RENAME TO name: SQLite reports only the old name.
    let tokens = SQLToken.all(in: sql())
    let words = tokens.dropFirst(tokens.count > 3 && tokens[3].isSymbol(".") ? 5 : 3).prefix(3)
    guard words.count == 3, let name = words.last, words.first?.isKeyword("rename") ?? false,
      words.dropFirst().first?.isKeyword("to") ?? false
    else { return [] }
    return [SchemaTable(schema: alteredSchema, table: name.name.string)]
  }
}
