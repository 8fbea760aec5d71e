import Foundation
import Testing

@testable import MiniORM

@Table("user")
private struct User: Equatable {
  let id: Int64
  @Column(.unique, .collate(.nocase)) var name: String
  @Column(.unique) var mail: String?
  @Column(.collate(.nocase)) var city: String?
  var visits = 0
  @Column(.default(sql: "'fresh'")) var state: String
  @Column(.generated("visits * 2")) var twice: Int?
}

@Table(primaryKey: ["group", "key"], options: [.strict, .withoutRowID])
private struct Setting: Equatable {
  let group: String
  let key: String
  var value: String?
  var count = 0
}

@Suite("Upsert")
struct UpsertTests {
  /// An outcome's name and row, to compare both at once.
  private func outcome<T: Equatable>(_ outcome: UpsertOutcome<T>) -> (String, T) {
    switch outcome {
    case .inserted(let row): ("inserted", row)
    case .updated(let row): ("updated", row)
    case .unchanged(let row): ("unchanged", row)
    }
  }

  private func withUser(_ body: (Database, Table<User>, User) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(User.self)) { database throws in
      let table = Table<User>()
      let row = try await table.insert(
        User.Draft(name: "Ada", mail: "a@b.c", city: "Paris", visits: 3), in: database)
      try await body(database, table, row)
    }
  }

  @Test("an upsert reports inserted, updated or unchanged, and keeps the key")
  func outcomes() async throws {
    try await withUser { database, table, row throws in
      #expect(
        row
          == User(
            id: 1, name: "Ada", mail: "a@b.c", city: "Paris", visits: 3, state: "fresh", twice: 6))
      let inserted = outcome(
        try await table.upsert(User.Draft(name: "Bob"), onConflict: { $0.name }, in: database))
      let bob = User(
        id: 2, name: "Bob", mail: nil, city: nil, visits: 0, state: "fresh", twice: 0)
      #expect(inserted == ("inserted", bob))
      let updated = outcome(
        try await table.upsert(
          User.Draft(name: "bob", mail: "x", visits: 1), onConflict: { $0.name }, in: database))
      let changed = User(
        id: 2, name: "Bob", mail: "x", city: nil, visits: 1, state: "fresh", twice: 2)
      #expect(updated == ("updated", changed))
      let unchanged = outcome(
        try await table.upsert(
          User.Draft(name: "BOB", mail: "x", visits: 1), onConflict: { $0.name }, in: database))
      #expect(unchanged == ("unchanged", changed))
      #expect(try await table.order { $0.id }.fetchAll(in: database) == [row, changed])
    }
  }

  @Test("with a model, the existing row keeps its own primary key")
  func model() async throws {
    try await withUser { database, table, row throws in
      let other = try await table.insert(User.Draft(name: "Bob"), in: database)
      var model = row
      model.city = "Rome"
      let mine = User(
        id: other.id, name: "Ada", mail: "a@b.c", city: "Rome", visits: 3, state: "fresh", twice: 6)
      let updated = outcome(try await table.upsert(mine, onConflict: { $0.name }, in: database))
      #expect(updated == ("updated", model))
      let byKey = outcome(
        try await table.upsert(
          User(id: 1, name: "Eve", visits: 1, state: "s"), onConflict: { $0.id }, in: database))
      #expect(
        byKey
          == (
            "updated",
            User(id: 1, name: "Eve", mail: nil, city: nil, visits: 1, state: "s", twice: 2)
          ))
      #expect(try await table.count(in: database) == 2)
    }
  }

  @Test("nil overwrites a value, or keeps it on request")
  func overwritesWithNil() async throws {
    try await withUser { database, table, row throws in
      let draft = User.Draft(name: "Ada", visits: 3)
      let kept = outcome(
        try await table.upsert(
          draft, onConflict: { $0.name }, overwritesWithNil: false, in: database))
      #expect(kept == ("unchanged", row))
      let named = try await database.write { db in
        try table.upsert(draft, onConflict: { $0.name }, updating: { $0.mail }, in: db)
      }
      var mailless = row
      mailless.mail = nil
      #expect(outcome(named) == ("updated", mailless))
      var nulled = row
      (nulled.mail, nulled.city) = (nil, nil)
      let overwritten = outcome(
        try await table.upsert(draft, onConflict: { $0.name }, in: database))
      #expect(overwritten == ("updated", nulled))
    }
  }

  @Test("where nil keeps a value, the database's default does not overwrite it")
  func databaseDefault() async throws {
    try await withUser { database, table, row throws in
      #expect(try await table.update { $0.state = "worn" }.run(in: database) == 1)
      let draft = User.Draft(name: "Ada", visits: 4)
      let kept = outcome(
        try await table.upsert(
          draft, onConflict: { $0.name }, overwritesWithNil: false, in: database))
      #expect(
        kept
          == (
            "updated",
            User(
              id: 1, name: "Ada", mail: "a@b.c", city: "Paris", visits: 4, state: "worn", twice: 8)
          ))
      let inserted = outcome(
        try await table.upsert(
          User.Draft(name: "New"), onConflict: { $0.name }, overwritesWithNil: false, in: database))
      #expect(inserted.0 == "inserted" && inserted.1.state == "fresh")
    }
  }

  @Test("only the named columns are updated")
  func updating() async throws {
    try await withUser { database, table, row throws in
      let draft = User.Draft(name: "Ada", mail: "new", city: "Rome", visits: 9)
      let updated = outcome(
        try await table.upsert(
          draft, onConflict: { $0.name }, updating: { ($0.visits, $0.city) }, in: database))
      var expected = row
      (expected.visits, expected.city, expected.twice) = (9, "Rome", 18)
      #expect(updated == ("updated", expected))
      let name = outcome(
        try await table.upsert(
          User.Draft(name: "ADA"), onConflict: { $0.name }, updating: { $0.name }, in: database))
      expected.name = "ADA"
      #expect(name == ("updated", expected))
    }
  }

  @Test("a change of letter case is a change, also in a NOCASE column")
  func nocase() async throws {
    try await withUser { database, table, row throws in
      let draft = User.Draft(name: "Ada", mail: "a@b.c", city: "PARIS", visits: 3)
      var expected = row
      expected.city = "PARIS"
      let updated = outcome(
        try await table.upsert(draft, onConflict: { $0.name }, in: database))
      #expect(updated == ("updated", expected))
    }
  }

  @Test("a composite primary key is the conflict target")
  func composite() async throws {
    try await withFile(DatabaseSchema(Setting.self)) { database throws in
      let table = Table<Setting>()
      let (a, b) = (Setting(group: "g", key: "a"), Setting(group: "g", key: "b", value: "v"))
      for row in [a, b] {
        let inserted = outcome(
          try await table.upsert(row, onConflict: { ($0.group, $0.key) }, in: database))
        #expect(inserted == ("inserted", row))
      }
      let changed = Setting(group: "g", key: "b", value: "it's", count: 1)
      let updated = outcome(
        try await table.upsert(changed, onConflict: { ($0.group, $0.key) }, in: database))
      #expect(updated == ("updated", changed))
      #expect(try await table.order { $0.key }.fetchAll(in: database) == [a, changed])
    }
  }

  @Test(
    "a target that is not unique, and a violation of another constraint, throw and change nothing")
  func failures() async throws {
    try await withUser { database, table, row throws in
      let target = try await failure {
        try await table.upsert(User.Draft(name: "Ada"), onConflict: { $0.city }, in: database)
      }
      #expect(
        target.summary
          == "prepare 1 -.- -: ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint"
      )
      let other = try await table.insert(User.Draft(name: "Bob", mail: "bob"), in: database)
      let insert = try await failure {
        try await table.upsert(
          User.Draft(name: "New", mail: "bob"), onConflict: { $0.name }, in: database)
      }
      #expect(insert.summary == "step 2067 user.mail -: UNIQUE constraint failed: user.mail")
      let update = try await failure {
        try await table.upsert(
          User.Draft(name: "Ada", mail: "bob"), onConflict: { $0.name }, in: database)
      }
      #expect(update.summary == "step 2067 user.mail -: UNIQUE constraint failed: user.mail")
      #expect(try await table.order { $0.id }.fetchAll(in: database) == [row, other])
      // Both constraints conflict with the same row.
      let both = outcome(
        try await table.upsert(
          User.Draft(name: "Ada", mail: "a@b.c", city: "Paris", visits: 3),
          onConflict: { $0.name }, in: database))
      #expect(both == ("unchanged", row))
    }
  }

  @Test("a transaction continues after a failed upsert")
  func transaction() async throws {
    try await withUser { database, table, row throws in
      let count = try await database.write { db in
        _ = try? table.upsert(
          User.Draft(name: "New", mail: "a@b.c"), onConflict: { $0.name }, in: db)
        try table.upsert(User.Draft(name: "Newer"), onConflict: { $0.name }, in: db)
        return try table.count(in: db)
      }
      #expect(count == 2)
    }
  }
}
