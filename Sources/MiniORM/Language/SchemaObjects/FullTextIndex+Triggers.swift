// The triggers are these statements, in this order:
//
//                   forget   note   take out replaced   take out old   put in new
//   BEFORE INSERT     all      x
//   AFTER INSERT      all*                x                                 x
//   BEFORE UPDATE     all      x
//   AFTER UPDATE      all*                x                  x              x
//   AFTER DELETE      row                                    x
//
// (* after the replaced rows are taken out)
//
// To remove a row from the index, FTS5 needs the row's former text. A DELETE trigger has this text.
// But REPLACE deletes rows without running DELETE triggers, unless `recursive_triggers` is on,
// which is a setting of each program. Therefore, a BEFORE trigger notes the rows that the statement
// may replace in a table that is otherwise empty. An AFTER trigger removes them from the index if
// they are gone. A noted row that stays, as with OR IGNORE, has no effect.
//
// See https://www.sqlite.org/fts5.html#external_content_tables
extension FullTextIndex {
  func triggers() throws(DatabaseError) -> [SchemaObjectDefinition] {
    let sql = IndexingSQL(self)
    let (sharesKey, changesKey) = try uniqueness()
    let shares = sharesKey.joined(separator: " OR ")
    let isOther = "\(sql.key) <> OLD.\(sql.key)"
    let triggers: [(timing: String, change: String, when: [String], statements: [String])] = [
      ("before", "insert", [], [sql.forgetAll, sql.note(where: shares)]),
      ("after", "insert", [], [sql.takeOutReplaced, sql.forgetAll, sql.putIn]),
      (
        "before", "update", changesKey,
        [sql.forgetAll, sql.note(where: "\(isOther) AND (\(shares))")]
      ),
      (
        "after", "update", sql.changesRow + ["EXISTS (SELECT 1 FROM \(sql.noted))"],
        // An upsert notes the row that it updates.
        [
          "\(sql.takeOutReplaced) AND key <> OLD.\(sql.key)", sql.forgetAll, sql.takeOut, sql.putIn,
        ]
      ),
      ("after", "delete", [], [sql.forgetOld, sql.takeOut]),
    ]
    return [SchemaObjectDefinition(.table, notedName, body: sql.notedColumns, owner: name)]
      + triggers.map { timing, change, when, statements in
        let event = "\(timing) \(change) on".uppercasedASCII + " \(sql.table)"
        let condition = when.isEmpty ? "" : " WHEN \(when.joined(separator: " OR "))"
        let body = statements.map { "\($0); " }.joined()
        return SchemaObjectDefinition(
          .trigger, "\(name)_\(timing)_\(change)", body: "\(event)\(condition) BEGIN \(body)END",
          owner: name)
      }
  }

  fileprivate var notedName: String { "\(name)_replaced" }

  /// Returns two conditions for each unique key: an existing row has the new row's key; an update
  /// changes the key, or adds the row to the key's partial index.
  private func uniqueness() throws(DatabaseError) -> (equal: [String], changed: [String]) {
    let definition = try T.table().definition
    var equal: [String] = []
    var changed: [String] = []
    func add(_ own: [String], _ old: [String], _ new: [String]) {
      let pairs = zip(own, new).map { "\($0) = \($1)" }
      equal.append("(\(pairs.joined(separator: " AND ")))")
      changed += zip(old, new).map { "\($0) IS NOT \($1)" }
    }
    let keys = definition.uniques.sorted { $0.lexicographicallyPrecedes($1) }
    // REPLACE also replaces a row with the new row's rowid.
    let rowKey = T.schema.hasRowIDKey ? [] : [[ExactText(T.schema.rowKey)]]
    for key in [definition.primaryKey] + keys + rowKey {
      let names = key.map(\.quotedIdentifier)
      add(names, names.map { "OLD.\($0)" }, names.map { "NEW.\($0)" })
    }
    for index in T.indexes {
      guard let own = try index.uniqueTerms(of: T.schema.name.quotedIdentifier),
        let old = try index.uniqueTerms(of: "OLD"), let new = try index.uniqueTerms(of: "NEW")
      else { continue }
      add(own.terms, old.terms, new.terms)
      if let old = old.condition, let new = new.condition { changed.append("\(old) IS NOT \(new)") }
    }
    return (equal, changed)
  }
}

private struct IndexingSQL {
  let table: String
  let key: String
  let noted: String
  let notedColumns: String

  let forgetAll: String
  let forgetOld: String
  let takeOutReplaced: String
  let takeOut: String
  let putIn: String
  /// Conditions. If an update changes the indexed content, at least one condition is true.
  let changesRow: [String]
  private let columns: String

  init<T>(_ index: FullTextIndex<T>) {
    let table = T.schema.name.quotedIdentifier
    let key = T.schema.rowKey.quotedIdentifier
    let noted = index.notedName.quotedIdentifier
    let fts = index.name.quotedIdentifier
    let names = index.columns.map(\.name.quotedIdentifier)
    let numbers = names.indices.map { "c\($0)" }
    let list = names.joined(separator: ", ")
    func row(_ prefix: String) -> String {
      ([key] + names).map { "\(prefix).\($0)" }.joined(separator: ", ")
    }
    (self.table, self.key, self.noted) = (table, key, noted)
    columns = ([key] + names).joined(separator: ", ")
    notedColumns = "(\((["key INTEGER"] + numbers).joined(separator: ", ")))"
    forgetAll = "DELETE FROM \(noted)"
    forgetOld = "\(forgetAll) WHERE key = OLD.\(key)"
    takeOutReplaced =
      "INSERT INTO \(fts) (\(fts), rowid, \(list)) SELECT 'delete', "
      + "\((["key"] + numbers).joined(separator: ", ")) FROM \(noted) "
      + "WHERE (key = NEW.\(key) OR key NOT IN (SELECT \(key) FROM \(table)))"
    takeOut = "INSERT INTO \(fts) (\(fts), rowid, \(list)) VALUES ('delete', \(row("OLD")))"
    putIn = "INSERT INTO \(fts) (rowid, \(list)) VALUES (\(row("NEW")))"
    // A column's collation may treat values as equal that differ in the index.
    changesRow = ([key] + names).map { "OLD.\($0) IS NOT NEW.\($0) COLLATE BINARY" }
  }

  func note(where condition: String) -> String {
    "INSERT INTO \(noted) SELECT \(columns) FROM \(table) WHERE \(condition)"
  }
}
