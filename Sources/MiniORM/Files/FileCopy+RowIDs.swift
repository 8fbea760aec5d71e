import CSQLCipher

extension FileCopy {
  /// Keeps the rowids of tables with neither an `INTEGER PRIMARY KEY` nor an index, which
  /// `sqlcipher_export` would renumber.
  func keepRowIDs(_ source: OpaquePointer) throws(DatabaseError) {
    let tables = try Connection.rows(
      """
      SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')
        AND wr = 0 AND name <> 'sqlite_schema' ORDER BY name
      """, source, .copy)
    // The copy already has its triggers, and a row may violate a CHECK constraint.
    var code = miniorm_db_config(source, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    guard code == SQLITE_OK else {
      throw DatabaseError(.copy, code: code, from: source, path: path)
    }
    defer { code = miniorm_db_config(source, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1) }
    _ = try Connection.text("PRAGMA ignore_check_constraints = ON", source)
    for row in tables {
      guard case .text(let table) = row[0] else { continue }
      try keepRowIDs(of: table, source)
    }
    // The verification checks the constraints.
    _ = try Connection.text("PRAGMA ignore_check_constraints = OFF", source)
  }

  private func keepRowIDs(of table: String, _ source: OpaquePointer) throws(DatabaseError) {
    var columns: [String] = []
    let sql = "SELECT name, hidden FROM pragma_table_xinfo(\(table.quotedLiteral), 'main')"
    var names: Set<ExactText> = []
    for row in try Connection.rows(sql, source, .copy) {
      guard case .text(let column) = row[0] else { continue }
      names.insert(column.folded)
      // Generated columns cannot be inserted.
      if row[1] == .integer(0) { columns.append(column.quotedIdentifier) }
    }
    // If columns have all three names of the rowid, SQL cannot read the rowid.
    guard let rowID = RowID.name(besides: names) else { return }
    let name = table.quotedIdentifier
    let ends = { (schema: String) throws(DatabaseError) in
      try Connection.rows(
        "SELECT (SELECT min(\(rowID)) FROM \(schema).\(name)), (SELECT max(\(rowID)) FROM \(schema).\(name))",
        source, .copy)
    }
    // The rowids of the copy count from 1 without gaps. With the same number of rows, equal bounds
    // imply equal rowids.
    guard try ends("main") != ends("copy") else { return }
    let list = ([rowID] + columns).joined(separator: ", ")
    _ = try Connection.text("DELETE FROM copy.\(name)", source)
    _ = try Connection.text(
      "INSERT INTO copy.\(name) (\(list)) SELECT \(list) FROM main.\(name) ORDER BY \(rowID)",
      source)
  }
}
