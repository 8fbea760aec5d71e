import Foundation
import MiniORM

extension Journal {
  static func save(
    _ words: [String], in database: Database
  ) async throws {
    guard words.count == 2, let id = Attachment.ID(words[0])
    else { throw Mistake("save NUMBER FILE") }
    print("Attachment", id, "goes to", words[1])
  }
}
