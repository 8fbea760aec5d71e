/// Only a module knows its shadow tables, so SQLite cannot drop a virtual table whose module or
/// tokenizer is missing, such as FTS4.
extension FileSchema {
  /// Returns the statements that drop the shadow tables, if the module is known, and the triggers
  /// that name the table.
  func remains(of table: Object) -> [String] {
    let virtual = VirtualTable(table.name, sql: table.sql)
    let shadows = virtual.shadowTables.filter { object("table", $0) != nil }
    return triggers.filter { virtual.isNamed(in: $0.sql) }
      .map { SchemaObjectDefinition.dropSQL("trigger", $0.name) }
      + shadows.map { SchemaObjectDefinition.dropSQL("table", $0) }
  }
}

extension Connection {
  /// Removes only the table's entry in the schema.
  func removeVirtualTable(_ name: String) throws(DatabaseError) {
    try withWritableSchema { database throws(DatabaseError) in
      _ = try Self.text(
        "DELETE FROM main.sqlite_schema WHERE type = 'table' AND rootpage = 0 AND name = \(name.quotedLiteral)",
        database)
    }
    let entries = try value(
      Int.self, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = \(name)")
    guard entries == 0 else {
      throw DatabaseError(
        .migrate, code: .error, "The virtual table could not be removed from the schema",
        table: name)
    }
  }
}
