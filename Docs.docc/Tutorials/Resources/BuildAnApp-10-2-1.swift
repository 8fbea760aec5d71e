import MiniORM
import Testing
@testable import Journal

@Suite struct DatabaseTests {
  let database: Database
  init() async throws {
    database = try await Database.inMemory()
    try await database.migrate(.journal)
  }
}
