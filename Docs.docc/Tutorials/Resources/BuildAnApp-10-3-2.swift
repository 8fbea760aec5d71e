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

  @Test func amountsArePositive() async throws {
    let error = await #expect(throws: DatabaseError.self) {
      try await add("2026-03-02 0 Garden Seeds")
    }
    #expect(error?.code == .constraintCheck)
  }

  @Test func dryRun() async throws {
    try await add("2026-03-02 4.20 Food Coffee")
    let rules = ["Coffee=Leisure"].compactMap { Rule($0[...]) }
    await #expect(throws: DryRun.self) {
      try await Journal.assign(
        rules, dryRun: true, in: database)
    }
    let shares = try await Share.all(Table<Expense>())
      .fetchAll(in: database)
    #expect(shares.map(\.category) == ["Food"])
  }

  @Test func datesAreIndexed() async throws {
    let year = Table<Expense>().where {
      $0.date.between(.distantPast, and: .now)
    }
    let plan = try await year.queryPlan(in: database)
    #expect(plan.uses(index: "index_expense_on_date"))
  }
}
