import MiniORM
import Testing
@testable import Journal

@Suite struct DatabaseTests {
  let database: Database
  init() async throws {
    database = try await Database.inMemory()
    try await database.migrate(.journal)
  }

  func add(_ words: String) async throws {
    let words = words.split(separator: " ").map(String.init)
    try await Journal.add(words, to: database)
  }

  @Test func categoriesIgnoreCase() async throws {
    try await add("2026-03-02 4.20 Food Coffee")
    try await add("2026-03-03 8.90 food Sandwich")
    let shares = Share.all(Table<Expense>())
    #expect(try await shares.count(in: database) == 1)
  }

  @Test func mistakesLeaveNothing() async throws {
    await #expect(throws: Mistake.self) {
      try await add("yesterday 4.20 Food")
    }
    let expenses = Table<Expense>()
    #expect(try await expenses.count(in: database) == 0)
  }
}
