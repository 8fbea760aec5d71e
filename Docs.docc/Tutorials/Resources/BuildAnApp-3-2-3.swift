import MiniORM

extension Journal {
  static func search(
    _ words: [String], in database: Database
  ) async throws {
    let match = Match(
      words: words.joined(separator: " "), prefix: true)
    let found = Table<Expense>().matching(Expense.text, match)
    let count = try await found.count(in: database)
    print(count, "expenses")

  }
}
