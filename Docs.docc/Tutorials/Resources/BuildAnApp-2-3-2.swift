import Foundation
import MiniORM

extension Journal {
  static func importFile(
    _ path: String, into database: Database
  ) async throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines = text.split(whereSeparator: \.isNewline)
    try await database.write { db in
      var importer = Importer()
      let drafts = try lines.enumerated().map { number, line in
        guard let draft = try importer.draft(line, in: db)
        else { throw Mistake("Line \(number + 1): \(line)") }
        return draft
      }
      var rest = drafts[...]
      while !rest.isEmpty {
        let part = rest.prefix(10_000)
        try Table<Expense>().insert(contentsOf: part, in: db)
        rest = rest.dropFirst(10_000)
        print(drafts.count - rest.count, "of", drafts.count)
      }
    }
  }
}
