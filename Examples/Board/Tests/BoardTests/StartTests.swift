import Foundation
import MiniORM
import Testing

@testable import BoardServer

@Suite("The start of the board")
struct StartTests {
  @Test("the key is made once, only for a new file, and no other user may read it")
  func key() async throws {
    try await withFolder { folder in
      let (path, database) = (folder + "/board.key", folder + "/board.db")
      _ = try KeyFile.key(at: path, of: database)
      let bytes = try Data(contentsOf: URL(filePath: path))
      try Data("rows".utf8).write(to: URL(filePath: database))
      _ = try KeyFile.key(at: path, of: database)
      #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
      #expect(bytes.count == 32)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      try FileManager.default.removeItem(atPath: path)
      #expect(throws: StartError.self) { try KeyFile.key(at: path, of: database) }
      try bytes.dropLast().write(to: URL(filePath: path))
      #expect(throws: StartError.self) { try KeyFile.key(at: path, of: database) }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
          == ["board.db", "board.key"])
      #expect(throws: StartError.self) {
        try KeyFile.key(at: folder + "/missing/board.key", of: folder + "/other.db")
      }
    }
  }

  @Test(
    "an invalid setting is refused with its name",
    arguments: [
      ("PORT", "http"), ("PORT", "0"), ("PORT", "65536"), ("ORIGIN", "board.example"),
      ("ORIGIN", "https://board.example/path"), ("ORIGIN", "ftp://board.example"),
    ])
  func settings(name: String, value: String) {
    #expect {
      try Settings(environment: [name: value])
    } throws: {
      "\($0)".hasPrefix("\(name) is \(value), and must be ")
    }
  }

  @Test("a page of the board has one of the addresses that the settings lead to")
  func origins() throws {
    #expect(
      try Settings(environment: ["PORT": "81"]).origins
        == ["http://127.0.0.1:81", "http://localhost:81", "http://[::1]:81"])
    #expect(
      try Settings(environment: ["PORT": "80", "HOST": "Board"]).origins
        == ["http://127.0.0.1", "http://localhost", "http://[::1]", "http://board"])
    #expect(
      try Settings(environment: ["ORIGIN": "https://Board.example"]).origins
        == ["https://board.example"])
  }

  @Test("a board of the first version keeps its cards and their order")
  func migration() async throws {
    try await withFolder { folder in
      let path = folder + "/board.db"
      let key = try KeyFile.key(at: folder + "/board.key", of: path)
      let old = try await Database(path: path, key: key)
      try await old.migrate(
        DatabaseSchema(Person.self, OldCard.self, Remark.self, objects: [oldText]))
      try await old.write { db in
        for (title, lane, position) in [
          ("c", Lane.todo, 2.0), ("a", .todo, 1), ("b", .todo, 1.5), ("d", .done, 0.25),
        ] {
          try Table<OldCard>().insert(
            OldCard.Draft(title: title, lane: lane, position: position, personID: nil), in: db)
        }
      }
      try await old.close()

      let store = try await Store(path: path) { key }
      #expect(
        try await store.search("").filter { $0.lane == .todo }.map(\.title) == ["a", "b", "c"])
      #expect(try await store.search("d").map(\.title) == ["d"])
      try await store.database.close()
    }
  }

  @Test("the code of the article about servers is code of this example")
  func article() throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../..").standardizedFileURL
    let article = package.appending(path: "../../Docs.docc/Servers.md").standardizedFileURL
    let folder = package.appending(path: "Sources/BoardServer")
    let code = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    )
    .filter { $0.pathExtension == "swift" }
    .map { lines(try String(contentsOf: $0, encoding: .utf8)) }
    let blocks = try String(contentsOf: article, encoding: .utf8)
      .components(separatedBy: "```swift\n").dropFirst()
      .map { lines($0.components(separatedBy: "```")[0]) }
    #expect(blocks.count > 4)
    for block in blocks { #expect(code.contains { $0.contains(block) }, "\(block)") }
  }

  /// Returns a text without indentation.
  private func lines(_ text: String) -> String {
    text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "\n")
  }
}

@Table("card", columns: .snakeCase)
private struct OldCard: Identifiable {
  let id: Int64
  @Column(.check("length(title) BETWEEN 1 AND 200")) var title: String
  var notes = ""
  var lane: Lane
  var position: Double
  @Column(.references(Person.self, onDelete: .setNull)) var personID: Person.ID?
  var version = 1
  // The first version declared a Date, whose text in this default has no fraction of a second.
  @Column(.default(sql: "CURRENT_TIMESTAMP")) var created: String
}

extension OldCard {
  fileprivate static var indexes: [Index<OldCard>] {
    [Index { ($0.lane, $0.position) }, Index { $0.personID }]
  }
}

private let oldText = FullTextIndex(
  "card_text", of: OldCard.self, tokenizer: .unicode61(removeDiacritics: 2), prefixes: [2]
) { ($0.title, $0.notes) }
