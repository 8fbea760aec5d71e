import Foundation
import MiniORM

extension Journal {
  static func rekey(_ database: Database) async throws {
    let new = Terminal.ask("New passphrase:")
    guard new == Terminal.ask("Once more:")
    else { throw Mistake("The two differ.") }
    try await database.changeKey(to: .passphrase(new))
    print("The key is changed.")
  }
}
