import Foundation
import MiniORM

extension Demo {
  /// Looks for plain text in the bytes of the files, and closes the database.
  static func inspect(_ database: Database, in folder: URL) async throws {
    heading("Look at the bytes on disk")
    print("  file               size  first 16 bytes                       SNOWMAN  header")
    let file = folder.appending(path: "atlas.db")
    // The log is there as long as the database is open. The file itself is read after closing:
    // opening a file that SQLite has open, and closing it, would take SQLite's locks away.
    try inspect(folder.appending(path: "atlas.db-wal"))
    try await database.close()
    try inspect(file)

    // The same search in a file that is not encrypted, to show that it would find something.
    let plain = folder.appending(path: "plain.db")
    let open = try await Database(path: plain.path, key: nil)
    try await open.migrate(Atlas.schema)
    try await open.write { db in
      guard let snowman = Scalar(assigned: 0x2603) else { return }
      let category = Category(code: snowman.category, title: snowman.category.title)
      try Table<Category>().insert(category, in: db)
      try Table<Scalar>().insert(snowman, in: db)
    }
    try await open.close()
    try inspect(plain)
    try Database.delete(path: plain.path)
    print("  The log begins with a header of its own; the pages after it are encrypted.")
    print("  plain.db was made without a key, to show what the search finds then.")
  }

  private static func inspect(_ file: URL) throws {
    let bytes = try Data(contentsOf: file)
    let head = bytes.prefix(16).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count < 2 ? "0" + digits : digits
    }
    let groups = stride(from: 0, to: head.count, by: 4).map {
      head[$0..<min($0 + 4, head.count)].joined()
    }
    let size = (Double(bytes.count) / 1_000_000).tenths + " MB"
    func holds(_ text: String) -> String { bytes.range(of: Data(text.utf8)) == nil ? "no" : "yes" }
    print(
      "  " + file.lastPathComponent.padded(to: 14) + size.aligned(to: 9) + "  "
        + groups.joined(separator: " ").padded(to: 37) + holds("SNOWMAN").padded(to: 9)
        + holds("SQLite format 3"))
  }

  /// Opens the file with a wrong key, then changes the key.
  static func changeKey(of path: String) async throws {
    heading("Open with a wrong key")
    if let error = await refusal(of: path, "the snowman's secrets") {
      print((error.errorDescription ?? "").wrapped)
      print((error.failureReason ?? "").wrapped)
    }

    heading("Change the key")
    let database = try await Database(path: path, key: .passphrase(passphrase))
    let count = try await Table<Scalar>().count(in: database)
    try await database.changeKey(to: .passphrase(newPassphrase))
    try await database.close()
    if let error = await refusal(of: path, passphrase) {
      print("  With the old one: \(error.errorDescription ?? "")")
    }
    let reopened = try await Database(path: path, key: .passphrase(newPassphrase))
    let again = try await Table<Scalar>().count(in: reopened)
    print("  With the new one: \(grouped(again)) scalars,", terminator: " ")
    print(again == count ? "as many as before" : "\(grouped(count)) before")
    try await reopened.close()
  }

  /// The error that a wrong passphrase gives.
  private static func refusal(of path: String, _ passphrase: String) async -> DatabaseError? {
    do {
      try await Database(path: path, key: .passphrase(passphrase)).close()
      print("  The file opened, which should not be.")
      return nil
    } catch {
      return error
    }
  }
}
