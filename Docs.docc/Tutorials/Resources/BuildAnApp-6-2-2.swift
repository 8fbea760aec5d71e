import Foundation
import MiniORM

extension Journal {
  static func assign(
    _ rules: [Rule], in database: Database
  ) async throws {
    try await database.write { db in
      for rule in rules {
        do {
          let count = try db.transaction { db in
            try rule.apply(in: db)
          }
          print("\(rule.text): \(count) to \(rule.category)")
        } catch let mistake as Mistake {
          print("\(rule.text): \(mistake.message)")
        }
      }
    }
  }

  static func assign(_ words: [String], in database: Database)
    async throws
  {
    let text = try String(
      contentsOfFile: words.first ?? "", encoding: .utf8)
    let lines = text.split(whereSeparator: \.isNewline)
    try await assign(lines.compactMap(Rule.init), in: database)
  }
}
