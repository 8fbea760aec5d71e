import Testing

@testable import MiniORM

// SQLite rejects each of these too, but does not name the column.
@Suite("Generated columns")
struct GeneratedColumnTests {
  @Test("assigning a generated column throws an error with the column", arguments: 0..<7)
  func refused(_ call: Int) async throws {
    try await withStock { database throws in
      let error = try await failure { try await assign(call, in: database) }
      #expect(
        error.message == "stock.twice is a generated column: leave it out of inserts and updates")
      #expect([error.table, error.column] == ["stock", "twice"] && error.code == .misuse)
      #expect(try await database.stock() == Stock.some)
    }
  }

  private func assign(_ call: Int, in database: Database) async throws {
    let row = Stock.row(9, "Anvil")
    switch call {
    case 0: try await stock.update { $0.twice = 1 }.run(in: database)
    case 1: try await stock.where { $0.id == 1 }.update { $0.twice = $0.twice }.run(in: database)
    case 2:
      try await stock.insert {
        $0.name = "x"
        $0.twice = 1
      }.run(in: database)
    case 3:
      try await stock.insert(row).onConflict {
        $0.name
      } update: { row, new in
        row.twice = new.size.optional
      }.run(in: database)
    case 4:
      try await stock.update(from: depot, on: { $0.id == $1.id }) { stock, depot in
        stock.twice = depot.size
      }.run(in: database)
    case 5:
      try await stock.upsert(
        row, onConflict: { $0.name }, updating: { ($0.size, $0.twice) }, in: database)
    default:
      try await stock.insert(
        into: { ($0.name, $0.twice) }, from: depot.select { ($0.name, $0.size) }
      ).run(in: database)
    }
  }
}
