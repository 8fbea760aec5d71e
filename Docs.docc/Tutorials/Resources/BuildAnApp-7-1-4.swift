import MiniORM

extension Journal {
  static func watch(
    _ limit: Int, _ database: Database
  ) async throws {
    var seen = 0
    let expenses = Table<Expense>()
    let values = database.values { db in
      (
        try expenses.count(in: db),
        try expenses.sum(of: { $0.amount }, in: db)
      )
    }
    for try await (count, sum) in values {
      print(count, "expenses", sum?.money ?? "")
      seen += 1
      if seen == limit { break }
    }
  }
}
