/// See [UPDATE](https://www.sqlite.org/lang_update.html).
extension Table {
  /// Updates the row with a model's key, if the row is selected.
  /// - Parameters:
  ///   - row: The model. All columns except the key are set.
  ///   - connection: The connection of a transaction.
  /// - Returns: True if the row exists. For a view, true if its triggers changed a row.
  /// - Throws: ``DatabaseError`` if a constraint is violated, or a value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @inlinable
  @discardableResult
  public func update(_ row: T, in connection: isolated Connection) throws(DatabaseError) -> Bool
  where T: PrimaryKeyedModel {
    guard isWhole else { return try update(contentsOf: CollectionOfOne(row), in: connection) > 0 }
    let statement = try connection.statement(schema.updateByKey)
    try row.bind(to: statement, at: 1)
    return try connection.changedRows(by: statement) > 0
  }

  /// Updates the selected rows with the models' keys: all of them, or after an error none.
  /// - Parameters:
  ///   - rows: The models. May be empty.
  ///   - connection: The connection of a transaction.
  /// - Returns: The number of rows updated. A model whose row is missing or not selected is
  ///   skipped.
  /// - Throws: ``DatabaseError`` if a constraint is violated or a value cannot be stored.
  @inlinable
  @discardableResult
  public func update<Rows: Collection<T>>(
    contentsOf rows: Rows, in connection: isolated Connection
  ) throws(DatabaseError) -> Int where T: PrimaryKeyedModel {
    guard !rows.isEmpty else { return 0 }
    return isWhole
      ? try updateEach(rows, in: connection)
      : try updateEach(selected(rows, by: { $0.primaryKey }, in: connection), in: connection)
  }

  @inlinable
  func updateEach(
    _ rows: some Collection<T>, in connection: isolated Connection
  ) throws(DatabaseError) -> Int where T: PrimaryKeyedModel {
    try runEach(
      schema.updateByKey, schema.updateOfRows, of: rows,
      width: Int(schema.insertion.model.columnCount), expecting: rows.count, in: connection,
      { (row, statement) throws(DatabaseError) in try row.bind(to: statement, at: 1) })
  }

  /// Updates the columns that differ between two versions of a row, if the row is selected.
  ///
  /// ```swift
  /// var edited = company
  /// edited.name = "Acme"
  /// try await Company.all.update(edited, from: company, in: database)  // SET "name" = ?
  /// ```
  /// Columns that are equal in both versions are not written: changes that other tasks have stored
  /// since are kept, and observers of these columns are not notified.
  /// - Parameters:
  ///   - row: The new version.
  ///   - old: The earlier version, with the same key.
  ///   - connection: The connection of a transaction.
  /// - Returns: True if the row exists.
  /// - Throws: ``DatabaseError`` if the keys differ, a constraint is violated, or a value cannot be
  ///   stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @discardableResult
  public func update(
    _ row: T, from old: T, in connection: isolated Connection
  ) throws(DatabaseError) -> Bool where T: PrimaryKeyedModel {
    let columns = schema.insertion.model.columns
    let versions = try EchoDatabase.values(count: columns.count, of: [old, row]) {
      (row, statement) throws(DatabaseError) in try row.bind(to: statement, at: 1)
    }
    let keys = Set(schema.primaryKey.map { ExactText($0.name) })
    var (changes, conditions): ([SQL], [SQL]) = ([], [])
    for (index, column) in columns.enumerated() {
      let isKey = keys.contains(ExactText(column.name))
      let part = Self.assignment(column, versions[1][index])
      if isKey { conditions.append(part) }
      guard versions[0][index] != versions[1][index] else { continue }
      guard !isKey else {
        throw .query(
          "update(_:from:) takes two versions of one row, but \(T.schema.name).\(column.name) "
            + "differs: update the key with update { … }")
      }
      changes.append(part)
    }
    return try update(row.primaryKey, setting: changes, where: conditions, in: connection)
  }

  /// Sets the columns of a draft in the row with a primary key, if the row is selected. A form can
  /// then create and edit rows with the same draft.
  ///
  /// ```swift
  /// var draft = Company.Draft(company)
  /// draft.name = "Acme"
  /// try await companies.update(company.id, to: draft, in: database)
  /// ```
  /// - Parameters:
  ///   - key: The primary key, or a tuple for a composite key.
  ///   - draft: The new values. A `nil` for a column with a default of the database keeps the
  ///     stored value.
  ///   - connection: The connection of a transaction.
  /// - Returns: True if the row exists. For a view, true if its triggers changed a row.
  /// - Throws: ``DatabaseError`` if the draft has a different key, a constraint is violated, or a
  ///   value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @discardableResult
  public func update(
    _ key: T.PrimaryKey, to draft: T.Draft, in connection: isolated Connection
  ) throws(DatabaseError) -> Bool where T: PrimaryKeyedModel, T.Draft: Insertable<T> {
    let insertion = schema.insertion(of: T.Draft.self)
    let values = try EchoDatabase.values(count: insertion.columns.count, of: [draft]) {
      (draft, statement) throws(DatabaseError) in try draft.bind(to: statement, at: 1)
    }
    let keys = try EchoDatabase.values(count: schema.primaryKey.count, of: [key]) {
      (key, statement) throws(DatabaseError) in try T.bind(key, to: statement, at: 1)
    }
    let conditions = zip(schema.primaryKey, keys[0]).map { Self.assignment($0, $1) }
    var changes: [SQL] = []
    for (column, value) in zip(insertion.columns, values[0]) {
      let place = schema.primaryKey.firstIndex { $0.name.hasSameBytes(as: column.name) }
      if let place {
        guard keys[0][place] == value else {
          throw .query(
            "update(_:to:) takes the key of the row and a draft with the same key, but "
              + "\(T.schema.name).\(column.name) differs: update the key with update { … }")
        }
      } else if value != .null || !insertion.isDraft || column.draftedMark == "?" {
        changes.append(Self.assignment(column, value))
      }
    }
    return try update(key, setting: changes, where: conditions, in: connection)
  }

  private static func assignment(_ column: ColumnSchema, _ value: DatabaseValue) -> SQL {
    SQL(raw: "\(column.name.quotedIdentifier) = ").appending(SQL(binding: value))
  }

  private func update(
    _ key: T.PrimaryKey, setting changes: [SQL], where conditions: [SQL],
    in connection: isolated Connection
  ) throws(DatabaseError) -> Bool where T: PrimaryKeyedModel {
    guard !changes.isEmpty else { return try find(key, in: connection) != nil }
    var sql = SQL(raw: "UPDATE \(schema.source) SET ")
      .appending(.joined(changes, separator: ", "), SQL(raw: " WHERE "))
      .appending(.joined(conditions, separator: " AND "))
    if !isWhole {
      let list = schema.primaryKey.map(\.name.quotedIdentifier).joined(separator: ", ")
      sql = sql.appending(SQL(raw: " AND (\(list)) IN ("), select(list), SQL(raw: ")"))
    }
    return try connection.changedRows(by: try connection.statement(sql)) > 0
  }
}

// Each function runs on the writing connection, in a transaction of its own.
extension Table {
  /// Updates the row with a model's key, if the row is selected, in a transaction of its own.
  /// Returns true if the row exists. For a view, returns true if its triggers changed a row.
  @inlinable
  @discardableResult
  public func update(_ row: T, in database: Database) async throws -> Bool
  where T: PrimaryKeyedModel {
    try await database.writeOperation { try update(row, in: $0) }
  }

  /// Updates the columns that differ between two versions of a row, in a transaction of its own.
  /// See ``Table/update(_:from:in:)-(_,_,Connection)``.
  @discardableResult
  public func update(_ row: T, from old: T, in database: Database) async throws -> Bool
  where T: PrimaryKeyedModel {
    try await database.writeOperation { try update(row, from: old, in: $0) }
  }

  /// Sets the columns of a draft in the row with a primary key, if the row is selected, in a
  /// transaction of its own. See ``Table/update(_:to:in:)-(_,_,Connection)``.
  @discardableResult
  public func update(_ key: T.PrimaryKey, to draft: T.Draft, in database: Database) async throws
    -> Bool
  where T: PrimaryKeyedModel, T.Draft: Insertable<T> {
    try await database.writeOperation { try update(key, to: draft, in: $0) }
  }

  /// Updates the selected rows with the models' keys in a transaction of its own, and returns the
  /// number of rows updated. A model whose row is missing or not selected is skipped.
  @inlinable
  @discardableResult
  public func update<Rows: Collection<T> & Sendable>(
    contentsOf rows: Rows, in database: Database
  ) async throws -> Int where T: PrimaryKeyedModel {
    try await database.writeOperation { try update(contentsOf: rows, in: $0) }
  }
}
