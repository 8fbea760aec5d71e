import Foundation
import MiniORM

extension Journal {
  static func add(
    _ words: [String], to database: Database
  ) async throws {
    guard words.count > 2, let date = Date(day: words[0]),
      let amount = Decimal(money: words[1])
    else { throw Mistake("add DAY AMOUNT CATEGORY NOTE") }
    let note = words.dropFirst(3).joined(separator: " ")
    let expense = try await database.write { db in
      let category = try Category.named(words[2], in: db)
      let draft = Expense.Draft(
        date: date, amount: amount, note: note,
        categoryID: category.id)
      return try Table<Expense>().insert(draft, in: db)
    }
    print("Stored as number \(expense.id).")
  }
}
