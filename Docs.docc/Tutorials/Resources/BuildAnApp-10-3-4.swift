import MiniORM
import Testing
@testable import Journal

let version3 = """
  CREATE TABLE category (id INTEGER PRIMARY KEY, name TEXT);
  CREATE TABLE expense (id INTEGER PRIMARY KEY, date TEXT,
    amount INTEGER, note TEXT, categoryID INTEGER);
  INSERT INTO category (name) VALUES ('Food');
  INSERT INTO expense (date, amount, note, categoryID)
    VALUES ('2025-03-02', 2400, 'Tea', 1);
  """

@Test func versionThreeGetsBudgets() async throws {
  let database = try await Database.inMemory()
  try await database.write { try $0.execute(script: version3) }
  try await database.adopt(version: 3,
    formats: ["expense": ["amount": .decimal(scale: 2)]])
  try await database.migrate(.journal)
  let budget = try await database.read { db in
    try db.value(Int.self, "SELECT budget FROM category")
  }
  #expect(budget == 200)
}
