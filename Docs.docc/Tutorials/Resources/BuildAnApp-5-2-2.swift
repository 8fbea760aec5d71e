import MiniORM

extension Journal {
  static func show(
    _ id: Expense.ID, in database: Database
  ) async throws {
    let (expense, files) = try await database.read { db in
      (
        try Table<Expense>().find(id, in: db),
        try Table<Attachment>().where { $0.expenseID == id }
          .select { ($0.id, $0.name, $0.content.octetLength()) }
          .fetchAll(in: db)
      )
    }
    print(expense?.note ?? "There is no expense \(id).")
    for (id, name, size) in files {
      print("  attachment \(id): \(name), \(size ?? 0) bytes")
    }
  }
}
