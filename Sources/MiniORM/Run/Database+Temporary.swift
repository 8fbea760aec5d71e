import Synchronization

extension Database {
  /// Creates a view or a trigger that exists only in this program, while the database is open.
  ///
  /// ```swift
  /// let large = DatabaseView("large", as: companies.where { $0.employeeCount > 1000 })
  /// try await database.createTemporary(large)
  /// ```
  /// Either every connection has it or, if this method throws, none. It survives
  /// ``changeKey(to:)``, and ``migrate(_:allowingDrops:progress:)``, which renames what it names
  /// and refuses to leave behind one that no longer works. It hides an object of the same name in
  /// the file.
  ///
  /// See [CREATE VIEW](https://www.sqlite.org/lang_createview.html).
  /// - Parameter object: The view or the trigger.
  /// - Throws: ``DatabaseError`` when there is a temporary one of that name, or it does not work.
  public func createTemporary(_ object: some SchemaObject) async throws {
    let definitions = try object.definitions
    guard definitions.allSatisfy({ $0.kind != .virtualTable }) else {
      throw DatabaseError(
        .prepare, code: .misuse, "Only a view or a trigger can be temporary, and not a table")
    }
    hasTemporaryObjects.store(true, ordering: .relaxed)
    try await withAllConnections { (reader, writer) throws(DatabaseError) in
      try reader.createTemporary(definitions, through: writer)
    }
  }

  /// Drops a temporary view or trigger on every connection or, if this method throws, on none.
  /// - Parameter object: The view or the trigger.
  /// - Throws: ``DatabaseError`` when there is none of its name.
  public func dropTemporary(_ object: some SchemaObject) async throws {
    let definitions = try object.definitions
    try await withAllConnections { (reader, writer) throws(DatabaseError) in
      try reader.dropTemporary(definitions, through: writer)
    }
  }
}

extension Connection {
  /// Creates objects on this connection and on the one that writes, or on neither. Nobody else has a
  /// connection, so that no other task finds only one of them with it.
  fileprivate func createTemporary(
    _ definitions: [SchemaObjectDefinition], through writer: Connection
  ) throws(DatabaseError) {
    _ = try handle
    guard writer !== self else { return try createTemporary(definitions) }
    let objects = try writer.sync { writer -> Result<TemporaryObjects, DatabaseError> in
      do throws(DatabaseError) {
        try writer.createTemporary(definitions)
        return .success(writer.state.temporaryObjects)
      } catch {
        return .failure(error)
      }
    }.get()
    do throws(DatabaseError) {
      try adopt(objects)
    } catch {
      writer.sync { writer in
        do throws(DatabaseError) {
          try writer.dropTemporary(definitions)
        } catch {
          writer.forgetTemporary(definitions)
          writer.reopenLater()
        }
      }
      throw error
    }
  }

  private func createTemporary(_ definitions: [SchemaObjectDefinition]) throws(DatabaseError) {
    let created = try atomically(.deferred) { () throws(DatabaseError) in
      for definition in definitions {
        _ = try query(SQL(raw: definition.temporarySQL))
        if let probe = definition.probe { try compile(probe) }
      }
      return try temporarySchema().filter { object in definitions.contains(where: object.isOf) }
    }
    state.temporaryObjects.all += created
    state.temporaryObjects.version += 1
  }

  /// Drops objects on the writing connection, and then on this one, which cannot refuse.
  fileprivate func dropTemporary(
    _ definitions: [SchemaObjectDefinition], through writer: Connection
  ) throws(DatabaseError) {
    _ = try handle
    guard writer !== self else { return try dropTemporary(definitions) }
    follow(
      try writer.sync { writer -> Result<TemporaryObjects, DatabaseError> in
        do throws(DatabaseError) {
          try writer.dropTemporary(definitions)
          return .success(writer.state.temporaryObjects)
        } catch {
          return .failure(error)
        }
      }.get())
  }

  private func dropTemporary(_ definitions: [SchemaObjectDefinition]) throws(DatabaseError) {
    try atomically(.deferred) { () throws(DatabaseError) in
      for definition in definitions.reversed() {
        _ = try query(
          SQL(raw: "DROP \(definition.kind.rawValue) temp.\(definition.name.quotedIdentifier)"))
      }
    }
    forgetTemporary(definitions)
  }

  private func forgetTemporary(_ definitions: [SchemaObjectDefinition]) {
    state.temporaryObjects.all.removeAll { definitions.contains(where: $0.isOf) }
    state.temporaryObjects.version += 1
  }
}

extension TemporaryObject {
  /// Returns whether this is what a definition creates.
  fileprivate func isOf(_ definition: SchemaObjectDefinition) -> Bool {
    type == definition.kind.type && name.folded == definition.name.folded
  }
}
