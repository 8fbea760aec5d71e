import Foundation
import Testing

@testable import MiniORM

@Table private struct Contact: Identifiable, Equatable {
  var id: UUID = .v7()
  var name: String
  var phone: String?
  @Column(as: .json) var tags: [String] = []
  @Column("mail_address") var mail: String?
}

@Suite("Updates of the differing columns")
struct DifferingColumnTests {
  private func withContact(_ body: (Database, Contact) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(Contact.self)) { database throws in
      try await body(database, try await Contact.insert(.init(name: "Ada"), in: database))
    }
  }

  @Test("only the differing columns are written, and other columns keep newer values")
  func columns() async throws {
    try await withContact { database, contact in
      try await Contact.all.update { $0.phone = "1" }.run(in: database)
      var edited = contact
      (edited.name, edited.tags) = ("Bea", ["x"])
      let isThere = try await Contact.all.update(edited, from: contact, in: database)
      #expect(isThere)
      let stored = try await Contact.find(contact.id, in: database)
      edited.phone = "1"
      #expect(stored == edited)
      var cleared = edited
      cleared.phone = nil
      let isUpdated = try await database.write { [cleared, edited] db in
        try Contact.all.update(cleared, from: edited, in: db)
      }
      #expect(isUpdated)
      let phones = try await Contact.all.select { $0.phone }.fetchAll(in: database)
      #expect(phones == [nil])
    }
  }

  @Test("equal versions write nothing, and tell whether the row exists")
  func equal() async throws {
    try await withContact { database, contact in
      let (isEqual, changes) = try await database.write { db in
        (
          try Contact.all.update(contact, from: contact, in: db),
          try db.value(Int.self, "SELECT changes()")
        )
      }
      #expect(isEqual && changes == 1)
      try await Contact.all.delete(contact, in: database)
      var edited = contact
      edited.name = "Bea"
      let same = try await Contact.all.update(contact, from: contact, in: database)
      let different = try await Contact.all.update(edited, from: contact, in: database)
      #expect(!same && !different)
    }
  }

  @Test("a selection limits the update")
  func selection() async throws {
    try await withContact { database, contact in
      var edited = contact
      edited.name = "Bea"
      for table in [Contact.where { $0.phone == "1" }, Contact.all.limit(0)] {
        let isThere = try await table.update(edited, from: contact, in: database)
        #expect(!isThere)
      }
      let isThere = try await Contact.where { $0.phone == nil }.update(
        edited, from: contact, in: database)
      #expect(isThere)
    }
  }

  @Test("two rows instead of two versions are refused")
  func otherKey() async throws {
    try await withContact { database, contact in
      let other = Contact(name: "Bea")
      let error = try await failure {
        try await Contact.all.update(other, from: contact, in: database)
      }
      #expect(
        error.message
          == "update(_:from:) takes two versions of one row, but Contact.id differs: update the key with update { … }"
      )
    }
  }

  @Test("a row change names the assigned columns, and observers of other columns sleep")
  func observation() async throws {
    try await withContact { database, contact in
      var changes = database.changes().makeAsyncIterator()
      let names = try await ObservedQuery(in: database) { db in
        "\(try Contact.all.select { $0.name }.fetchAll(in: db))"
      }
      let phones = try await ObservedQuery(in: database) { db in
        "\(try Contact.all.select { $0.phone }.fetchAll(in: db))"
      }
      var edited = contact
      (edited.phone, edited.mail) = ("1", "a@b")
      try await Contact.all.update(edited, from: contact, in: database)
      let change = await changes.next()?.tables.flatMap(\.rows)
      #expect(change?.map(\.columns) == [["mail_address", "phone"]])
      #expect(change?.map(\.kind) == [.update])
      let (isNameRead, isPhoneRead) = (names.isChanged, phones.isChanged)
      #expect(!isNameRead && isPhoneRead)
      try await database.write { [edited] db in
        try Contact.insert(.init(name: "Cid"), in: db)
        try Contact.all.update(edited, in: db)
        try db.execute("UPDATE Contact SET name = 'x'")
        try db.execute("DELETE FROM Contact WHERE rowid = 2")
      }
      let all = await changes.next()?.tables.flatMap(\.rows)
      let own = ["mail_address", "name", "phone", "tags"]
      #expect(all?.map(\.columns) == [[], own, ["name"], ["name"], []])
    }
  }
}
