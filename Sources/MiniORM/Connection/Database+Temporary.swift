extension Database {
  /// Creates a view or a trigger for as long as the database is open, and for nobody else who opens
  /// the file.
  ///
  /// ```swift
  /// let large = View("large", as: companies.where { $0.employeeCount > 1000 })
  /// try await database.createTemporary(large)
  /// ```
  /// Every connection has it, also after ``changeKey(to:)``. It hides one of its name in the file.
  ///
  /// See [CREATE VIEW](https://www.sqlite.org/lang_createview.html).
  /// - Parameter object: The view or the trigger.
  /// - Throws: ``DatabaseError`` when there is a temporary one of that name, or it does not work.
  public func createTemporary(_ object: some SchemaObject) async throws(DatabaseError) {
    let definitions = try object.definitions
    guard definitions.allSatisfy({ $0.kind != .virtualTable }) else {
      throw DatabaseError(
        .prepare, code: .misuse, "Only a view or a trigger can be temporary, and not a table")
    }
    try await reader.createTemporary(definitions, through: writer)
  }

  /// Drops a temporary view or trigger.
  /// - Parameter object: The view or the trigger.
  /// - Throws: ``DatabaseError`` when there is none of its name.
  public func dropTemporary(_ object: some SchemaObject) async throws(DatabaseError) {
    try await reader.dropTemporary(try object.definitions, through: writer)
  }
}

extension Connection {
  /// Creates objects on this connection and on the one that writes, or on neither. Both executors
  /// are held, so that no other task finds only one of them with it.
  fileprivate func createTemporary(
    _ definitions: [SchemaObjectDefinition], through writer: Connection
  ) throws(DatabaseError) {
    _ = try handle
    guard writer !== self else { return try createTemporary(definitions) }
    // The writer never waits for the reader, so this cannot wait for ever.
    try writer.sync { writer -> Result<Void, DatabaseError> in
      do throws(DatabaseError) {
        return .success(try writer.createTemporary(definitions))
      } catch {
        return .failure(error)
      }
    }.get()
    do throws(DatabaseError) {
      try createTemporary(definitions)
    } catch {
      writer.sync { writer in try? writer.dropTemporary(definitions) }
      throw error
    }
  }

  private func createTemporary(_ definitions: [SchemaObjectDefinition]) throws(DatabaseError) {
    var created: [SchemaObjectDefinition] = []
    do throws(DatabaseError) {
      for definition in definitions {
        _ = try query(SQL(raw: definition.temporarySQL))
        created.append(definition)
        if let probe = definition.probe { try compile(probe) }
      }
    } catch {
      try? dropTemporary(created)
      throw error
    }
    temporaryObjects += created
  }

  fileprivate func dropTemporary(
    _ definitions: [SchemaObjectDefinition], through writer: Connection
  ) throws(DatabaseError) {
    _ = try handle
    if writer !== self {
      try writer.sync { writer -> Result<Void, DatabaseError> in
        do throws(DatabaseError) {
          return .success(try writer.dropTemporary(definitions))
        } catch {
          return .failure(error)
        }
      }.get()
    }
    try dropTemporary(definitions)
  }

  private func dropTemporary(_ definitions: [SchemaObjectDefinition]) throws(DatabaseError) {
    for definition in definitions {
      _ = try query(
        SQL(raw: "DROP \(definition.kind.rawValue) temp.\(definition.name.quotedIdentifier)"))
      temporaryObjects.removeAll { $0.kind == definition.kind && $0.name == definition.name }
    }
  }

  /// Creates the temporary objects again in a file that was opened anew.
  func recreateTemporaryObjects() throws(DatabaseError) {
    for definition in temporaryObjects { _ = try query(SQL(raw: definition.temporarySQL)) }
  }
}
