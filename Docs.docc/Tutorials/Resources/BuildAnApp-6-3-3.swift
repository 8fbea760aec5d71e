import Foundation
import MiniORM

struct DryRun: Error {}

extension Journal {
  static func assign(
    _ rules: [Rule], dryRun: Bool, in database: Database
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
      if dryRun { throw DryRun() }
    }
  }

  static func assign(_ words: [String], in database: Database)
    async throws
  {
    let text = try String(
      contentsOfFile: words.first ?? "", encoding: .utf8)
    let lines = text.split(whereSeparator: \.isNewline)
    do {
      try await assign(
        lines.compactMap(Rule.init),
        dryRun: words.last == "--dry-run", in: database)
    } catch is DryRun {
      print("Nothing was changed.")
    }
  }
}
