import Synchronization

/// Caches the schemas, so that each schema prepares its statements once.
enum AttachedSchemas {
  private struct Key: Hashable {
    let model: ObjectIdentifier
    let database: ExactText
  }
  static let capacity = 1_000
  private static let known = Mutex(BoundedCache<Key, TableSchema>(capacity: capacity))

  static var count: Int { known.withLock { $0.count } }

  static func schema<T: Model>(of type: T.Type, in name: String) -> TableSchema {
    let key = Key(model: ObjectIdentifier(type), database: ExactText(name))
    return known.withLock { $0.value(of: key) { T.schema.attached(as: name) } }
  }
}

extension Table {
  /// Creates a table with all the rows of the model's table in an attached database.
  ///
  /// ```swift
  /// try await database.attach("archive.db", as: "archive", key: key)
  /// let old = try await Table<Company>(in: "archive").fetchAll(in: database)
  /// ```
  /// Without `in:`, a table always belongs to the main database.
  /// - Parameter name: The name passed to ``Database/attach(_:as:key:isImmutable:cipher:)``.
  public init(in name: String) {
    self.init()
    clauses.attached = AttachedSchemas.schema(of: T.self, in: name)
  }
}
