import MiniORM

extension Journal {
  static func check(_ key: Key) async throws {
    let database = try await Database(
      path: "\(name).db", key: key)
    print(try await database.migrationPlan(for: .journal))
    let report = try await database.schemaReport(for: .journal)
    for difference in report.differences { print(difference) }
    try await database.close()
  }
}
