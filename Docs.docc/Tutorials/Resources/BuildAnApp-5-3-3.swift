import MiniORM

extension Journal {
  static func delete(
    _ id: Expense.ID, in database: Database
  ) async throws {
    let expenses = Table<Expense>()
    guard try await expenses.delete(id, in: database)
    else { throw Mistake("There is no expense \(id).") }
    print("Expense \(id) is deleted.")
  }
}
