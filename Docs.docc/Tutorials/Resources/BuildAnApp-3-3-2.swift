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
    let lines = try await found
      .order { ($0.rank, $0.date.descending, $0.id) }.limit(5)
      .select {
        ($0.date, $0.amount, $0.highlight($0.note, "[", "]"))
      }
      .fetchAll(in: database)
    for (date, amount, note) in lines {
      print(date.day, amount.money, note ?? "")
    }

  }
}
