import MiniORM

extension Journal {
  static func assign(
    _ rules: [Rule], in database: Database
  ) async throws {
    try await database.write { db in
      for rule in rules { print(try rule.apply(in: db)) }
    }
  }
}
