import MiniORM

extension Journal {
  static func list(_ database: Database) async throws {
    let rows = try await Table<Expense>().join(Table<Category>())
      .order { expense, _ in
        (expense.date.descending, expense.id.descending)
      }
      .limit(5).fetchAll(in: database)
    for (expense, category) in rows {
      print(
        expense.id, expense.date.day, expense.amount.money,
        category.name, expense.note)
    }
    let (expenses, categories) = try await database.read { db in
      (
        try Table<Expense>().count(in: db),
        try Table<Category>().count(in: db)
      )
    }
    print(expenses, "expenses in", categories, "categories")
  }
}
