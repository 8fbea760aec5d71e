import Foundation
import MiniORM
import MiniORMTesting
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
      for mode in [0o640, 0o604, 0o400, 0o600] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        // Root may give the key to a group, and the tests may run as root.
        let isRefused = mode == 0o604 || mode == 0o640 && getuid() != 0
        if isRefused {
          #expect(throws: StartError.self) { try KeyFile.key(at: path, of: database) }
        } else {
          _ = try KeyFile.key(at: path, of: database)
        }
      }
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

  @Test("the data of a board is kept when the build is deleted")
  func dataFolder() async throws {
    try await withFolder { folder in
      let build = folder + "/.build"
      try FileManager.default.createDirectory(
        atPath: build + "/debug", withIntermediateDirectories: true)
      let old = try await Store(path: build + "/board.db") {
        try KeyFile.key(at: build + "/board.key", of: build + "/board.db")
      }
      _ = try await old.add(NewCard(title: "kept"))
      try await old.database.close()

      let environment = ["XDG_DATA_HOME": folder + "/data"]
      let settings = try Settings(environment: environment)
      #expect(!settings.path.contains(".build"))
      // The second start finds the folder of the first.
      for title in ["first", "second"] {
        try await DataFolder.prepare(
          settings, program: build + "/debug/Board", environment: environment)
        try? FileManager.default.removeItem(atPath: build)
        let store = try await Store(path: settings.path) {
          try KeyFile.key(at: settings.keyPath, of: settings.path)
        }
        _ = try await store.add(NewCard(title: title))
        try await store.database.close()
      }
      let store = try await Store(path: settings.path) {
        try KeyFile.key(at: settings.keyPath, of: settings.path)
      }
      #expect(try await store.search("").map(\.title) == ["kept", "first", "second"])
      try await store.database.close()
      let place = URL(filePath: settings.path).deletingLastPathComponent().path
      let attributes = try FileManager.default.attributesOfItem(atPath: place)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/data").count == 1)
    }
  }

  @Test(
    "without XDG_DATA_HOME, the data is in the home folder",
    arguments: [
      (["HOME": "/home/ada"], "/home/ada/.local/share/miniorm-board"),
      (["HOME": "/home/ada", "XDG_DATA_HOME": "relative"], "/home/ada/.local/share/miniorm-board"),
      (["XDG_DATA_HOME": "/data"], "/data/miniorm-board"),
    ])
  func defaultFolder(environment: [String: String], folder: String) throws {
    #expect(try Settings(environment: environment).path == folder + "/board.db")
    #expect(try Settings(environment: environment).keyPath == folder + "/board.key")
  }

  @Test("a page of the board has one of the addresses that the settings lead to")
  func origins() throws {
    #expect(
      try Settings(environment: ["PORT": "81"]).origins
        == ["http://127.0.0.1:81", "http://localhost:81", "http://[::1]:81"])
    #expect(
      try Settings(environment: ["PORT": "80", "HOST": "Board"]).origins
        == ["http://127.0.0.1", "http://localhost", "http://[::1]", "http://board"])
    for origin in ["https://Board.example", "https://board.example/", "https://board.example:443"] {
      let settings = try Settings(environment: ["ORIGIN": origin])
      #expect(settings.origins == ["https://board.example"])
      #expect(settings.address == "https://board.example/")
    }
    #expect(try Settings(environment: ["HOST": "0.0.0.0"]).address == "http://127.0.0.1:8080/")
  }

  @Test("boards of all versions keep their cards and their order")
  func migration() async throws {
    let snapshots = SchemaSnapshots(in: "Schemas", besides: #filePath)
      .rows(for: "card") { version in
        guard version == 1 else { return [] }
        return [("c", "todo", 2), ("a", "todo", 1), ("b", "todo", 1.5), ("d", "done", 0.25)].map {
          ["title": .text($0), "lane": .text($1), "position": .real($2)]
        }
      }
    try await snapshots.expectCurrent(schema)
    try await snapshots.expectMigrations(to: schema, changing: ["card.position"]) {
      version, database in
      guard version == 1 else { return }
      let todo = try await Store.summaries().fetchAll(in: database).filter { $0.lane == .todo }
      #expect(todo.map(\.title) == ["a", "b", "c"])
      let found = try await Store.summaries(matching: "d").fetchAll(in: database)
      #expect(found.map(\.title) == ["d"])
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
