import Testing

@testable import MiniORM

@Table("human", columns: .snakeCase)
private struct Human: Equatable {
  let id: Int64
  var name: String
}

@Table("parenthood", columns: .snakeCase)
private struct Parenthood {
  let id: Int64
  @Column(.references(Human.self)) var parentID: Int64
  @Column(.references(Human.self)) var childID: Int64
}

@Table("friendship", columns: .snakeCase)
private struct Friendship {
  let id: Int64
  @Column(.references(Human.self)) var oneID: Int64?
  @Column(.references(Human.self)) var otherID: Int64?
}

private let (humans, parenthoods, friendships) = (
  Table<Human>(), Table<Parenthood>(), Table<Friendship>()
)

@Suite("Related rows within a table, through a link table")
struct AssignedRowsTests {
  private func withHumans(_ body: (Database) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(Human.self, Parenthood.self, Friendship.self)) {
      database throws in
      try await humans.insert(
        contentsOf: ["Ada", "Bea", "Cy", "Di"].enumerated().map {
          Human(id: Int64($0) + 1, name: $1)
        }, in: database)
      try await parenthoods.insert(
        contentsOf: [(1, 3), (1, 4), (2, 3), (3, 4)].map {
          Parenthood.Draft(parentID: $0, childID: $1)
        }, in: database)
      try await friendships.insert(
        contentsOf: [(1, 2), (nil, 2), (1, nil)].map { Friendship.Draft(oneID: $0, otherID: $1) },
        in: database)
      try await body(database)
    }
  }

  @Test("parents with children and children with parents, in two statements each")
  func withinOneTable() async throws {
    try await withHumans { database in
      let children = humans.order { $0.id }.including(
        humans.order { $0.name.descending }, through: parenthoods, from: { $0.parentID },
        to: { $0.childID })
      let rows = try await children.fetchAll(in: database)
      #expect(rows.map(\.0.name) == ["Ada", "Bea", "Cy", "Di"])
      #expect(rows.map { $0.1.map(\.name) } == [["Di", "Cy"], ["Cy"], ["Di"], []])
      #expect(try await database.statementCount { _ = try children.fetchAll(in: $0) } == 2)
      let both = try await humans.where { $0.name != "Bea" }.order { $0.id }
        .including(
          humans.order { $0.id }.limit(1), through: parenthoods, from: { $0.parentID },
          to: { $0.childID }
        )
        .including(
          humans.order { $0.id }, through: parenthoods, from: { $0.childID }, to: { $0.parentID }
        ).fetchAll(in: database)
      #expect(both.map { $0.1.map(\.name) } == [["Cy"], ["Di"], []])
      #expect(both.map { $0.2.map(\.name) } == [[], ["Ada", "Bea"], ["Ada", "Cy"]])
    }
  }

  @Test("NULL in a link column relates no rows")
  func optional() async throws {
    try await withHumans { database in
      let rows = try await humans.order { $0.id }.including(
        humans.where { $0.id > 0 }, through: friendships, from: { $0.oneID }, to: { $0.otherID }
      ).fetchAll(in: database)
      #expect(rows.map { $0.1.map(\.name) } == [["Bea"], [], [], []])
    }
  }

  @Test("without columns, the error says how to name them")
  func ambiguous() async throws {
    try await withHumans { database in
      let error = try await failure {
        try await humans.including(humans, through: parenthoods).fetchAll(in: database)
      }
      #expect(
        error.message
          == "There are 2 foreign keys from parenthood to human: name the column, as in "
          + "including(others, through: links, from: { $0.ownID }, to: { $0.otherID })")
    }
  }
}
