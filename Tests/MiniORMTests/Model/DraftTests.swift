import Testing

@testable import MiniORM

typealias RowNumber = Int64

struct Tag: ColumnValue, Equatable {
  var text: String
  static var columnType: ColumnType { .text }
  init(_ text: String) { self.text = text }
  init(cell: borrowing Cell) throws(DatabaseError) { text = try String(cell: cell) }
  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try text.bind(to: parameter)
  }
}

@Table("inner_alias") private struct InnerAlias: Identifiable, Hashable {
  typealias ID = Int64
  let id: ID
  var name: String
  var size = 1
}
@Table("outer_alias") private struct OuterAlias: Equatable {
  @Column(.primaryKey(autoincrement: true)) let key: RowNumber
  @Column(.default(sql: "'new'")) var state: String
}
@Table("other_id") private struct OtherID: Equatable {
  let id: InnerAlias.ID
  var name: String
}
@Table("tagged") private struct Tagged: Equatable {
  let id: Tag
  @Column(.default(sql: "'new'")) var state: String
}
@Table("detail") private struct Detail: Equatable {
  @Column(.primaryKey, .references(InnerAlias.self)) var innerID: InnerAlias.ID
  var text: String
}
/// A type whose properties are not Equatable defines its own equality.
@Table("own_equality") private struct OwnEquality: Equatable {
  struct Content: Codable { var a = 1 }
  let id: Int64
  @Column(as: .json) var content: Content
  static func == (left: Self, right: Self) -> Bool { left.id == right.id }
}
@Table("by_extension") private struct ByExtension {
  let id: Int64
  var name: String
}
extension ByExtension: Equatable {}
extension ByExtension.Draft: Equatable {}

@Suite("Drafts")
struct DraftTests {
  @Test("a key with a type alias of an integer is a rowid alias")
  func typealiases() async throws {
    let schema = DatabaseSchema(
      InnerAlias.self, OuterAlias.self, OtherID.self, Tagged.self, Detail.self)
    try await withFile(schema) { database throws in
      #expect(InnerAlias.schema.hasRowIDKey && InnerAlias.Draft.omitsRowID)
      #expect(OuterAlias.schema.hasRowIDKey && OuterAlias.Draft.omitsRowID)
      #expect(OtherID.schema.hasRowIDKey && OtherID.Draft.omitsRowID)
      #expect(
        try await Table<InnerAlias>().insert(InnerAlias.Draft(name: "a"), in: database)
          == InnerAlias(id: 1, name: "a"))
      #expect(
        try await Table<OuterAlias>().insert(OuterAlias.Draft(), in: database)
          == OuterAlias(key: 1, state: "new"))
      let rows = [OtherID.Draft(name: "a"), OtherID.Draft(name: "b")]
      try await Table<OtherID>().insert(contentsOf: rows, in: database)
      #expect(
        try await Table<OtherID>().fetchAll(in: database)
          == [OtherID(id: 1, name: "a"), OtherID(id: 2, name: "b")])
    }
  }

  @Test("keys of other types, and keys that reference another row, are part of the draft")
  func keyed() async throws {
    let schema = DatabaseSchema(
      InnerAlias.self, OuterAlias.self, OtherID.self, Tagged.self, Detail.self)
    try await withFile(schema) { database throws in
      #expect(!Tagged.schema.hasRowIDKey && !Tagged.Draft.omitsRowID)
      #expect(
        try await Table<Tagged>().insert(Tagged.Draft(id: Tag("x")), in: database)
          == Tagged(id: Tag("x"), state: "new"))
      let inner = try await Table<InnerAlias>().insert(InnerAlias.Draft(name: "a"), in: database)
      let detail: Detail = Detail.Draft(innerID: inner.id, text: "t")
      #expect(try await Table<Detail>().insert(detail, in: database) == detail)
    }
  }

  @Test("a draft is Equatable and Hashable if its model is")
  func comparison() {
    let a = InnerAlias.Draft(name: "a")
    #expect(a == InnerAlias.Draft(name: "a") && a != InnerAlias.Draft(name: "a", size: 2))
    #expect(Set([a, a, InnerAlias.Draft(name: "b")]).count == 2)
    #expect(OuterAlias.Draft(state: "x") != OuterAlias.Draft())
    #expect(ByExtension.Draft(name: "a") == ByExtension.Draft(name: "a"))
    #expect(!(OwnEquality.Draft.self is any Equatable.Type))
    #expect(!(OuterAlias.Draft.self is any Hashable.Type))
  }
}
