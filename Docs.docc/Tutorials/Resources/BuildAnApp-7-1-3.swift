import MiniORM

extension Journal {
  static func watch(_ database: Database) async throws {
    let expenses = Table<Expense>()
    let values = database.values { db in
      (
        try expenses.count(in: db),
        try expenses.sum(of: { $0.amount }, in: db)
      )
    }
    for try await (count, sum) in values {
      print(count, "expenses", sum?.money ?? "")
    }
  }
}
