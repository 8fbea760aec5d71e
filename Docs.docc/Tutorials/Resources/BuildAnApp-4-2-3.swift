import Foundation
import MiniORM

extension Journal {
  static func report(
    _ year: String, in database: Database
  ) async throws {
    guard let first = Date(day: "\(year)-01-01"),
      let last = Date(day: "\(year)-12-31")
    else { throw Mistake("report YEAR") }
    let expenses = Table<Expense>()
      .where { $0.date.between(first, and: last) }
    let months = expenses.group { $0.month }.select {
      Month.Columns(
        month: $0.month, count: $0.id.count(),
        amount: $0.amount.sum())
    }
    let lines = try await months.order { $0.month }
      .fetchAll(in: database)
    for line in lines {
      print(
        line.month ?? "", line.amount?.money ?? "", line.count)
    }
  }
}
