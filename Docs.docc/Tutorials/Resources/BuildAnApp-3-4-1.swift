import Foundation
import MiniORM

extension Journal {
  static func search(
    _ words: [String], in database: Database
  ) async throws {
    let parts = words.split(separator: "since")
    let match = Match(
      words: (parts.first ?? []).joined(separator: " "),
      prefix: true)
    var expenses = Table<Expense>()
    if parts.count > 1, let day = Date(day: parts[1].joined()) {
      expenses = expenses.where { $0.date >= day }
    }
    let found = expenses.matching(Expense.text, match)
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
