import MiniORM

extension Journal {
  static func open(_ key: Key) async throws -> Database {
    var configuration = Configuration()
    configuration.otherChangesInterval = .milliseconds(500)
    let database = try await Database(
      path: "journal.db", key: key,
      configuration: configuration)
    try await database.migrate(.journal)
    return database
  }
}
