import Foundation
import MiniORM

extension Journal {
  static func save(
    _ words: [String], in database: Database
  ) async throws {
    guard words.count == 2, let id = Attachment.ID(words[0])
    else { throw Mistake("save NUMBER FILE") }
    guard
      let found = try await Table<Attachment>()
        .find(id, in: database)
    else { throw Mistake("There is no attachment \(id).") }
    try found.content.write(to: URL(fileURLWithPath: words[1]))
  }
}
