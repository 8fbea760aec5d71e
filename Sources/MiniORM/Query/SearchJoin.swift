/// A full-text index that is joined to the table whose text it searches.
///
/// FTS5 gives the rank of a row only to a query that contains its index directly, and not in a
/// subquery. So in a join the index follows its table.
struct SearchJoin: Sendable {
  /// The table in FROM.
  private(set) var table: SQL
  /// The index in FROM.
  let index: SQL
  /// The name of the index in the query.
  let name: String
  /// The key of the table, which is the index's rowid.
  private(set) var key: SQL
  let match: Match

  private var matches: SQL { SQL(raw: "\(name) MATCH ").appending(SQL(binding: match.text)) }

  /// Returns the join of the index: only with matching rows, or with NULL for missing ones.
  func join(_ kind: JoinKind) -> SQL {
    var condition = SQL(raw: " ON \(name).rowid = ").appending(key)
    // FTS5 of SQLite 3.53 finds every row that matches where the rowid is to be NULL.
    if kind == .left {
      condition = condition.appending(SQL(raw: " AND "), key, SQL(raw: " IS NOT NULL"))
    }
    return SQL(raw: " \(kind.rawValue) ").appending(
      index, condition, SQL(raw: " AND "), matches)
  }

  /// Returns whether a row matches, if the index does not decide it.
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
