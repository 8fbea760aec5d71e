import Testing

@testable import MiniORM

@Table("item")
private struct Item: Identifiable, Equatable {
  let id: Int64
  var read = false
  var starred = false
  var hidden: Bool?
  var number = 0

  static var indexes: [Index<Item>] {
    [
      Index("unread", where: { !$0.read }) { $0.number },
      Index("starred", where: { $0.starred }) { $0.number },
      Index("hidden") { $0.hidden },
    ]
  }
}

private let items = Table<Item>()

/// SQLite does not answer `WHERE "starred"` or `WHERE NOT "read"` by an index.
@Suite("Bool columns as conditions")
struct BooleanConditionTests {
  private static func withItems(_ body: (Database) async throws -> Void) async throws {
    try await withTemporaryDatabase { database in
      try await database.migrate(DatabaseSchema(Item.self))
      try await items.insert(
        contentsOf: (1...12).map { id in
          Item(
            id: id, read: id % 2 == 0, starred: id % 3 == 0,
            hidden: id % 4 == 0 ? nil : id % 4 == 1, number: Int(id))
        }, in: database)
      try await body(database)
    }
  }

  private struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let condition: @Sendable (Item.Columns) -> any SQLCondition
    let index: String
    let ids: [Int64]
  }

  private static let cases = [
    Case(
      testDescription: #"("item"."starred" = 1)"#, condition: { $0.starred }, index: "starred",
      ids: [3, 6, 9, 12]),
    Case(
      testDescription: #"("item"."read" = 0)"#, condition: { !$0.read }, index: "unread",
      ids: [1, 3, 5, 7, 9, 11]),
    Case(
      testDescription: #"("item"."hidden" = 1)"#, condition: { $0.hidden }, index: "hidden",
      ids: [1, 5, 9]),
    Case(
      testDescription: #"("item"."hidden" = 0)"#, condition: { !$0.hidden }, index: "hidden",
      ids: [2, 3, 6, 7, 10, 11]),
  ]

  @Test("a column and a negated column are comparisons, which use indexes", arguments: cases)
  private func plans(_ test: Case) async throws {
    try await Self.withItems { database in
      let selected = items.where(test.condition)
      #expect(selected.sql.text.hasSuffix(" WHERE " + test.testDescription))
      #expect(try await selected.queryPlan(in: database).uses(index: test.index))
      #expect(try await selected.order { $0.id }.fetchAll(in: database).map(\.id) == test.ids)
      // In a join and a change, too.
      let deletion = try await database.read { db in try db.queryPlan(selected.delete().sql) }
      #expect(deletion.uses(index: test.index))
      #expect(try await selected.deleteAll(in: database) == test.ids.count)
    }
  }

  @Test("a compound condition keeps its text")
  func compound() {
    func text(_ condition: (Item.Columns) -> any SQLCondition) -> String {
      condition(Item.columns).sql.text
    }
    #expect(text { $0.read && !$0.starred } == #"("item"."read" AND (NOT "item"."starred"))"#)
    #expect(text { !($0.read || $0.starred) } == #"(NOT ("item"."read" OR "item"."starred"))"#)
    #expect(text { !(!$0.read) } == #"(NOT (NOT "item"."read"))"#)
  }

  @Test("a column with its own representation is not compared with 1")
  func representation() {
    let column = SQLExpression<Bool>(column: "flag", of: "item", as: JSON<Bool>.self)
    #expect(column.condition.sql.text == #""item"."flag""#)
    #expect((!column).condition.sql.text == #"(NOT "item"."flag")"#)
  }

  @Test("an index with the earlier condition is created again by migrate")
  func migration() async throws {
    try await withTemporaryDatabase { database in
      try await database.migrate(DatabaseSchema(Item.self))
      let created = try await Self.indexes(database)
      #expect(created.contains { $0.hasSuffix(#"WHERE ("read" = 0)"#) })
      #expect(created.contains { $0.hasSuffix(#"WHERE ("starred" = 1)"#) })
      try await database.write { db in
        try db.execute(
          script: """
            DROP INDEX starred;
            CREATE INDEX starred ON item (number) WHERE ("starred");
            """)
      }
      try await database.migrate(DatabaseSchema(version: 2, Item.self))
      #expect(try await Self.indexes(database) == created)
    }
  }

  private static func indexes(_ database: Database) async throws -> Set<String> {
    try await database.read { db in
      Set(try db.query(String.self, "SELECT sql FROM sqlite_schema WHERE type = 'index'"))
    }
  }
}
