import Foundation
import MiniORM

extension Journal {
  static func report(
    _ year: String, in database: Database
  ) async throws {
    let expenses = Table<Expense>()
    print(try await expenses.count(in: database), "expenses")
  }
}
