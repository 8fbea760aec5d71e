import Testing

@testable import MiniORM

@Table("entry") private struct Entry {
  let id: Int64
  var amount: Int
}

private let entries = Table<Entry>()

private struct Unbalanced: Error, Equatable {
  let sum: Int
}

private func withLedger<Result>(_ body: (Database) async throws -> Result) async throws -> Result {
  var configuration = Configuration()
  configuration.beforeCommit = { db in
    let sum = try entries.select { $0.amount }.fetchAll(in: db).reduce(0, +)
    if sum != 0 { throw Unbalanced(sum: sum) }
  }
  return try await withTemporaryDatabase(configuration: configuration) { database in
    try await database.migrate(DatabaseSchema(Entry.self))
    return try await body(database)
  }
}

@Suite("Configuration.beforeCommit")
struct CommitCheckTests {
  @Test("a transaction that beforeCommit refuses is rolled back, and its error is thrown")
  func refusal() async throws {
    try await withLedger { database in
      try await database.write { db in
        try entries.insert(Entry.Draft(amount: 5), in: db)
        try entries.insert(Entry.Draft(amount: -5), in: db)
      }
      await #expect(throws: Unbalanced(sum: 3)) {
        try await database.write { db in try entries.insert(Entry.Draft(amount: 3), in: db) }
      }
      // Single calls are transactions too.
      await #expect(throws: Unbalanced(sum: 3)) {
        try await entries.insert(Entry.Draft(amount: 3), in: database)
      }
      await #expect(throws: Unbalanced(sum: -5)) { try await entries.delete(1, in: database) }
      await #expect(throws: Unbalanced(sum: 7)) {
        try await entries.insert(contentsOf: [Entry.Draft(amount: 7)], in: database)
      }
      await #expect(throws: Unbalanced(sum: -3)) {
        try await entries.where { $0.amount > 0 }.update { $0.amount = 2 }.run(in: database)
      }
      await #expect(throws: Unbalanced(sum: 1)) {
        try await database.withoutTransaction { db in
          try db.transaction { db in try entries.insert(Entry.Draft(amount: 1), in: db) }
        }
      }
      try synchronously(database)
      #expect(try await entries.fetchAll(in: database).map(\.amount) == [5, -5])
    }
  }

  private func synchronously(_ database: Database) throws {
    #expect(throws: Unbalanced(sum: 9)) {
      try database.writeSynchronously { db in try entries.insert(Entry.Draft(amount: 9), in: db) }
    }
  }

  @Test("beforeCommit does not run for reads, and not for savepoints")
  func calls() async throws {
    try await withLedger { database in
      _ = try await database.read { db in try entries.count(in: db) }
      try await database.write { db in
        // The sum is unbalanced between the nested transactions.
        try db.transaction { db in try entries.insert(Entry.Draft(amount: 5), in: db) }
        try db.transaction { db in try entries.insert(Entry.Draft(amount: -5), in: db) }
      }
      #expect(try await entries.count(in: database) == 2)
    }
  }
}
