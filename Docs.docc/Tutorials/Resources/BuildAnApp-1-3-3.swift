import MiniORM

extension Journal {
  static func open(_ key: Key) async throws -> Database {
    let database = try await Database(
      path: "journal.db", key: key)
    try await database.migrate(.journal)
    return database
  }
}
