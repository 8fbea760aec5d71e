import Foundation
import MiniORM

extension Journal {
  static func add(
    _ words: [String], to database: Database
  ) async throws {
    guard words.count > 2, let date = Date(day: words[0])
    else { throw Mistake("add DAY AMOUNT CATEGORY NOTE") }
    print("Stored for \(date.day).")
  }
}
