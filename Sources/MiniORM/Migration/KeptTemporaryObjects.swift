/// The temporary views and triggers of the connection that migrates.
///
/// SQLite drops a temporary trigger with its table, even if the table is only rebuilt.
struct KeptTemporaryObjects {
  /// The objects that exist.
  private(set) var objects: [TemporaryObject] = []
  /// Triggers whose table is being rebuilt.
  private var dropped: [TemporaryObject] = []

  mutating func look(on connection: isolated Connection) throws(DatabaseError) {
    objects = try connection.temporarySchema()
  }

  /// Recreates the triggers that an action has dropped, as soon as their table exists.
  mutating func keep(after action: MigrationAction, on connection: isolated Connection)
    throws(DatabaseError)
  {
    switch action {
    case .script, .run: return try look(on: connection)  // SQL of the user's may mean to drop them
    case .backfill, .refuse: return
    case .sql, .copy: break
    }
    guard !objects.isEmpty || !dropped.isEmpty else { return }
    let before = objects
    try look(on: connection)
    dropped += before.filter { object in !objects.contains { $0.isSame(as: object) } }
    guard !dropped.isEmpty else { return }
    let file = try connection.fileSchema()
    for (index, trigger) in dropped.enumerated().reversed()
    where file.object("table", trigger.table) ?? file.object("view", trigger.table) != nil {
      _ = try connection.query(SQL(raw: trigger.creation))
      dropped.remove(at: index)
    }
    try look(on: connection)
  }
}
