import Testing

@testable import MiniORM

/// A closure that returns a change without running it compiles, with at most a warning. At run
/// time, the call throws and writes nothing.
@Suite("Changes that were not run")
struct ChangeNotRunTests {
  @available(*, deprecated, message: "calls what is")
  @Test("a transaction that returns a change that was not run throws, and is rolled back")
  func thrown() async throws {
    try await withPeople { database, table throws in
      let refusal =
        "prepare 21 -.- -: Nothing is written: the closure returns a change that has not run. "
        + "In write(_:), end it with .run(in: db) or .returning().fetchAll(in: db)"
      let calls: [@Sendable () async throws -> Void] = [
        { try await database.write(.immediate) { _ in table.delete() } },
        { try await database.read { _ in table.delete() } },
        { try await database.write(.exclusive) { _ in table.delete().returning() } },
        {
          _ = try await database.write { db in
            try table.delete().run(in: db)
            try db.transaction(.immediate) { _ in table.update { $0.age = 1 } }
            return 1
          }
        },
      ]
      for call in calls { #expect(try await failure { try await call() }.summary == refusal) }
      #expect(try await table.fetchAll(in: database) == Person.some)
    }
  }
}
