import Foundation
import Testing

@testable import MiniORM

@Suite("Deleting a database")
struct DatabaseDeletionTests {
  private static let script = "CREATE TABLE t(a); INSERT INTO t VALUES (1)"

  private static func expectRefused(
    _ path: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let error = try await failure(
      { try Database.delete(path: path) }, sourceLocation: sourceLocation)
    #expect(
      error.facts
        == ErrorFacts(
          .delete, .busy, "The file is open in this process: close it first", path: path),
      sourceLocation: sourceLocation)
  }

  @Test("an open file cannot be deleted, by any of its paths")
  func open() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let path = database.path
      let folder = DatabaseFile.parent(path)
      let (link, chain, other) = (folder + "/link.db", folder + "/chain.db", folder + "/hard.db")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "test.db")
      try FileManager.default.createSymbolicLink(atPath: chain, withDestinationPath: link)
      try FileManager.default.linkItem(atPath: path, toPath: other)
      let paths = [path, folder + "/./test.db", folder + "//test.db", link, chain, other]
      for path in paths { try await Self.expectRefused(path) }
      try await database.write { try $0.execute("INSERT INTO t VALUES (2)") }
      #expect(try await database.values("SELECT a FROM t") == [.integer(1), .integer(2)])

      let second = try await Database(path: link, key: .raw(testKeyBytes))
      try await database.close()
      for path in paths { try await Self.expectRefused(path) }
      try await second.close()
      try Database.delete(path: chain)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
          == ["hard.db", "link.db"])
    }
  }

  @Test("an attached file counts as open until it is detached or the database is closed")
  func attached() async throws {
    try await withTemporaryDatabase { database in
      let path = database.path + "-other"
      for closes in [false, true] {
        try await database.attach(path, as: "other", key: .raw(testKeyBytes))
        try await Self.expectRefused(path)
        try await database.changeKey(to: .raw(testKeyBytes.reversed()))
        try await Self.expectRefused(path)
        if closes { try await database.close() } else { try await database.detach("other") }
        try Database.delete(path: path)
        #expect(!DatabaseFile.exists(path))
      }
    }
  }

  @Test("a file whose opening failed, or whose database was released unclosed, can be deleted")
  func dropped() async throws {
    try await withTemporaryPath { path in
      do {
        let database = try await Database(path: path, key: .raw(testKeyBytes))
        try await database.write { try $0.execute(script: Self.script) }
        await #expect(throws: DatabaseError.self) {
          try await Database(path: path, key: .raw(testKeyBytes.reversed()))
        }
        try await Self.expectRefused(path)
      }
      try Database.delete(path: path)
      #expect(!DatabaseFile.exists(path))
    }
  }

  @Test(
    "an invalid path is refused",
    arguments: ["file:app.db", "file:///app.db", "app.db\0.old"])
  func noPath(path: String) async throws {
    let error = try await failure { try Database.delete(path: path) }
    #expect(
      error.facts
        == ErrorFacts(
          .delete, .misuse, "\(path) is not a file path: for a URL, give url.path",
          path: path))
  }
}
