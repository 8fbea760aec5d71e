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
// To remove a row from the index, FTS5 must be given the text that it had. A trigger on DELETE
// knows it; but REPLACE deletes rows without one, unless `recursive_triggers` is on, which each
// program decides for itself. So the rows that a statement may replace are noted before, in a
// table that is otherwise empty, and taken out of the index afterwards if they are gone. A row that
// was noted and stays, as with OR IGNORE, does no harm.
//
// See https://www.sqlite.org/fts5.html#external_content_tables
extension FullTextIndex {
  /// Returns the table of replaced rows, and the triggers.
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

  /// The table of the rows that may be replaced.
  fileprivate var notedName: String { "\(name)_replaced" }

  /// Returns, for each unique key of the table, whether a row has the new row's key, and whether an
  /// update changes the key or brings the row into the key's index.
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
    for key in [definition.primaryKey] + keys {
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

/// The statements that the triggers of an index are made of.
private struct IndexingSQL {
  /// The model's table and its key.
  let table: String
  let key: String
  /// The table of the rows that may be replaced. It has a column for the key and one for each
  /// column of the index.
  let noted: String
  let notedColumns: String

  let forgetAll: String
  let forgetOld: String
  let takeOutReplaced: String
  let takeOut: String
  let putIn: String
  /// The conditions of which one is true where an update changes what the index holds.
  let changesRow: [String]
  private let columns: String

  init<T>(_ index: FullTextIndex<T>) {
    let table = T.schema.name.quotedIdentifier
    let key = (T.schema.primaryKey.first?.name ?? "").quotedIdentifier
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
    // A collation may consider equal what the index does not.
    changesRow = ([key] + names).map { "OLD.\($0) IS NOT NEW.\($0) COLLATE BINARY" }
  }

  func note(where condition: String) -> String {
    "INSERT INTO \(noted) SELECT \(columns) FROM \(table) WHERE \(condition)"
  }
}
