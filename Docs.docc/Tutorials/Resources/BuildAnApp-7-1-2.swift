import MiniORM

extension Journal {
  static func watch(_ database: Database) async throws {
    let values = database.values { db in
      try Table<Expense>().count(in: db)
    }
    for try await count in values {
      print(count, "expenses")
    }
  }
}
