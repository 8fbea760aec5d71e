import Testing

@testable import MiniORM

private let old = View("old_makers", as: makers.where { $0.founded < 1930 })
private let counting = Trigger("counting", .after, insertInto: makers) { new in
  ["UPDATE part SET whole_id = whole_id + 1 WHERE name = 'Motor'"]
}

@Suite("Temporary views and triggers")
struct TemporaryObjectTests {
  @Test("a temporary view is on every connection, after a change of key too, and not in the file")
  func view() async throws {
    try await withTrade { database throws in
      try await database.createTemporary(old)
      let acme = [Maker.some[0]]
      #expect(try await old.fetchAll(in: database) == acme)
      #expect(try await database.write { db in try old.from.fetchAll(in: db) } == acme)
      try await database.changeKey(to: .raw([UInt8](repeating: 7, count: 32)))
      #expect(try await old.fetchAll(in: database) == acme)
      #expect(try await database.write { db in try old.from.fetchAll(in: db) } == acme)
      let count = try await database.read { db in
        try db.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = 'old_makers'")
      }
      #expect(count == 0)
      try await database.dropTemporary(old)
      let error = await #expect(throws: DatabaseError.self) { try await old.fetchAll(in: database) }
      #expect(error?.message == "no such table: old_makers")
    }
  }

  @Test("a temporary trigger runs for this program's changes")
  func trigger() async throws {
    try await withTrade { database throws in
      try await database.createTemporary(counting)
      try await makers.insert(Maker.Draft(name: "Dyno", founded: nil), in: database)
      #expect(try await parts.find(2, in: database)?.wholeID == 2)
      try await database.dropTemporary(counting)
      try await makers.insert(Maker.Draft(name: "Egg", founded: nil), in: database)
      #expect(try await parts.find(2, in: database)?.wholeID == 2)
    }
  }

  @Test("one that does not work, or is there already, is refused on every connection")
  func refused() async throws {
    try await withTrade { database throws in
      let broken = View("broken", as: makers.where(sql: "nonsense = 1"))
      for _ in 1...2 {
        let error = await #expect(throws: DatabaseError.self) {
          try await database.createTemporary(broken)
        }
        #expect(error?.message == "no such column: nonsense")
      }
      try await database.createTemporary(old)
      let error = await #expect(throws: DatabaseError.self) {
        try await database.createTemporary(old)
      }
      #expect(error?.message == "view \"old_makers\" already exists")
      #expect(try await old.fetchAll(in: database) == [Maker.some[0]])
      try await database.dropTemporary(old)
      let missing = await #expect(throws: DatabaseError.self) {
        try await database.dropTemporary(old)
      }
      #expect(missing?.message == "no such view: temp.old_makers")
    }
  }
}
