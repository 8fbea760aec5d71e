import Synchronization

/// The schemas of models in attached databases. Each is created once, so that its statements are
/// prepared once.
private let attachedSchemas = Mutex<[AttachedModel: TableSchema]>([:])

private struct AttachedModel: Hashable {
  let model: ObjectIdentifier
  let database: ExactText
}

extension Table {
  /// Creates a table with all the rows of the model's table in an attached database.
  ///
  /// ```swift
  /// try await database.attach("archive.db", as: "archive", key: key)
  /// let old = try await Table<Company>(in: "archive").fetchAll(in: database)
  /// ```
  /// Without `in:`, a table is always in the database itself, never in an attached one.
  /// - Parameter name: The name given to ``Database/attach(_:as:key:isImmutable:cipher:)``.
  public init(in name: String) {
    self.init()
    let key = AttachedModel(model: ObjectIdentifier(T.self), database: ExactText(name))
    clauses.attached = attachedSchemas.withLock { schemas in
      if let known = schemas[key] { return known }
      let new = T.schema.attached(as: name)
      schemas[key] = new
      return new
    }
  }
}
