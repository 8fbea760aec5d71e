import Foundation
import MiniORM

extension Journal {
  static func watch(
    _ limit: Int, _ database: Database
  ) async throws {
    var seen = 0
    let expenses = Table<Expense>()
    let latest = expenses.join(Table<Category>())
      .order { expense, _ in expense.id.descending }.limit(1)
      .select { ($0.amount, $0.note, $1.name) }
    for try await rows in latest.values(in: database) {
      let row = rows.first ?? (0, "nothing", "none")
      let line = "\(row.0.money) \(row.1), \(row.2)\n"
      FileHandle.standardOutput.write(Data(line.utf8))
      seen += 1
      if seen == limit { break }
    }
  }
}
