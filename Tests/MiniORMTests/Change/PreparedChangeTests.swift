import Foundation
import Testing

@testable import MiniORM

@Table("shelf")
private struct Shelf: Identifiable, Equatable {
  let id: Int64
  @Column(.unique) var name: String
  @Column(.check("size >= 0")) var size: Int
  @Column(as: .unixSeconds) var filled: Date?
  var kind: Kind?

  /// An integer type that cannot read the value 13.
  struct Kind: ColumnValue, Equatable {
    let number: Int64
    static var columnType: ColumnType { .integer }
    init(_ number: Int64) { self.number = number }
    init(cell: borrowing Cell) throws(DatabaseError) {
      number = try cell.integer()
      guard number != 13 else { throw cell.invalid("No such kind") }
    }
    func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
      try parameter.bind(number)
    }
  }
}

private let shelves = Table<Shelf>()

@Suite("Prepared changes")
struct PreparedChangeTests {
  private let add = PreparedChange(String.self, Int.self) { name, size in
    shelves.insert {
      $0.name = name
      $0.size = size
    }
    .onConflict {
      $0.name
    } update: { row, new in
      row.size = row.size + new.size
    }
  }
  private let grow = PreparedChange(Int.self, Int64.self) { size, id in
    shelves.where { $0.id == id }.update { $0.size += size }
  }
  private let remove = PreparedChange(Int64.self) { id in shelves.where { $0.id == id }.delete() }

  private func withShelves(_ body: (Database) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(Shelf.self)) { database throws in
      try await shelves.insert(
        contentsOf: (1...3).map { Shelf.Draft(name: "S\($0)", size: $0) }, in: database)
      try await body(database)
    }
  }

  private func sizes(_ database: Database) async throws -> [ExactText: Int] {
    Dictionary(
      uniqueKeysWithValues: try await shelves.fetchAll(in: database).map {
        (ExactText($0.name), $0.size)
      })
  }

  @Test("an insertion with onConflict, an update and a deletion with values per run")
  func kinds() async throws {
    #expect(
      add.sql("S1", 2).text
        == #"""
        INSERT INTO "shelf" ("name", "size")
        VALUES (?, ?)
        ON CONFLICT ("name") DO UPDATE
        SET "size" = ("shelf"."size" + "excluded"."size")
        """#.onOneLine)
    #expect(try add.sql("S1", 2).values == [.text("S1"), .integer(2)])
    try await withShelves { database throws in
      #expect(try await add.run("S1", 10, in: database) == 1)
      #expect(try await add.run("S4", 4, in: database) == 1)
      #expect(try await grow.run(100, 2, in: database) == 1)
      #expect(try await grow.run(100, 99, in: database) == 0)
      #expect(try await remove.run(3, in: database) == 1)
      #expect(try await remove.run(3, in: database) == 0)
      #expect(try await sizes(database) == ["S1": 11, "S2": 102, "S4": 4])
    }
  }

  @Test("each run equals the same change built without preparation", arguments: 0..<40)
  func same(seed: Int) async throws {
    var prepared: [ExactText: Int] = [:]
    var plain: [ExactText: Int] = [:]
    for isPrepared in [true, false] {
      try await withShelves { database throws in
        for step in 0..<20 {
          let number = (seed * 31 + step * 17) % 7
          let name = ["S1", "S2", "é", "e\u{301}", "\0", "", "'\"--"][number]
          if isPrepared {
            try await add.run(name, step, in: database)
            try await grow.run(step, Int64(number), in: database)
            if step % 5 == 4 { try await remove.run(Int64(number), in: database) }
          } else {
            try await shelves.insert {
              $0.name = name
              $0.size = step
            }
            .onConflict {
              $0.name
            } update: { row, new in
              row.size = row.size + new.size
            }
            .run(in: database)
            try await shelves.where { $0.id == Int64(number) }.update { $0.size += step }
              .run(in: database)
            if step % 5 == 4 {
              try await shelves.where { $0.id == Int64(number) }.delete().run(in: database)
            }
          }
        }
        if isPrepared {
          prepared = try await sizes(database)
        } else {
          plain = try await sizes(database)
        }
      }
    }
    #expect(prepared == plain)
  }

  @Test("a change is prepared once for any number of runs")
  func statement() async throws {
    try await withShelves { database throws in
      let counts = try await database.write { db in
        let before = (db.cache?.misses ?? 0, db.cache?.hits ?? 0)
        for size in 0..<100 { try grow.run(size, 1, in: db) }
        return [(db.cache?.misses ?? 0) - before.0, (db.cache?.hits ?? 0) - before.1]
      }
      #expect(counts == [1, 99])
    }
  }

  @Test("RETURNING values are read, and an unreadable value rolls the change back")
  func returning() async throws {
    let rename = PreparedReturning(Int64.self, String.self) { id, name in
      shelves.where { $0.id == id }.update { $0.name = name }.returning { ($0.id, $0.name) }
    }
    let mark = PreparedReturning(Int64.self, Shelf.Kind?.self) { least, kind in
      shelves.where { $0.id >= least }.update { $0.kind = kind }.returning()
    }
    try await withShelves { database throws in
      let first = try await rename.fetchOne(1, "New", in: database)
      #expect(first?.0 == 1 && first?.1 == "New")
      #expect(try await rename.fetchAll(9, "Other", in: database).isEmpty)
      #expect(try await mark.fetchAll(2, Shelf.Kind(5), in: database).map(\.name) == ["S2", "S3"])
      for _ in 1...2 {
        let error = await #expect(throws: DatabaseError.self) {
          try await mark.fetchAll(1, Shelf.Kind(13), in: database)
        }
        #expect(error?.summary.contains("No such kind in column kind") == true)
        // In a transaction that continues after the error.
        try await database.write { db in
          #expect(throws: DatabaseError.self) { try mark.fetchAll(1, Shelf.Kind(13), in: db) }
        }
      }
      #expect(
        try await shelves.select { $0.kind }.fetchAll(in: database) == [nil, .init(5), .init(5)])
      #expect(try mark.sql(1, nil).values == [.null, .integer(1)])
    }
  }

  @Test(
    "a violated constraint, an unstorable value and an invalid change throw as without preparation"
  )
  func errors() async throws {
    let nan = PreparedChange(Double.self) { score in
      shelves.where { _ in SQLExpression<Double>("1.0") == score }.update { $0.size = 1 }
    }
    let nothing = PreparedChange(Int.self) { _ in shelves.update { _ in } }
    try await withShelves { database throws in
      let error = await #expect(throws: DatabaseError.self) {
        try await grow.run(-10, 1, in: database)
      }
      let other = await #expect(throws: DatabaseError.self) {
        try await shelves.where { $0.id == 1 }.update { $0.size += -10 }.run(in: database)
      }
      #expect(error?.summary == other?.summary)
      #expect(error?.code == .constraintCheck)
      #expect(
        await #expect(throws: DatabaseError.self) { try await nan.run(.nan, in: database) }?
          .operation == .bind)
      let mistake = await #expect(throws: DatabaseError.self) {
        try await nothing.run(1, in: database)
      }
      #expect(mistake?.message.contains("assigns to no column") == true)
      // The refused calls wrote nothing and hold no statement.
      #expect(try await sizes(database) == ["S1": 1, "S2": 2, "S3": 3])
      let refused = await #expect(throws: DatabaseError.self) {
        try await database.read { db in _ = try grow.run(1, 1, in: db) }
      }
      #expect(refused?.code == .readOnly)
    }
  }

  @Test("an argument is bound in its column's format, and a captured value stays fixed")
  func representations() async throws {
    let limit = 2
    let fill = PreparedChange(Date?.self) { date in
      shelves.where { $0.size >= limit }.update { $0.filled = date }
    }
    try await withShelves { database throws in
      #expect(try await fill.run(Date(timeIntervalSince1970: 86_400), in: database) == 2)
      #expect(
        try await database.values("SELECT filled FROM shelf") == [
          .null, .integer(86_400), .integer(86_400),
        ])
      #expect(try await fill.run(nil, in: database) == 2)
      #expect(try await database.values("SELECT count(filled) FROM shelf") == [.integer(0)])
    }
  }

  @Test("a change of several statements is atomic, and a change may have no statement")
  func parts() async throws {
    let none = PreparedChange(Int.self) { _ in shelves.insert(contentsOf: [Shelf.Draft]()) }
    let many = PreparedChange(String.self) { name in
      shelves.insert(contentsOf: (0..<20_000).map { Shelf.Draft(name: "N\($0)", size: 1) })
        .onConflict {
          $0.name
        } update: { row, _ in
          row.name = name
        }
    }
    try await withShelves { database throws in
      #expect(try await none.run(1, in: database) == 0)
      #expect(none.sql(1).text == "")
      #expect(try await many.run("x", in: database) == 20_000)
      #expect(try await shelves.count(in: database) == 20_003)
      // The first update takes the name, and the second violates the constraint.
      await #expect(throws: DatabaseError.self) { try await many.run("x", in: database) }
      #expect(try await shelves.where { $0.name == "x" }.count(in: database) == 0)
    }
  }
}
