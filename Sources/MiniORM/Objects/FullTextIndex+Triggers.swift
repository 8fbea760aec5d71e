// To remove a row from the index, FTS5 must be given the text that it had. A trigger on DELETE
// knows it; but REPLACE deletes rows without one, unless `recursive_triggers` is on, which each
// program decides for itself. So the rows that a statement may replace are recorded before, in a
// table that is otherwise empty, and removed from the index afterwards if they are gone. A row that
// was recorded and stays, as with OR IGNORE, does no harm.
//
// See https://www.sqlite.org/fts5.html#external_content_tables
extension FullTextIndex {
  func triggers() throws(DatabaseError) -> [SchemaObjectDefinition] {
    let table = T.schema.name.quotedIdentifier
    let key = (T.schema.primaryKey.first?.name ?? "").quotedIdentifier
    let index = name.quotedIdentifier
    let noted = "\(name)_replaced"
    let names = columns.map(\.name.quotedIdentifier)
    let numbers = names.indices.map { "c\($0)" }
    let list = names.joined(separator: ", ")
    func row(_ prefix: String) -> String {
      ([key] + names).map { "\(prefix).\($0)" }.joined(separator: ", ")
    }
    let (unique, changed) = try uniqueness()
    func note(_ condition: String) -> String {
      "DELETE FROM \(noted.quotedIdentifier); INSERT INTO \(noted.quotedIdentifier) "
        + "SELECT \(([key] + names).joined(separator: ", ")) FROM \(table) WHERE \(condition); "
    }
    let takeOutReplaced =
      "INSERT INTO \(index) (\(index), rowid, \(list)) SELECT 'delete', "
      + "\((["key"] + numbers).joined(separator: ", ")) FROM \(noted.quotedIdentifier) "
      + "WHERE (key = NEW.\(key) OR key NOT IN (SELECT \(key) FROM \(table)))"
    let forget = "; DELETE FROM \(noted.quotedIdentifier); "
    let takeOut =
      "INSERT INTO \(index) (\(index), rowid, \(list)) VALUES ('delete', \(row("OLD"))); "
    let putIn = "INSERT INTO \(index) (rowid, \(list)) VALUES (\(row("NEW"))); "
    // A collation may consider equal what the index does not.
    let differs = ([key] + names).map { "OLD.\($0) IS NOT NEW.\($0) COLLATE BINARY" }
    func trigger(_ suffix: String, _ event: String, _ statements: String)
      -> SchemaObjectDefinition
    {
      SchemaObjectDefinition(
        .trigger, "\(name)_\(suffix)", body: "\(event) BEGIN \(statements)END", owner: name)
    }
    return [
      SchemaObjectDefinition(
        .table, noted, body: "(\((["key INTEGER"] + numbers).joined(separator: ", ")))",
        owner: name),
      trigger(
        "before_insert", "BEFORE INSERT ON \(table)", note(unique.joined(separator: " OR "))),
      trigger("after_insert", "AFTER INSERT ON \(table)", takeOutReplaced + forget + putIn),
      trigger(
        "before_update",
        "BEFORE UPDATE ON \(table) WHEN \(changed.joined(separator: " OR "))",
        note("\(key) <> OLD.\(key) AND (\(unique.joined(separator: " OR ")))")),
      trigger(
        "after_update",
        "AFTER UPDATE ON \(table) WHEN \(differs.joined(separator: " OR ")) "
          + "OR EXISTS (SELECT 1 FROM \(noted.quotedIdentifier))",
        // An upsert records the row that it updates.
        takeOutReplaced + " AND key <> OLD.\(key)" + forget + takeOut + putIn),
      trigger(
        "after_delete", "AFTER DELETE ON \(table)",
        "DELETE FROM \(noted.quotedIdentifier) WHERE key = OLD.\(key); " + takeOut),
    ]
  }

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
