extension Model {
  /// Inserts a row.
  /// - Parameters:
  ///   - row: A draft, whose rowid the database assigns, or a model with its key.
  ///   - connection: The connection of a transaction.
  /// - Returns: The row as stored, with its key, its defaults and the changes of triggers.
  /// - Throws: ``DatabaseError`` if a constraint is violated, or a value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table, for each index.
  @inlinable
  @discardableResult
  public static func insert<Row: Insertable>(_ row: Row, in connection: isolated Connection)
    throws(DatabaseError) -> Self
  where Row.Stored == Self {
    try all.insert(row, in: connection)
  }

  /// Inserts a row in a transaction of its own, and returns the row as stored.
  @inlinable
  @discardableResult
  public static func insert<Row: Insertable>(_ row: Row, in database: Database) async throws
    -> Self
  where Row.Stored == Self {
    try await all.insert(row, in: database)
  }
}

extension Model where Draft: Insertable<Self> {
  /// Inserts a draft, whose type can be omitted: `Company.insert(.init(name: "Acme"), in: db)`.
  /// Returns the row as stored.
  @inlinable
  @discardableResult
  public static func insert(_ draft: Draft, in connection: isolated Connection)
    throws(DatabaseError) -> Self
  {
    try all.insert(draft, in: connection)
  }

  /// Inserts a draft in a transaction of its own, and returns the row as stored.
  @inlinable
  @discardableResult
  public static func insert(_ draft: Draft, in database: Database) async throws -> Self {
    try await all.insert(draft, in: database)
  }
}

extension PrimaryKeyedModel {
  /// Returns the row with a primary key, or `nil` if no row has the key.
  /// - Parameters:
  ///   - key: The primary key, or a tuple for a composite key.
  ///   - connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the table does not exist, or a value's type does not match its
  ///   property.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @inlinable
  public static func find(_ key: PrimaryKey, in connection: isolated Connection)
    throws(DatabaseError) -> Self?
  {
    try all.find(key, in: connection)
  }

  /// Returns the row with a primary key, or `nil`, read on a reading connection.
  @inlinable
  public static func find(_ key: PrimaryKey, in database: Database) async throws -> Self? {
    try await all.find(key, in: database)
  }
}

extension Table where T.Draft: Insertable<T> {
  /// Inserts a draft, whose type can be omitted: `companies.insert(.init(name: "Acme"), in: db)`.
  /// Returns the row as stored.
  @inlinable
  @discardableResult
  public func insert(_ draft: T.Draft, in connection: isolated Connection)
    throws(DatabaseError) -> T
  {
    try inserting(draft, in: connection)
  }

  /// Inserts a draft in a transaction of its own, and returns the row as stored.
  @inlinable
  @discardableResult
  public func insert(_ draft: T.Draft, in database: Database) async throws -> T {
    try await database.writeOperation { try inserting(draft, in: $0) }
  }

  /// Inserts a draft, whose type can be omitted, or updates the row with equal values in unique
  /// columns.
  ///
  /// ```swift
  /// try companies.upsert(.init(name: "Acme"), onConflict: { $0.name }, in: db)
  /// ```
  /// See ``Table/upsert(_:onConflict:updating:overwritesWithNil:in:)-(Row,_,_,_,Connection)``.
  @discardableResult
  public func upsert(
    _ draft: T.Draft, @ExpressionBuilder onConflict target: (T.Columns) -> [Ordering],
    @ExpressionBuilder updating updated: (T.Columns) -> [Ordering]? = { _ in return nil },
    overwritesWithNil: Bool = true, in connection: isolated Connection
  ) throws(DatabaseError) -> UpsertOutcome<T> {
    try upsert(
      draft, onConflict: target(T.columns).map(\.name),
      updating: updated(T.columns)?.map(\.name), overwritesWithNil, in: connection)
  }

  /// Inserts a draft, or updates the row with equal values in unique columns, in a transaction of
  /// its own.
  @discardableResult
  public func upsert(
    _ draft: T.Draft,
    @ExpressionBuilder onConflict target: @Sendable (T.Columns) -> [Ordering],
    @ExpressionBuilder updating updated: @Sendable (T.Columns) -> [Ordering]? = { _ in return nil },
    overwritesWithNil: Bool = true, in database: Database
  ) async throws -> UpsertOutcome<T> {
    let target = target(T.columns).map(\.name)
    let updated = updated(T.columns)?.map(\.name)
    return try await database.writeOperation {
      try upsert(draft, onConflict: target, updating: updated, overwritesWithNil, in: $0)
    }
  }
}

extension Table where T: PrimaryKeyedModel {
  /// Inserts a row, or updates the row with the same primary key.
  ///
  /// ```swift
  /// let stored = try Company.all.upsert(company, in: db).row
  /// ```
  /// - Parameters:
  ///   - row: The row, with its key.
  ///   - connection: The connection of a transaction.
  /// - Returns: The outcome, with the stored row.
  /// - Throws: ``DatabaseError`` if a constraint other than the key is violated, or a value cannot
  ///   be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @discardableResult
  public func upsert(_ row: T, in connection: isolated Connection) throws(DatabaseError)
    -> UpsertOutcome<T>
  {
    let key = T.schema.primaryKey.map(\.name)
    let others = schema.insertion(of: T.self).columns.map(\.name).filter { name in
      !key.contains { $0.hasSameBytes(as: name) }
    }
    return try upsert(row, onConflict: key, updating: others, true, in: connection)
  }

  /// Inserts a row, or updates the row with the same primary key, in a transaction of its own.
  @discardableResult
  public func upsert(_ row: T, in database: Database) async throws -> UpsertOutcome<T> {
    try await database.writeOperation { try upsert(row, in: $0) }
  }
}
