import Foundation
import MiniORM

extension Journal {
  static func rekey(_ database: Database) async throws {
    let new = Terminal.ask("New passphrase:")
    guard new == Terminal.ask("Once more:")
    else { throw Mistake("The two differ.") }
    try await database.changeKey(to: .passphrase(new))
    let old = "\(name).key"
    if FileManager.default.fileExists(atPath: old) {
      try FileManager.default.removeItem(atPath: old)
    }
    print("The key is changed.")
  }
}
