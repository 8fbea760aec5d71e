import Testing

@testable import MiniORM

@Table("note")
struct ScopedNote: Identifiable, Equatable {
  let id: Int64
  @Column(.unique) var title: String
  var owner = 1
  var deletedAt: Int?
}

extension ScopedNote {
  static var defaultScope: Scope<ScopedNote> {
    Scope { $0.deletedAt == nil && $0.owner < 3 }
  }

  static let some = [
    ScopedNote(id: 1, title: "a"), ScopedNote(id: 2, title: "b", deletedAt: 5),
    ScopedNote(id: 3, title: "c", owner: 2),
    ScopedNote(id: 4, title: "d", owner: 3),
  ]
}

private let notes = Table<ScopedNote>()
private let columns = #"SELECT "id", "title", "owner", "deletedAt" FROM "note""#
private let scope = #"(("note"."deletedAt" IS ?) AND ("note"."owner" < ?))"#

private func withNotes(_ body: (Database) async throws -> Void) async throws {
  try await withFile(DatabaseSchema(ScopedNote.self)) { database throws in
    try await notes.insert(contentsOf: ScopedNote.some, in: database)
    try await body(database)
  }
}

@Suite("Default scopes")
struct ScopeTests {
  struct Case: Sendable {
    let table: Table<ScopedNote>
    let sql: String
    let values: [DatabaseValue]
    let ids: [Int64]
  }

  static let cases: [Case] = [
    Case(table: notes, sql: " WHERE \(scope)", values: [.null, .integer(3)], ids: [1, 3]),
    Case(
      table: notes.where { $0.id > 1 }, sql: #" WHERE \#(scope) AND ("note"."id" > ?)"#,
      values: [.null, .integer(3), .integer(1)], ids: [3]),
    Case(
      table: notes.where(sql: "id = 2 OR id = 3"), sql: " WHERE \(scope) AND (id = 2 OR id = 3)",
      values: [.null, .integer(3)], ids: [3]),
    Case(
      table: notes.order { $0.id.descending }.limit(1),
      sql: #" WHERE \#(scope) ORDER BY "note"."id" DESC LIMIT ?"#,
      values: [.null, .integer(3), .integer(1)], ids: [3]),
    Case(table: notes.unscoped(), sql: "", values: [], ids: [1, 2, 3, 4]),
    Case(
      table: notes.where { $0.id > 1 }.unscoped().limit(2).unscoped(),
      sql: #" WHERE ("note"."id" > ?) LIMIT ?"#, values: [.integer(1), .integer(2)], ids: [2, 3]),
  ]

  @Test("the model's condition is part of each query, unless it is lifted", arguments: cases)
  func queries(example: Case) async throws {
    let table = example.table
    #expect(table.sql.text == columns + example.sql)
    #expect(try table.sql.values == example.values)
    try await withNotes { database throws in
      let expected = example.ids.map { ScopedNote.some[Int($0) - 1] }
      #expect(try await table.fetchAll(in: database) == expected)
      #expect(try await table.fetchOne(in: database) == expected.first)
      #expect(try await table.count(in: database) == expected.count)
      #expect(try await table.exists(in: database))
      #expect(try await table.sum(of: { $0.id }, in: database) == example.ids.reduce(0, +))
      #expect(try await table.max(of: { $0.title }, in: database) == expected.map(\.title).max())
      for note in ScopedNote.some {
        #expect(
          try await table.find(note.id, in: database) == expected.first { $0.id == note.id })
      }
      #expect(
        try await table.update { $0.title = $0.title.upper() }.run(in: database) == expected.count)
      let renamed = try await notes.unscoped().fetchAll(in: database)
      #expect(
        renamed.map(\.title)
          == ScopedNote.some.map { example.ids.contains($0.id) ? $0.title.uppercased() : $0.title })
      #expect(try await table.deleteAll(in: database) == expected.count)
      #expect(
        try await notes.unscoped().fetchAll(in: database).map(\.id)
          == [1, 2, 3, 4].filter { !example.ids.contains($0) })
    }
  }

  @Test("with a lifted scope or without a scope, the prepared SQL is reused")
  func whole() {
    #expect(Table<Person>().isWhole)
    #expect(Table<Person>().unscoped().isWhole)
    #expect(!notes.isWhole && notes.unscoped().isWhole)
    #expect(!notes.limit(1).unscoped().isWhole && !notes.order { $0.id }.unscoped().isWhole)
    #expect(!notes.distinct().unscoped().isWhole && !notes.where { $0.id > 1 }.unscoped().isWhole)
  }

  @Test(
    "writes by row or key reach only rows in the scope; insertions are not limited")
  func byKey() async throws {
    try await withNotes { database throws in
      let new = ScopedNote(id: 9, title: "z", deletedAt: 1)
      #expect(try await notes.insert(new, in: database) == new)
      #expect(try await notes.find(9, in: database) == nil)
      var back = ScopedNote.some[1]
      back.deletedAt = nil
      #expect(try await notes.update(back, in: database) == false)
      #expect(try await notes.update(contentsOf: [back], in: database) == 0)
      #expect(try await notes.unscoped().find(2, in: database) == ScopedNote.some[1])
      #expect(try await notes.unscoped().update(back, in: database))
      #expect(try await notes.find(2, in: database) == back)
      guard
        case .updated(let z) = try await notes.upsert(
          ScopedNote.Draft(title: "z"), onConflict: { $0.title }, in: database)
      else {
        Issue.record("not updated")
        return
      }
      #expect(z == ScopedNote(id: 9, title: "z"))
      #expect(try await notes.delete(4, in: database) == false)
      #expect(try await notes.delete(ScopedNote.some[3], in: database) == false)
      #expect(try await notes.delete(keys: [4, 9], in: database) == 1)
      #expect(try await notes.unscoped().delete(4, in: database))
      #expect(try await notes.unscoped().update { $0.deletedAt = 1 }.run(in: database) == 3)
      #expect(try await notes.count(in: database) == 0)
      #expect(try await notes.truncate(in: database) == 3)
      #expect(try await notes.unscoped().count(in: database) == 0)
    }
  }

  @Test("a trigger is created on the unscoped table or on a view, and refuses the scoped table")
  func triggers() async throws {
    let log = { (id: String) in SQL(raw: "INSERT INTO log VALUES ('\(id)')") }
    let view = DatabaseView("current", as: notes)
    let schema = { (trigger: Trigger) in
      DatabaseSchema(ScopedNote.self, objects: [view, trigger])
    }
    let all = Trigger("all_notes", .after, insertInto: notes.unscoped()) { _ in [log("note")] }
    let current = Trigger("current_notes", .insteadOf, deleteFrom: view) { _ in [log("view")] }
    let scoped = Trigger("scoped_notes", .after, insertInto: notes) { _ in [log("never")] }
    try await withNotes { database throws in
      try await database.write { try $0.execute("CREATE TABLE log (text)") }
      try await database.migrate(DatabaseSchema(ScopedNote.self, objects: [view, all, current]))
      // The row is outside the scope: a trigger runs for every row.
      try await notes.insert(ScopedNote(id: 5, title: "e", owner: 9), in: database)
      try await database.write { try $0.execute("DELETE FROM current WHERE id = 1") }
      let texts = try await database.read { try $0.query(String.self, "SELECT text FROM log") }
      #expect(texts == ["note", "view"])
      let error = try await failure { try await database.migrate(schema(scoped)) }
      #expect(error.message.contains("with unscoped() if the model has a default scope"))
    }
  }

  @Test("the scope applies in an attached database too")
  func attached() async throws {
    try await withNotes { database throws in
      let other = TemporaryFile()
      let file = try await other.open()
      try await file.migrate(DatabaseSchema(ScopedNote.self))
      try await notes.insert(contentsOf: ScopedNote.some, in: file)
      try await file.close()
      try await database.attach(other.path, as: "other", key: TemporaryFile.key)
      let there = Table<ScopedNote>(in: "other")
      #expect(
        there.sql.text == columns.replacing(#""note""#, with: #""other"."note""#)
          + " WHERE \(scope)")
      #expect(try await there.fetchAll(in: database).map(\.id) == [1, 3])
      #expect(try await there.unscoped().count(in: database) == 4)
      #expect(there.unscoped().isWhole)
      try await database.detach("other")
    }
  }
}
