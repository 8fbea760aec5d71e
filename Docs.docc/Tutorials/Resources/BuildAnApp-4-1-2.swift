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
    print(try await expenses.count(in: database), "expenses")
  }
}
