import MiniORM

extension Journal {
  static func backup(
    _ path: String, of database: Database, _ key: Key
  ) async throws {
    try await database.backup(to: path, replacing: true)
    let report = try await Database.verify(path: path, key: key)
    guard report.isEmpty else { throw Mistake("\(report)") }
    print("The backup is made and whole.")
  }

  static func restore(
    _ path: String, into database: Database, _ key: Key
  ) async throws {
    try await database.restore(from: path, key: key)
    try await database.migrate(.journal)
    print("The backup is restored.")
  }
}
