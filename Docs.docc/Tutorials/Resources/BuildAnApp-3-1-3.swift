import MiniORM

extension Journal {
  static func search(
    _ words: [String], in database: Database
  ) async throws {
    let text = words.joined(separator: " ")
    let found = Table<Expense>().where { $0.note.contains(text) }
    let count = try await found.count(in: database)
    print(count, "expenses")
    print(try await found.queryPlan(in: database))
  }
}
