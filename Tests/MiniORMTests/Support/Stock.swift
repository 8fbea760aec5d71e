import Foundation
import Testing

@testable import MiniORM

// A table with each kind of column and constraint, and a table to copy rows into.

@Table("stock")
struct Stock: Equatable {
  let id: Int64
  @Column(.unique) var name: String
  var size = 0
  var note: String?
  @Column(as: .unixSeconds) var made: Date?
  @Column(.default(sql: "'new'")) var state: String
  @Column(.generated("size * 2")) var twice: Int?
}

@Table("depot")
struct Depot: Equatable {
  let id: Int64
  var name: String
  var size: Int?
  var made: Date?
  @Column(as: .uuidBytes) var token: UUID?
  var label: UUID?
}

let stock = Table<Stock>()
let depot = Table<Depot>()

extension Stock {
  static let day = Date(timeIntervalSince1970: 86_400)

  static func row(
    _ id: Int64, _ name: String, _ size: Int = 0, note: String? = nil, made: Date? = nil,
    state: String = "new"
  ) -> Stock {
    Stock(id: id, name: name, size: size, note: note, made: made, state: state, twice: size * 2)
  }

  static let some = [
    row(1, "Anvil", 3, made: day), row(2, "Bolt", 500, note: "M6"), row(5, "Cog", 40),
  ]
}

/// Runs a test on a file with some stock and an empty depot.
func withStock<Result>(_ body: (Database) async throws -> Result) async throws -> Result {
  try await withFile(DatabaseSchema(Stock.self, Depot.self)) { database throws in
    try await stock.insert(contentsOf: Stock.some, in: database)
    return try await body(database)
  }
}

extension Database {
  /// All stock, ordered by key.
  func stock() async throws -> [Stock] {
    try await Table<Stock>().order { $0.id }.fetchAll(in: self)
  }
}
