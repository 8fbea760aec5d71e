import CSQLCipher

/// Registers a comparison of bytes for each collation that the program has not registered.
///
/// SQLite can then read every row. The order of an index with such a collation is wrong, so neither
/// searches nor checks may use the index.
///
/// See [Collation Needed Callbacks](https://www.sqlite.org/c3ref/collation_needed.html).
final class StandInCollations {
  private var names: [String] = []

  static func register(on database: OpaquePointer) {
    sqlite3_collation_needed(database, nil) { _, database, _, name in
      guard let database, let name else { return }
      StandInCollations.create(name, on: database)
    }
  }

  static func using<Result>(
    on database: OpaquePointer, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let created = StandInCollations()
    sqlite3_collation_needed(database, CallbackContext.borrowed(created)) {
      created, database, _, name in
      guard let created, let database, let name else { return }
      StandInCollations.create(name, on: database)
      CallbackContext<StandInCollations>.object(created).names
        .append(String(cString: name))  // SQLite names a collation without a NUL.
    }
    defer {
      sqlite3_collation_needed(database, nil, nil)
      for name in created.names {
        sqlite3_create_collation_v2(database, name, SQLITE_UTF8, nil, nil, nil)
      }
    }
    return try body()
  }

  private static func create(_ name: UnsafePointer<CChar>, on database: OpaquePointer) {
    // After a failure, SQLite reports the collation as missing.
    sqlite3_create_collation_v2(
      database, name, SQLITE_UTF8, nil,
      { _, leftCount, left, rightCount, right in
        guard let left, let right else { return leftCount - rightCount }
        let order = memcmp(left, right, Int(min(leftCount, rightCount)))
        return order == 0 ? leftCount - rightCount : order
      }, nil)
  }
}

/// An index whose order depends on a collation that the program has not registered.
package struct ForeignIndex: Sendable {
  package let name: String
  package let table: String
  package let collation: String
  /// True for the key of a WITHOUT ROWID table, which orders the rows.
  package let ordersTable: Bool

  /// The advice for a copy, in which the index is in the order of bytes.
  package var advice: String {
    "index \(name) of table \(table): the collation \(collation) is not registered, so the entries are "
      + "in the order of bytes. Run REINDEX \(collation.quotedIdentifier) in a program that registers "
      + "the collation, before any other statement"
  }

  /// A query for the indexes with unknown collations. The columns are the index, the table, the
  /// collation, and whether the index orders the table.
  package static func query(knowing collations: [Collation]) -> String {
    let known =
      (["BINARY", "NOCASE", "RTRIM"] + ([.decimalText] + collations).compactMap(\.definition?.name))
      .map { $0.folded.string.quotedLiteral }
    return """
      SELECT list.name, tables.name, coll, wr AND origin = 'pk'
      FROM pragma_table_list AS tables, pragma_index_list(tables.name, 'main') AS list,
        pragma_index_xinfo(list.name, 'main') AS columns
      WHERE tables.schema = 'main' AND tables.type IN ('table', 'shadow') AND "key" = 1
        AND lower(coll) NOT IN (\(known.joined(separator: ", ")))
      GROUP BY 1, 2, 3 ORDER BY 2, 1
      """
  }

  package init?(_ row: [DatabaseValue]) {
    guard row.count == 4, case .text(let name) = row[0], case .text(let table) = row[1],
      case .text(let collation) = row[2]
    else { return nil }
    (self.name, self.table, self.collation) = (name, table, collation)
    ordersTable = row[3] == .integer(1)
  }
}
