import MiniORM

extension Journal {
  static func budget(_ database: Database) async throws {
    let categories = Table<Category>()
      .order { $0.name }
    for row in try await categories.fetchAll(in: database) {
      print(row.name)
    }
  }
}
