import Foundation
import MiniORM

extension Journal {
  static func watch(
    _ limit: Int, _ database: Database
  ) async throws {
    var seen = 0
    let expenses = Table<Expense>()
    let sums = expenses.join(Table<Category>())
      .where { $1.name == "Leisure" }
      .select { expense, _ in expense.amount.sum() }
    let values = sums.values(in: database).removingDuplicates()
    for try await sum in values {
      let line = "Leisure: \((sum.first ?? nil)?.money ?? "")\n"
      FileHandle.standardOutput.write(Data(line.utf8))
      seen += 1
      if seen == limit { break }
    }
  }
}
