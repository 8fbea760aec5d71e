import CSQLCipher

extension Connection {
  /// Switches foreign keys on or off, even inside a transaction, unlike the PRAGMA.
  ///
  /// See [SQLITE_DBCONFIG_ENABLE_FKEY](https://www.sqlite.org/c3ref/c_dbconfig_defensive.html).
  func setForeignKeys(_ isOn: Bool) throws(DatabaseError) {
    let database = try handle
    let code = miniorm_db_config(database, SQLITE_DBCONFIG_ENABLE_FKEY, isOn ? 1 : 0)
    guard code == SQLITE_OK else { throw DatabaseError(.configure, code: code, from: database) }
  }

  /// Throws if DROP TABLE would run ON DELETE actions on other tables: with foreign keys on, SQLite
  /// first deletes the table's rows.
  ///
  /// See [DROP TABLE](https://www.sqlite.org/foreignkeys.html#fk_schemacommands).
  func checkDrop(_ statement: PreparedStatement) throws(DatabaseError) {
    guard let dropped = statement.access.droppedTable,
      try value(Bool.self, "PRAGMA foreign_keys") == true
    else { return }
    let referring = try value(
      String?.self,
      """
      SELECT group_concat(DISTINCT l.name) FROM pragma_table_list AS l
      JOIN pragma_foreign_key_list(l.name, l.schema) AS k
      WHERE l.schema = \(dropped.schema) COLLATE NOCASE AND l.type = 'table'
      AND k."table" = \(dropped.table) COLLATE NOCASE AND l.name <> k."table" COLLATE NOCASE
      """)
    guard let tables = referring ?? nil else { return }
    let table = dropped.table
    throw DatabaseError(
      .step, code: .misuse,
      "DROP TABLE \(table) would run the ON DELETE actions of the foreign keys that refer to it, on the "
        + "rows of \(tables). Use .dropTable(\"\(table)\"), which changes no row of another table, or create the step "
        + "with foreignKeysEnabled: false to rebuild the table by hand",
      sql: statement.sql, table: table)
  }
}

extension Connection {
  /// Runs statements of a file's schema, which SQL of this program may not contain: texts in double
  /// quotes, and triggers on shadow tables.
  func withSyntaxOfFile<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let database = try handle
    let options = [(SQLITE_DBCONFIG_DEFENSIVE, Int32(0)), (SQLITE_DBCONFIG_DQS_DDL, 1)]
    for (option, value) in options { _ = miniorm_db_config(database, option, value) }
    StringsInSchema.allow(true, on: database)
    defer {
      for (option, value) in options { _ = miniorm_db_config(database, option, 1 - value) }
      StringsInSchema.allow(cache?.readsStrings ?? false, on: database)
    }
    return try body()
  }

  /// Runs a closure that may change `sqlite_schema` and shadow tables by SQL. Only for virtual
  /// tables whose module is missing, which SQLite cannot create or drop.
  ///
  /// See [PRAGMA writable_schema](https://www.sqlite.org/pragma.html#pragma_writable_schema).
  func withWritableSchema<Result>(
    _ body: (OpaquePointer) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let database = try handle
    let code = miniorm_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 0)
    guard code == SQLITE_OK else {
      throw DatabaseError(.configure, code: code, from: database, path: path)
    }
    defer { _ = miniorm_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1) }
    _ = try Self.text("PRAGMA writable_schema = ON", database)
    defer { _ = try? Self.text("PRAGMA writable_schema = RESET", database) }
    let result = try body(database)
    // Other connections detect the change by the schema version.
    let version = try Self.text("PRAGMA main.schema_version", database) ?? "0"
    _ = try Self.text("PRAGMA main.schema_version = \((Int32(version) ?? 0) &+ 1)", database)
    return result
  }
}
