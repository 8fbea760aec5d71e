import Testing

@testable import MiniORM

@Table("gauge")
private struct Gauge: Equatable {
  let id: Int64
  @Column(.unique) var name: String
  @Column(.default(sql: "7")) var level: Int?
  @Column(.default(sql: "'{}'"), as: .json) var notes: [String: Int]?
}

@Table("keyless", primaryKey: ["a", "b"])
private struct Keyless: Equatable {
  var a: Int
  var b: Int
  @Column(.default(sql: "7")) var level: Int?
}

/// `nil` in a model is NULL. The database's default applies only to columns omitted from a draft.
@Suite("nil for columns with a database default")
struct DefaultedNilTests {
  private let gauges = Table<Gauge>()
  private let given = Gauge(id: 1, name: "a", level: nil, notes: nil)
  private let defaulted = Gauge(id: 1, name: "a", level: 7, notes: [:])

  enum Way: CaseIterable, Sendable { case one, many, statement, statements, upsert, updating }

  private func store<Row: Insertable & Sendable>(
    _ row: Row, _ way: Way, in database: Database
  ) async throws -> Gauge? where Row.Stored == Gauge {
    switch way {
    case .one: try await gauges.insert(row, in: database)
    case .many: try await gauges.insert(contentsOf: [row], in: database)
    case .statement: try await gauges.insert(row).run(in: database)
    case .statements:
      _ = try await gauges.insert(contentsOf: [row]).returning().fetchAll(in: database)
    case .upsert: try await gauges.upsert(row, onConflict: { $0.name }, in: database)
    case .updating:
      try await gauges.insert(Gauge(id: 1, name: "a", level: 3, notes: ["x": 1]), in: database)
      try await gauges.upsert(row, onConflict: { $0.name }, in: database)
    }
    return try await gauges.fetchOne(in: database)
  }

  @Test("a model's nil is stored as NULL", arguments: Way.allCases)
  func model(way: Way) async throws {
    try await withFile(DatabaseSchema(Gauge.self)) { database throws in
      #expect(try await store(given, way, in: database) == given)
    }
  }

  @Test("a value that a draft omits takes the default", arguments: Way.allCases)
  func draft(way: Way) async throws {
    try await withFile(DatabaseSchema(Gauge.self)) { database throws in
      #expect(try await store(Gauge.Draft(name: "a"), way, in: database) == defaulted)
    }
  }

  @Test("many models in a statement, and a model whose key is not a rowid alias")
  func others() async throws {
    try await withFile(DatabaseSchema(Gauge.self, Keyless.self)) { database throws in
      let rows = (1...100).map { Gauge(id: $0, name: "\($0)", level: $0 % 3 == 0 ? nil : 1) }
      try await gauges.insert(contentsOf: rows, in: database)
      #expect(try await gauges.order { $0.id }.fetchAll(in: database) == rows)
      let table = Table<Keyless>()
      try await table.insert(Keyless(a: 1, b: 1, level: nil), in: database)
      try await table.insert(Keyless.Draft(a: 1, b: 2), in: database)
      try await table.insert(contentsOf: [Keyless(a: 1, b: 3, level: nil)]).run(in: database)
      try await table.insert(contentsOf: [Keyless.Draft(a: 1, b: 4)]).run(in: database)
      #expect(
        try await table.order { $0.b }.fetchAll(in: database).map(\.level) == [nil, 7, nil, 7])
    }
  }

  @Test("rows copied into another file keep NULL")
  func copied() async throws {
    try await withFile(DatabaseSchema(Gauge.self)) { database throws in
      try await gauges.insert(given, in: database)
      let rows = try await gauges.fetchAll(in: database)
      try await withFile(DatabaseSchema(Gauge.self)) { copy throws in
        try await gauges.insert(contentsOf: rows, in: copy)
        #expect(try await gauges.fetchAll(in: copy) == [given])
      }
      let other = TemporaryFile()
      let file = try await other.open()
      try await file.migrate(DatabaseSchema(Gauge.self))
      try await file.close()
      try await database.attach(other.path, as: "other", key: TemporaryFile.key)
      let there = Table<Gauge>(in: "other")
      try await there.insert(from: gauges).run(in: database)
      try await there.insert(from: gauges, assigningRowIDs: true).or(.ignore).run(in: database)
      #expect(try await there.fetchAll(in: database) == [given])
      try await database.detach("other")
    }
  }
}
