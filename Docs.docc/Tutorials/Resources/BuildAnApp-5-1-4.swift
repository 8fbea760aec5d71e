import Foundation
import MiniORM

extension Journal {
  static func attach(
    _ words: [String], in database: Database
  ) async throws {
    guard words.count == 2, let id = Expense.ID(words[0])
    else { throw Mistake("attach NUMBER FILE") }
    print("Expense", id, "gets", words[1])
  }
}
