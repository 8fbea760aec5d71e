import Testing

@testable import MiniORM

@Table("errand")
private struct Errand: Identifiable, Equatable {
  let id: Int64
  var owner: Int
  @Column(.unique) var title: String
  var rank = 0
}

@Table("seat", primaryKey: ["row", "number"])
private struct Seat: Equatable {
  let row: Int
  let number: Int
  var guest: String?
}

private let errands = Table<Errand>()

/// Writes by row or key to a table with conditions.
@Suite("Writes to filtered tables")
struct NarrowedWriteTests {
  private static let rows = (1...6).map {
    Errand(id: $0, owner: Int($0 % 2), title: "\($0)", rank: Int($0))
  }

  private func withErrands(_ body: (Database) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(Errand.self, Seat.self)) { database throws in
      try await errands.insert(contentsOf: Self.rows, in: database)
      try await body(database)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    fileprivate let table: Table<Errand>
    let ids: Set<Int64>
  }

  static let cases: [Case] = [
    Case(testDescription: "all", table: errands, ids: [1, 2, 3, 4, 5, 6]),
    Case(testDescription: "where", table: errands.where { $0.owner == 1 }, ids: [1, 3, 5]),
    Case(testDescription: "raw", table: errands.where(sql: "owner = \(0)"), ids: [2, 4, 6]),
    Case(testDescription: "none", table: errands.where { $0.owner == 9 }, ids: []),
    Case(testDescription: "limit(0)", table: errands.limit(0), ids: []),
    Case(
      testDescription: "limit", table: errands.order { $0.rank.descending }.limit(2), ids: [5, 6]),
    Case(
      testDescription: "offset", table: errands.order { $0.id }.limit(9, offset: 4), ids: [5, 6]),
    Case(testDescription: "order", table: errands.order { $0.title }, ids: [1, 2, 3, 4, 5, 6]),
    Case(testDescription: "distinct", table: errands.distinct(), ids: [1, 2, 3, 4, 5, 6]),
    Case(
      testDescription: "about other rows",
      table: errands.where { errand in
        errand.rank.cast(to: Double.self)
          > errands.alias("e").select { $0.rank.average() }.scalar()
      }, ids: [4, 5, 6]),
  ]

  @Test("a key or a row changes only a row that the filter selects", arguments: cases)
  func one(example: Case) async throws {
    try await withErrands { database throws in
      for row in Self.rows {
        var changed = row
        changed.title += "!"
        let isSelected = example.ids.contains(row.id)
        #expect(try await example.table.find(row.id, in: database) == (isSelected ? row : nil))
        #expect(try await example.table.update(changed, in: database) == isSelected)
        let stored = try await errands.find(row.id, in: database)
        #expect(stored == (isSelected ? changed : row))
        try await errands.update(row, in: database)
        await #expect(throws: Undo.self) {
          try await database.write { db in
            #expect(try example.table.delete(row.id, in: db) == isSelected)
            #expect(try errands.count(in: db) == (isSelected ? 5 : 6))
            #expect(try example.table.delete(row, in: db) == false)
            throw Undo()
          }
        }
      }
      #expect(try await example.table.delete(99, in: database) == false)
      #expect(try await errands.order { $0.id }.fetchAll(in: database) == Self.rows)
    }
  }

  @Test("several keys or rows are selected before the first change", arguments: cases)
  func several(example: Case) async throws {
    try await withErrands { database throws in
      // The update changes the order and the average that select its rows.
      let changed = Self.rows.map {
        Errand(id: $0.id, owner: 9, title: $0.title + "!", rank: -$0.rank)
      }
      let count = try await example.table.update(contentsOf: changed, in: database)
      #expect(count == example.ids.count)
      let expected = zip(Self.rows, changed).map { example.ids.contains($0.id) ? $1 : $0 }
      #expect(try await errands.order { $0.id }.fetchAll(in: database) == expected)
      try await errands.update(contentsOf: Self.rows, in: database)
      let keys = Self.rows.map(\.id) + [1, 99]
      #expect(try await example.table.delete(keys: keys, in: database) == example.ids.count)
      #expect(
        try await errands.order { $0.id }.fetchAll(in: database)
          == Self.rows.filter { !example.ids.contains($0.id) })
    }
  }

  @Test("a filtered table with a composite key")
  func composite() async throws {
    try await withErrands { database throws in
      let seats = Table<Seat>()
      try await seats.insert(
        contentsOf: [Seat(row: 1, number: 1, guest: "Ada"), Seat(row: 1, number: 2)], in: database)
      let free = seats.where { $0.guest == nil }
      #expect(try await free.delete((1, 1), in: database) == false)
      #expect(try await free.update(Seat(row: 1, number: 1), in: database) == false)
      #expect(try await free.update(Seat(row: 1, number: 2, guest: "Bob"), in: database))
      #expect(try await free.delete(keys: [(1, 1), (1, 2)], in: database) == 0)
      #expect(try await seats.count(in: database) == 2)
    }
  }

  @Test("a whole table takes a statement per row, prepared once for the model")
  func fast() async throws {
    try await withErrands { database throws in
      let writer = database.writer
      let before = try await writer.isolated { $0.cache?.misses }
      try await database.write { db in
        for row in Self.rows {
          try errands.update(row, in: db)
          try errands.delete(row.id, in: db)
        }
      }
      // BEGIN IMMEDIATE and COMMIT were cached.
      #expect(try await writer.isolated { $0.cache?.misses } == before.map { $0 + 2 })
    }
  }

  @Test("insert and truncate on a filtered table throw", arguments: [0, 1, 2])
  func insertion(index: Int) async throws {
    let some = [errands.where { $0.owner == 1 }, errands.limit(3), errands.distinct()][index]
    let draft = Errand.Draft(owner: 1, title: "new")
    let refusal =
      "prepare 21 -.- -: A row cannot be inserted into a selection of rows: call this method on "
      + "a table without where, limit and distinct"
    try await withErrands { database throws in
      let calls: [@Sendable () async throws -> Void] = [
        { try await some.insert(draft, in: database) },
        { try await some.insert(contentsOf: [draft], in: database) },
        { try await some.insert(contentsOf: [Errand.Draft](), in: database) },
        { try await some.insert(draft).run(in: database) },
        { _ = try await some.insert(contentsOf: [draft]).returning().fetchAll(in: database) },
        { try await some.insert { $0.title = "x" }.run(in: database) },
        { try await some.insertDefaultValues().run(in: database) },
        { try await some.insert(from: errands).run(in: database) },
        {
          try await some.insert(into: { $0.title }, from: errands.select { $0.title })
            .run(in: database)
        },
        { try await some.upsert(draft, onConflict: { $0.title }, in: database) },
        {
          try await some.upsert(
            draft, onConflict: { $0.title }, updating: { $0.rank }, in: database)
        },
      ]
      for call in calls { #expect(try await failure { try await call() }.summary == refusal) }
      let truncation = try await failure { try await some.truncate(in: database) }
      #expect(
        truncation.summary
          == "prepare 21 -.- -: truncate empties the whole table: call deleteAll(in:) to delete "
          + "a selection of rows")
      #expect(try await errands.order { $0.id }.fetchAll(in: database) == Self.rows)
      // An order alone selects all rows.
      #expect(try await errands.order { $0.id }.insert(draft, in: database).id == 7)
    }
  }
}

private struct Undo: Error {}
