import Foundation
import Testing

@testable import MiniORM

@Table private struct Guest: Identifiable, Equatable {
  let id: Int64
  var name: String
  var phone: String?
  @Column(as: .json) var tags: [String] = []
  @Column(.default(.now)) var added: Date
  @Column(.generated("upper(name)")) var label: String
}

@Table(primaryKey: ["city", "number"]) private struct Room: Equatable {
  var city: String
  var number: Int
  var beds = 1
}

@Suite("Updates to the values of a draft")
struct DraftUpdateTests {
  @Test("a draft of a row stores the edited values, and the row keeps its key and its defaults")
  func draft() async throws {
    try await withFile(DatabaseSchema(Guest.self)) { database throws in
      let ada = try await Guest.insert(.init(name: "Ada", phone: "1"), in: database)
      let bea = try await Guest.insert(.init(name: "Bea"), in: database)
      var draft = Guest.Draft(ada)
      (draft.name, draft.phone, draft.tags) = ("Ann", nil, ["x"])
      let isThere = try await Guest.all.update(ada.id, to: draft, in: database)
      let new = Guest.Draft(name: "Amy")
      let isThereToo = try await database.write { db in
        try Guest.all.update(bea.id, to: new, in: db)
      }
      #expect(isThere && isThereToo)
      let rows = try await Guest.all.order { $0.id }.fetchAll(in: database)
      #expect(rows.map(\.name) == ["Ann", "Amy"] && rows.map(\.label) == ["ANN", "AMY"])
      #expect(rows.map(\.phone) == [nil, nil] && rows.map(\.tags) == [["x"], []])
      #expect(rows.map(\.added) == [ada.added, bea.added])
    }
  }

  @Test("a missing row, and a row that is not selected, stay as they are")
  func missing() async throws {
    try await withFile(DatabaseSchema(Guest.self)) { database throws in
      let ada = try await Guest.insert(.init(name: "Ada"), in: database)
      let draft = Guest.Draft(name: "Ann")
      for (table, key) in [(Guest.all, ada.id + 1), (Guest.where { $0.name == "x" }, ada.id)] {
        let isThere = try await table.update(key, to: draft, in: database)
        #expect(!isThere)
      }
      let stored = try await Guest.find(ada.id, in: database)
      #expect(stored == ada)
    }
  }

  @Test("a model that is its own draft needs the same key")
  func ownDraft() async throws {
    try await withFile(DatabaseSchema(Room.self)) { database throws in
      try await Room.insert(Room(city: "Reims", number: 1), in: database)
      let large = Room(city: "Reims", number: 1, beds: 3)
      let isThere = try await Room.all.update(("Reims", 1), to: large, in: database)
      #expect(isThere)
      let error = try await failure {
        try await Room.all.update(("Reims", 2), to: large, in: database)
      }
      #expect(
        error.message
          == "update(_:to:) takes the key of the row and a draft with the same key, but Room.number differs: update the key with update { … }"
      )
      let rooms = try await Room.all.fetchAll(in: database)
      #expect(rooms == [large])
    }
  }

  @Test("a violated constraint changes nothing")
  func violation() async throws {
    try await withFile(DatabaseSchema(Guest.self)) { database throws in
      let ada = try await Guest.insert(.init(name: "Ada"), in: database)
      try await database.write { try $0.execute("CREATE UNIQUE INDEX names ON Guest(name)") }
      try await Guest.insert(.init(name: "Bea"), in: database)
      let error = try await failure {
        try await Guest.all.update(ada.id, to: .init(name: "Bea"), in: database)
      }
      #expect(error.code == .constraintUnique)
      let stored = try await Guest.find(ada.id, in: database)
      #expect(stored == ada)
    }
  }
}
