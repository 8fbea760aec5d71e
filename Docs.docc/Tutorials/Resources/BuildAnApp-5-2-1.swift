import MiniORM

extension Journal {
  static func show(
    _ id: Expense.ID, in database: Database
  ) async throws {
    let expense = try await database.read { db in
      try Table<Expense>().find(id, in: db)
    }
    print(expense?.note ?? "There is no expense \(id).")
  }
}
