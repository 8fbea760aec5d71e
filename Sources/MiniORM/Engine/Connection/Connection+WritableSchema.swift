import CSQLCipher

extension Connection {
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
    let result: Result
    do throws(DatabaseError) {
      result = try body(database)
    } catch {
      _ = try? Self.text("PRAGMA writable_schema = RESET", database)
      throw error
    }
    // Other connections detect the change by the schema version.
    let version = try Self.text("PRAGMA main.schema_version", database) ?? "0"
    _ = try Self.text("PRAGMA main.schema_version = \((Int32(version) ?? 0) &+ 1)", database)
    _ = try Self.text("PRAGMA writable_schema = RESET", database)
    return result
  }
}
