import Testing

@Suite("Expansion: drafts")
struct DraftExpansionTests {
  /// The lines of an expansion that declare drafts.
  private func drafts(_ source: String) -> [String] {
    expansion(of: source).split(separator: "\n")
      .map { $0.drop { $0 == " " } }
      .filter { $0.contains("Draft") || $0.contains("omitsRowID") }.map(String.init)
  }

  @Test(
    "a draft is Equatable and Hashable exactly if its struct is",
    arguments: [
      ("", ""), (": Equatable", ", Swift.Equatable"),
      (": Identifiable, Hashable", ", Swift.Hashable"),
      (": Swift.Hashable", ", Swift.Hashable"), (": Comparable", ", Swift.Equatable"),
      (": Codable & Hashable, Equatable", ", Swift.Hashable"), (": Codable, Sendable", ""),
    ])
  func comparison(inherited: String, conformance: String) {
    #expect(
      drafts("@Table struct A\(inherited) { let id: Int64; var name: String }")
        == [
          "nonisolated struct Draft: MiniORM._RowDraft\(conformance) {",
          "static var omitsRowID: Bool { true }",
        ])
  }

  @Test("a struct with its own == gives its draft no synthesized ==")
  func ownEquality() {
    let equal = "static func == (a: A, b: A) -> Bool { a.id == b.id }"
    let hash = "func hash(into hasher: inout Hasher) { hasher.combine(id) }"
    #expect(
      drafts("@Table struct A: Hashable { let id: Int64; \(equal); \(hash) }")[0]
        == "nonisolated struct Draft: MiniORM._RowDraft {")
    #expect(
      drafts("@Table struct A: Hashable { let id: Int64; \(hash) }")[0]
        == "nonisolated struct Draft: MiniORM._RowDraft, Swift.Equatable {")
  }

  @Test("if the key's type is only a name, the type itself chooses the draft")
  func namedKey() {
    #expect(
      drafts("@Table struct A { typealias ID = Int64; let id: ID; var name: String }")
        == [
          "nonisolated struct _KeylessDraft: MiniORM._RowDraft {",
          "static var omitsRowID: Bool { true }",
          "typealias Draft = ID._Key._Draft<_KeylessDraft, A>",
        ])
    #expect(
      drafts(
        "@Table public struct A { let id: B.ID; @Column(.default(sql: \"1\")) var n: Int }")
        == [
          "public nonisolated struct _KeylessDraft: MiniORM._RowDraft {",
          "public static var omitsRowID: Bool { true }",
          "public nonisolated struct _KeyedDraft: MiniORM._RowDraft {",
          "public static var omitsRowID: Bool { false }",
          "public typealias Draft = B.ID._Key._Draft<_KeylessDraft, _KeyedDraft>",
        ])
  }

  @Test(
    "a key that the database does not assign is part of the draft",
    arguments: [
      "@Table struct A { let id: UUID; var name: String }",
      "@Table struct A { @Column(.primaryKey, .references(B.self)) let b: B.ID; var name: String }",
      "@Table(options: [.withoutRowID]) struct A { let id: ID; var name: String }",
      "@Table(primaryKey: [\"a\", \"b\"]) struct A { let a: X; let b: X }",
    ])
  func keyed(source: String) {
    #expect(drafts(source) == ["typealias Draft = A"])
  }
}
