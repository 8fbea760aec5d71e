import Foundation
import Testing

@testable import MiniORM

@Table("entry") private struct Entry: Equatable {
  let id: Int64
  var number: Int
}

private let entries = Table<Entry>()

@Suite("Attaching an open file")
struct AttachedTwiceTests {
  private static func expectRefused(
    _ path: String, as name: String, _ database: Database, _ other: String
  ) async throws {
    let error = try await failure {
      try await database.attach(path, as: name, key: .raw(testKeyBytes))
    }
    #expect(
      error.facts
        == ErrorFacts(
          .attach, .misuse,
          "This file is part of the connection already, as \(other): use that name in SQL",
          path: path))
    // If the file were attached, a write would wait for its own lock.
    try await entries.insert(Entry.Draft(number: 1), in: database)
  }

  @Test("attaching the same file again is refused, under any path or name")
  func refused() async throws {
    try await withTemporaryDatabase { database in
      try await database.migrate(DatabaseSchema(Entry.self))
      let files = FileManager.default
      let (path, other) = (database.path, database.path + "-other")
      try await database.attach(other, as: "other", key: .raw(testKeyBytes))
      for (file, name) in [(path, "main"), (other, "other")] {
        try files.createSymbolicLink(atPath: file + "-link", withDestinationPath: file)
        try files.linkItem(atPath: file, toPath: file + "-second")
        let folder = DatabaseFile.parent(file)
        let last = (file as NSString).lastPathComponent
        for spelling in [file, file + "-link", file + "-second", folder + "/./" + last] {
          try await Self.expectRefused(spelling, as: "again", database, name)
        }
      }
      try await database.detach("other")
      try await database.attach(other, as: "again", key: .raw(testKeyBytes))
    }
  }

  @Test("of two tasks that attach a new file at the same time, one succeeds")
  func together() async throws {
    try await withTemporaryDatabase { database in
      try await database.migrate(DatabaseSchema(Entry.self))
      let path = database.path + "-new"
      let outcomes = await withTaskGroup(of: Bool.self) { group in
        for number in 1...4 {
          group.addTask {
            do {
              try await database.attach(path, as: "new\(number)", key: .raw(testKeyBytes))
              return true
            } catch {
              return false
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.count { $0 } == 1)
      try await entries.insert(Entry.Draft(number: 1), in: database)
    }
  }
}
