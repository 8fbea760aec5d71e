import MiniORM

extension Journal {
  static func backup(
    _ path: String, of database: Database, _ key: Key
  ) async throws {
    try await database.backup(to: path, replacing: true)
    print("The backup is made.")
  }
}
