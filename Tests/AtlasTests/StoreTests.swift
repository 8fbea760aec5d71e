import Foundation
import MiniORM
import Testing

@testable import Atlas

@Suite("The file")
struct StoreTests {
  @Test(
    "A search finds the names that hold every word, by code point",
    arguments: [
      (["snowman"], [0x2603, 0x26C4, 0x26C7]),
      (["SNOWMAN", "without"], [0x26C4]),
      (["white%knight"], [0x2658]),
      (["snowman", "king"], []),
    ] as [([String], [UInt32])])
  func search(words: [String], codePoints: [UInt32]) async throws {
    try await withDatabase { database in
      let found = try await Table<Scalar>().named(words).fetchAll(in: database)
      #expect(found.map(\.codePoint) == codePoints)
    }
  }

  @Test("A scalar is read back as it was stored")
  func roundTrip() async throws {
    try await withDatabase { database in
      let stored = try await Table<Scalar>().order { $0.codePoint }.fetchAll(in: database)
      #expect(stored == Self.scalars)
    }
  }

  @Test("A scalar cannot be of a category that is not there")
  func foreignKey() async throws {
    try await withDatabase { database in
      let error = try await #require(throws: DatabaseError.self) {
        try await Table<Category>().deleteAll(in: database)
      }
      #expect(error.code == .constraintForeignKey)
    }
  }

  private static let scalars = [0x2603, 0x2658, 0x26C4, 0x26C7].compactMap {
    Scalar(assigned: UInt32($0))
  }

  private func withDatabase(_ body: (Database) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).db").path
    defer { try? Database.delete(path: path) }
    let database = try await Database(path: path, key: .raw([UInt8](repeating: 7, count: 32)))
    try await database.migrate(Atlas.schema)
    try await database.write { db in
      for category in Set(Self.scalars.map(\.category)) {
        try Table<Category>().insert(Category(code: category, title: category.title), in: db)
      }
      try Table<Scalar>().insert(contentsOf: Self.scalars, in: db)
    }
    try await body(database)
    try await database.close()
  }
}
