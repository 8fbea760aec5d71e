import MiniORM

extension Journal {
  static func budget(_ database: Database) async throws {
    let categories = Table<Category>()
      .order { ($0.budget.descending, $0.name) }
    for row in try await categories.fetchAll(in: database) {
      print(row.budget?.money ?? "      none", row.name)
    }
  }
}
