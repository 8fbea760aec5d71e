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
    let sql =
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual' ORDER BY 1"
    var unreadable: [String] = []
    for row in try Connection.rows(sql, database) {
      guard case .text(let name) = row[0] else { continue }
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
    _ schema: String, _ database: OpaquePointer
  ) throws(DatabaseError) -> [String] {
    let sql = """
      SELECT name FROM pragma_table_list WHERE schema = \(schema.quotedLiteral)
        AND type IN ('table', 'shadow') AND name NOT IN ('sqlite_schema', 'sqlite_temp_schema')
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
