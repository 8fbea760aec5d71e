extension Database {
  /// Migrates the file as ``migrate(_:allowingDrops:progress:)``, while the calling thread waits.
  /// - Parameters:
  ///   - schema: The models, their version and the steps.
  ///   - allowingDrops: True to drop columns that no model has, or that `.rebuildTable` does not
  ///     list, with their contents.
  /// - Throws: ``DatabaseError`` as `migrate`. Inside a read or write of any database, the code is
  ///   ``ResultCode/misuse``.
  /// - Complexity: O(*n*) in the rows of tables that are rebuilt or filled in.
  @available(*, noasync, message: "use 'migrate' with 'await', so that no thread waits")
  public func migrateSynchronously(_ schema: DatabaseSchema, allowingDrops: Bool = false) throws {
    try waiting(.migrate) { try await $0.migrate(schema, allowingDrops: allowingDrops) }
  }

  /// Declares the version of another program's file as ``adopt(version:formats:)``, while the calling
  /// thread waits.
  /// - Parameters:
  ///   - version: The version, from 1.
  ///   - formats: The formats of columns in the file, by the names of tables and columns.
  /// - Throws: ``DatabaseError`` as `adopt`. Inside a read or write of any database, the code is
  ///   ``ResultCode/misuse``.
  @available(*, noasync, message: "use 'adopt' with 'await', so that no thread waits")
  public func adoptSynchronously(
    version: Int32, formats: [String: [String: ColumnStorage]] = [:]
  ) throws {
    try waiting(.migrate) { try await $0.adopt(version: version, formats: formats) }
  }

  /// Declares the version and the formats of another program's file as ``adopt(version:as:)``, while
  /// the calling thread waits. Call this method at each launch, before `migrateSynchronously`.
  /// - Parameters:
  ///   - version: The version of the file's tables, from 1.
  ///   - schema: The models of this version. Steps have no effect.
  /// - Throws: ``DatabaseError`` as `adopt`. Inside a read or write of any database, the code is
  ///   ``ResultCode/misuse``.
  @available(*, noasync, message: "use 'adopt' with 'await', so that no thread waits")
  public func adoptSynchronously(version: Int32, as schema: DatabaseSchema) throws {
    try waiting(.migrate) { try await $0.adopt(version: version, as: schema) }
  }
}
