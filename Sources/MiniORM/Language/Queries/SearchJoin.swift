/// A full-text index, joined to the table whose text it searches.
///
/// The index follows its table, because FTS5 returns no rank from a subquery.
struct SearchJoin: Sendable {
  private(set) var table: SQL
  let index: SQL
  let name: String
  private(set) var key: SQL
  /// The condition that a row of the index matches.
  let matches: SQL

  func join(_ kind: JoinKind) -> SQL {
    var condition = SQL(raw: " ON \(name).rowid = ").appending(key)
    // FTS5 in SQLite 3.53 returns every matching row if the rowid is compared with NULL.
    if kind == .left {
      condition = condition.appending(SQL(raw: " AND "), key, SQL(raw: " IS NOT NULL"))
    }
    return SQL(raw: " \(kind.rawValue) ").appending(
      index, condition, SQL(raw: " AND "), matches)
  }

  /// The condition that a row matches, for joins in which the index does not filter rows.
  var condition: SQL {
    SQL(segments: [.note(.reads(.others))]).appending(
      key, SQL(raw: " IN (SELECT rowid FROM "), index, SQL(raw: " WHERE "), matches, SQL(raw: ")"))
  }

  func renaming(_ renames: Renames) -> SearchJoin {
    var search = self
    search.table = table.renaming(renames)
    search.key = key.renaming(renames)
    return search
  }
}
