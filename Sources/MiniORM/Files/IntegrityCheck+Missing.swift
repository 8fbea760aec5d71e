import CSQLCipher

/// Checks of a file that uses a collation, function, tokenizer or module that the program has not
/// registered: SQLite cannot compile the check of the whole file.
extension IntegrityCheck {
  /// The results of checking each table separately.
  struct Parts {
    var problems: [IntegrityReport.Problem] = []
    var notChecked: [String] = []
  }

  /// Checks the pages of each table, and the indexes and constraints if SQLite can compile the
  /// check.
  func structureOfTables() throws(DatabaseError) -> Parts {
    var parts = Parts()
    var unchecked: [String] = []
    for table in try Self.tables("main", database) {
      let failure = try Self.unlessMissing { () throws(DatabaseError) in
        parts.problems += try problems(of: "integrity_check(\(table.quotedLiteral))")
      }
      guard let failure else { continue }
      unchecked.append(table)
      parts.notChecked.append("the indexes and constraints of table \(table): \(failure)")
    }
    try StandInCollations.using(on: database) { () throws(DatabaseError) in
      for table in unchecked {
        _ = try Self.unlessMissing { () throws(DatabaseError) in
          let found = try problems(of: "quick_check(\(table.quotedLiteral))")
          // Stand-ins have a different order, so problems of indexes do not count.
          parts.problems += found.filter { $0.kind == .structure }
        }
      }
    }
    return parts
  }

  /// Returns the virtual tables that cannot be read, with the reason.
  func unreadableVirtualTables() throws(DatabaseError) -> [String] {
    var unreadable: [String] = []
    for name in try Self.tables("main", of: "'virtual'", database) {
      let failure = try Self.unlessMissing { () throws(DatabaseError) in
        _ = try Connection.rows("SELECT 1 FROM main.\(name.quotedIdentifier) LIMIT 0", database)
      }
      if let failure { unreadable.append("virtual table \(name): \(failure)") }
    }
    return unreadable
  }

  /// Returns the first message, without the tables that SQLite cannot check.
  static func firstMessage(
    _ schema: String, _ database: OpaquePointer
  ) throws(DatabaseError) -> String? {
    var message: String?
    let failure = try unlessMissing { () throws(DatabaseError) in
      message = try Connection.text("PRAGMA \(schema).integrity_check", database)
    }
    guard failure != nil else { return message }
    for table in try tables(schema, database) {
      message = "ok"
      _ = try unlessMissing { () throws(DatabaseError) in
        let sql = "PRAGMA \(schema).integrity_check(\(table.quotedLiteral))"
        message = try Connection.text(sql, database)
      }
      guard message == "ok" else { return message }
    }
    return "ok"
  }

  static func tables(
    _ schema: String, of types: String = "'table', 'shadow'", _ database: OpaquePointer
  ) throws(DatabaseError) -> [String] {
    let sql = """
      SELECT name FROM pragma_table_list WHERE schema = \(schema.quotedLiteral)
        AND type IN (\(types)) AND name NOT IN ('sqlite_schema', 'sqlite_temp_schema')
      ORDER BY name
      """
    return try Connection.rows(sql, database).compactMap { row in
      guard case .text(let name) = row[0] else { return nil }
      return name
    }
  }

  /// Returns SQLite's message if a statement cannot be compiled, and throws all other errors.
  static func unlessMissing(
    _ body: () throws(DatabaseError) -> Void
  ) throws(DatabaseError) -> String? {
    do throws(DatabaseError) {
      try body()
      return nil
    } catch {
      guard error.code.primary == .error, !error.saysNothing else { throw error }
      return error.message
    }
  }
}

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
