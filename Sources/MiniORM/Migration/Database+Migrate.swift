extension Database {
  /// Creates the tables and indexes of the models that the file does not have, and checks the
  /// others.
  ///
  /// All of it is one transaction: when it throws, the file is as it was. Doing it again does
  /// nothing.
  ///
  /// - Parameter schema: The models and their version.
  /// - Throws: ``DatabaseError`` with the operation `migrate` when the file is newer than the
  ///   schema, is older, holds tables but no version, or has tables that differ from their models:
  ///   the message says how.
  public func migrate(_ schema: Schema) async throws(DatabaseError) {
    try await writer.migrate(schema)
  }

  /// Compares the file with the models, changing nothing.
  /// - Parameter schema: The models.
  /// - Returns: The differences; none when file and models agree.
  /// - Throws: ``DatabaseError`` when the file cannot be read.
  public func check(_ schema: Schema) async throws(DatabaseError) -> SchemaReport {
    try await reader.check(schema)
  }
}

extension Connection {
  fileprivate func migrate(_ schema: Schema) throws(DatabaseError) {
    guard schema.version > 0 else {
      throw DatabaseError(.migrate, code: .misuse, "A schema's version is at least 1", path: path)
    }
    try begin(.immediate)
    do throws(DatabaseError) {
      try createMissing(schema)
    } catch {
      rollback()
      throw error.adding(operation: .migrate, path: path)
    }
    try commit()
  }

  private func createMissing(_ schema: Schema) throws(DatabaseError) {
    let version = try value(Int32.self, "PRAGMA user_version") ?? 0
    if version == 0 {
      let tables = try value(
        Int.self,
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      guard tables == 0 else {
        throw DatabaseError(
          .migrate, code: .misuse,
          "The file holds tables but no version, so they are not MiniORM's to change")
      }
    } else if version != schema.version {
      throw DatabaseError(
        .migrate, code: .misuse,
        version > schema.version
          ? "The file has version \(version), which is newer than this program's \(schema.version)"
          : "The file has version \(version), and there are no steps from it to version \(schema.version)"
      )
    }
    for model in schema.models {
      for sql in try model.createSQL() { try execute(script: sql) }
    }
    let report = try check(schema)
    guard report.isEmpty else {
      throw DatabaseError(.migrate, code: .misuse, "The file differs from the models:\n\(report)")
    }
    try execute("PRAGMA user_version = \(raw: String(schema.version))")
  }
}
