import Foundation
import MiniORM

extension Journal {
  static func attach(
    _ words: [String], in database: Database
  ) async throws {
    guard words.count == 2, let id = Expense.ID(words[0])
    else { throw Mistake("attach NUMBER FILE") }
    let url = URL(fileURLWithPath: words[1])
    let draft = Attachment.Draft(
      name: url.lastPathComponent,
      content: try Data(contentsOf: url), expenseID: id)
    do {
      let attachment = try await Table<Attachment>()
        .insert(draft, in: database)
      print("Attached as number \(attachment.id).")
    } catch let error as DatabaseError {
      guard error.code == .constraintForeignKey
      else { throw error }
      throw Mistake("There is no expense \(id).")
    }
  }
}
