import CSQLCipher

extension IntegrityCheck {
  /// Finds violated CHECK constraints in a read-only file, where SQLite's integrity check skips
  /// them.
  func brokenChecks() throws(DatabaseError) -> Parts {
    guard sqlite3_db_readonly(database, "main") == 1 else { return Parts() }
    var parts = Parts()
    let tables = "SELECT name, sql FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0"
    for row in try Connection.rows(tables, database) {
      guard case .text(let name) = row[0], case .text(let sql) = row[1],
        let checks = try? TableDefinition(parsing: sql).checks, !checks.isEmpty
      else { continue }
      // A CHECK constraint with the result NULL is not violated.
      let conditions = checks.map { "NOT (\($0.text))" }.joined(separator: " OR ")
      let broken =
        "SELECT 1 FROM main.\(name.quotedIdentifier) WHERE \(conditions) LIMIT \(Self.limit)"
      let failure = try Self.unlessMissing { () throws(DatabaseError) in
        try Connection.forEachRow(broken, database) { _ in
          parts.problems.append(Self.problem("CHECK constraint failed in \(name)", [:]))
        }
      }
      if let failure {
        parts.notChecked.append("the CHECK constraints of table \(name): \(failure)")
      }
    }
    return parts
  }

  func brokenForeignKeys() throws(DatabaseError) -> Parts {
    var parts = Parts()
    let failure = try Self.unlessMissing { () throws(DatabaseError) in
      parts.problems = try brokenForeignKeys(of: "NULL")
    }
    guard failure != nil else { return parts }
    for table in try Self.tables("main", database) {
      let failure = try Self.unlessMissing { () throws(DatabaseError) in
        parts.problems += try brokenForeignKeys(of: table.quotedLiteral)
      }
      if let failure { parts.notChecked.append("the foreign keys of table \(table): \(failure)") }
    }
    return parts
  }

  private func brokenForeignKeys(
    of table: String
  ) throws(DatabaseError) -> [IntegrityReport.Problem] {
    let sql =
      "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check(\(table), 'main') ORDER BY 1, 2 LIMIT \(Self.limit)"
    return try Connection.rows(sql, database).compactMap { row in
      guard case .text(let table) = row[0], case .text(let parent) = row[2] else { return nil }
      var rowID: Int64?
      // A WITHOUT ROWID table has no rowids.
      if case .integer(let number) = row[1] { rowID = number }
      let name = rowID.map { "row \($0) of table \(table)" } ?? "a row of table \(table)"
      return IntegrityReport.Problem(
        .foreignKey, "\(name) refers to a row of \(parent) that does not exist", table: table,
        rowID: rowID)
    }
  }
}
