import Foundation
import Testing

@testable import MiniORM

@Table private struct Note: Identifiable, Equatable {
  var id: UUID = .v7()
  var text: String
}

@Table private struct WikiPage: Identifiable, Equatable {
  @Column(as: .uuidBytes) var id: UUID = .v7()
  var text: String
  @Column(.references(WikiPage.self), as: .uuidBytes) var parentID: UUID?
}

@Table private struct Client: Identifiable, Equatable {
  struct ID: RawRepresentable, ColumnValue, Hashable { var rawValue: Int64 }
  let id: ID
  var name: String
}

private struct Tagged<Tag, RawValue: Sendable>: RawRepresentable {
  var rawValue: RawValue
}
extension Tagged: Sendable {}
extension Tagged: Equatable where RawValue: Equatable {}
extension Tagged: SQLComparable where RawValue: ColumnValue {}
extension Tagged: ColumnValue where RawValue: ColumnValue {}

@Table private struct Invoice: Equatable {
  let id: Tagged<Invoice, Int64>
  @Column(.references(Client.self)) var clientID: Client.ID
}

private enum Role: Int, ColumnValue { case reader, writer }

@Table private struct Right: Equatable {
  let id: Role
  var name: String
}

@Suite("Keys that the app or the database assigns")
struct AssignedKeyTests {
  @Test("UUIDs of version 7 have the version and the variant, and ascend within the process")
  func version7() async throws {
    let before = UInt64(Date().timeIntervalSince1970 * 1_000)
    let lists = await withTaskGroup(of: [UUID].self) { group in
      for _ in 0..<4 { group.addTask { (0..<20_000).map { _ in UUID.v7() } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for list in lists {
      let texts = list.map(\.uuidString)
      #expect(texts == texts.sorted())
    }
    let all = lists.flatMap { $0 }
    #expect(Set(all).count == 80_000)
    #expect(all.allSatisfy { $0.uuid.6 >> 4 == 7 && $0.uuid.8 >> 6 == 2 })
    let first = try #require(all.min { $0.uuidString < $1.uuidString }).uuid
    let bytes = [first.0, first.1, first.2, first.3, first.4, first.5]
    let time = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    #expect(time >= before && time < before + 60_000)
  }

  @Test("a draft generates its UUID, as text or as bytes")
  func drafts() async throws {
    try await withFile(DatabaseSchema(Note.self, WikiPage.self)) { database throws in
      let first = try await Note.insert(.init(text: "a"), in: database)
      let second = try await Note.insert(.init(text: "b"), in: database)
      let sorted = try await Note.all.order { $0.id }.fetchAll(in: database)
      #expect(sorted == [first, second])
      let found = try await Note.find(second.id, in: database)
      #expect(found == second)
      let page = try await WikiPage.insert(.init(text: "a"), in: database)
      let child = try await WikiPage.insert(.init(text: "b", parentID: page.id), in: database)
      let pages = try await WikiPage.all.order { $0.id }.including(
        WikiPage.all, on: { $0.parentID }
      )
      .fetchAll(in: database)
      #expect(pages.map(\.0) == [page, child])
      #expect(pages.map(\.1) == [[child], []])
      let types = try await database.values("SELECT DISTINCT typeof(id) FROM WikiPage")
      #expect(types == [.text("blob")])
      // The default is no DEFAULT of the column, which would be one value for all rows.
      let sql = try await database.values("SELECT sql FROM sqlite_schema WHERE name = 'Note'")
      #expect(!"\(sql)".contains("DEFAULT"))
    }
  }

  @Test("the database assigns a key whose type wraps an Int64")
  func wrapped() async throws {
    try await withFile(DatabaseSchema(Client.self, Invoice.self)) { database throws in
      let client = try await Client.insert(.init(name: "Ada"), in: database)
      #expect(client == Client(id: .init(rawValue: 1), name: "Ada"))
      let invoice = try await Invoice.insert(.init(clientID: client.id), in: database)
      #expect(invoice.id.rawValue == 1)
      let found = try await Invoice.find(.init(rawValue: 1), in: database)
      #expect(found == invoice)
      let copy = try await Client.insert(Client.Draft(client), in: database)
      #expect(copy.id.rawValue == 2)
    }
  }

  @Test("the database does not assign a case of an enumeration")
  func enumeration() async throws {
    try await withFile(DatabaseSchema(Right.self)) { database throws in
      let right = try await Right.insert(.init(id: .writer, name: "write"), in: database)
      #expect(right == Right(id: .writer, name: "write"))
    }
  }
}
