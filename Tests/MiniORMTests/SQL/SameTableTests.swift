import Testing

@testable import MiniORM

@Table("reminder")
private struct Reminder: Equatable, Identifiable {
  let id: Int64
  var listID: Int64
  @Column(.unique) var title: String
  var rank = 0
}

private let reminders = Table<Reminder>()

/// The newest reminder of a list: a subquery on the outer query's table.
private func newest(_ list: MiniORM.SQLExpression<Int64>) -> MiniORM.SQLExpression<Int64?> {
  reminders.where { $0.listID == list }.select { $0.id.max() }.scalar()
}
private let newestSQL = """
  (SELECT max("reminder_2"."id") FROM "reminder" AS "reminder_2" \
  WHERE ("reminder_2"."listID" = "reminder"."listID"))
  """

private func withReminders(_ body: (Database) async throws -> Void) async throws {
  try await withFile(DatabaseSchema(Reminder.self)) { database throws in
    try await reminders.insert(
      contentsOf: (1...10).map { id in
        Reminder(
          id: id, listID: id < 9 ? (id < 6 ? 1 : 2) : 3, title: "t\(id)", rank: Int(11 - id))
      }, in: database)
    try await body(database)
  }
}

/// A subquery on the outer query's table. SQLite resolves unqualified names to the inner table, so
/// each public method with a closure of columns is tested.
@Suite("Queries of a table inside a query of the same table")
struct SameTableTests {
  @Test("the inner table gets its own name")
  func sql() {
    let query = reminders.where { newest($0.listID) == $0.id.optional }
    #expect(
      query.sql.text.hasSuffix("FROM \"reminder\" WHERE (\(newestSQL) IS \"reminder\".\"id\")"))
    // An uncorrelated subquery, made outside the closure, needs no alias.
    let first = reminders.where { $0.rank == 1 }.select { $0.id }
    #expect(
      reminders.where { $0.id.isIn(first) }.sql.text.hasSuffix(
        """
        FROM "reminder" WHERE ("reminder"."id" IN (SELECT "reminder"."id" FROM "reminder" \
        WHERE ("reminder"."rank" = ?)))
        """))
  }

  @Test("Table: where, order, find, limit, distinct")
  func tables() async throws {
    try await withReminders { database throws in
      let newestOnes = reminders.where { newest($0.listID) == $0.id.optional }
      #expect(try await newestOnes.order { $0.id }.fetchAll(in: database).map(\.id) == [5, 8, 10])
      #expect(
        try await reminders.order { (newest($0.listID).descending, $0.id) }.fetchAll(in: database)
          .map(\.id) == [9, 10, 6, 7, 8, 1, 2, 3, 4, 5])
      #expect(
        try await reminders.order { newest($0.listID).descending }.order { $0.id.descending }
          .fetchAll(in: database).map(\.id) == [10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
      #expect(try await newestOnes.find(8, in: database)?.title == "t8")
      #expect(try await newestOnes.find(7, in: database) == nil)
      #expect(try await newestOnes.limit(1, offset: 1).fetchOne(in: database)?.id == 8)
      #expect(try await newestOnes.distinct().count(in: database) == 3)
      #expect(try await newestOnes.exists(in: database))
    }
  }

  @Test("Table: min, max, sum and average of an expression")
  func aggregates() async throws {
    try await withReminders { database throws in
      #expect(try await reminders.min(of: { newest($0.listID) }, in: database) == 5)
      #expect(try await reminders.max(of: { newest($0.listID) }, in: database) == 10)
      #expect(try await reminders.sum(of: { newest($0.listID) }, in: database) == 25 + 24 + 20)
      #expect(try await reminders.average(of: { newest($0.listID) }, in: database) == 6.9)
    }
  }

  @Test("From: where, order, group, having, select, window")
  func from() async throws {
    try await withReminders { database throws in
      let groups = reminders.group { newest($0.listID) }.select {
        (newest($0.listID), $0.id.count())
      }
      .order { first, _ in first }
      let counted = try await groups.fetchAll(in: database)
      #expect(counted.map(\.0) == [5, 8, 10])
      #expect(counted.map(\.1) == [5, 3, 2])
      #expect(
        try await reminders.group { ($0.listID, newest($0.listID)) }.having {
          newest($0.listID) > 5
        }
        .select { $0.listID }.order { $0 }.fetchAll(in: database) == [2, 3])
      #expect(
        try await reminders.window("w") {
          WindowDefinition(partitionBy: newest($0.listID), orderBy: $0.id)
        }
        .select { ($0.id, SQL.rowNumber().over("w")) }.order { id, _ in id }
        .fetchAll(in: database).map(\.1) == [1, 2, 3, 4, 5, 1, 2, 3, 1, 2])
      #expect(
        try await reminders.select { newest($0.listID) }.distinct().order { $0 }.fetchAll(
          in: database)
          == [5, 8, 10])
      let pairs = reminders.select { ($0.id, newest($0.listID)) }.order { id, _ in id }.limit(1)
      let first = try await pairs.fetchAll(in: database)
      #expect(first.map(\.1) == [5])
    }
  }

  @Test("joins: the condition, and clauses after it")
  func joins() async throws {
    try await withReminders { database throws in
      let other = reminders.alias("other")
      let pairs = reminders.join(other) { mine, other in newest(mine.listID) == other.id.optional }
      #expect(
        try await pairs.order { mine, _ in mine.id }.select { _, other in other.id }
          .fetchAll(in: database) == [5, 5, 5, 5, 5, 8, 8, 8, 10, 10])
      #expect(
        try await pairs.order { mine, other in (newest(mine.listID).descending, mine.id) }
          .select { mine, _ in mine.id }.fetchAll(in: database) == [9, 10, 6, 7, 8, 1, 2, 3, 4, 5])
      #expect(
        try await pairs.where { mine, other in newest(mine.listID) == mine.id.optional }
          .select { $1.id }.order { $0 }.fetchAll(in: database) == [5, 8, 10])
      let third = reminders.alias("third")
      #expect(
        try await pairs.join(third) { mine, _, third in
          newest(mine.listID) == third.id.optional && third.id == mine.id
        }.count(in: database) == 3)
      let left = reminders.leftJoin(other) { mine, other in newest(mine.listID) == other.id.optional
      }
      #expect(try await left.count(in: database) == 10)
      let right = reminders.rightJoin(other) { mine, other in
        newest(other.listID) == mine.id.optional
      }
      #expect(try await right.count(in: database) == 10)
      let full = reminders.fullJoin(other) { mine, other in newest(mine.listID) == other.id.optional
      }
      .where { mine, _ in mine.id != nil }
      #expect(try await full.count(in: database) == 10)
    }
  }

  @Test("a join inside a query of one of its tables")
  func joinWithin() async throws {
    try await withReminders { database throws in
      let other = reminders.alias("other")
      let found = reminders.where { r in
        reminders.join(other) { mine, other in mine.listID == other.listID && mine.id < other.id }
          .where { mine, other in mine.id == r.id && other.rank <= r.rank }.exists()
      }
      // Every row except the last of its list has a later row with a lower rank.
      #expect(
        try await found.order { $0.id }.fetchAll(in: database).map(\.id) == [1, 2, 3, 4, 6, 7, 9])
    }
  }

  @Test("deeply nested queries, also built beforehand")
  func depth() async throws {
    try await withReminders { database throws in
      // Rows with at least two later rows in their list: three nested queries on a single table.
      let early = reminders.where { a in
        reminders.where { b in
          b.listID == a.listID && b.id > a.id
            && reminders.where { c in c.listID == a.listID && c.id > b.id }.exists()
        }.exists()
      }
      #expect(
        try await early.order { $0.id }.fetchAll(in: database).map(\.id) == [1, 2, 3, 6])
      // A query with its own subquery, used inside a closure whose row has the same name.
      let withSuccessor = reminders.where { r in
        reminders.where { $0.listID == r.listID && $0.id == r.id + 1 }.exists()
      }
      let query = reminders.where { r in
        withSuccessor.where { $0.id == r.id - 1 && $0.listID == r.listID }.exists()
      }
      #expect(
        try await query.order { $0.id }.fetchAll(in: database).map(\.id) == [2, 3, 4, 5, 7, 8, 10])
      #expect(
        query.sql.text.hasSuffix(
          """
          WHERE EXISTS (SELECT "reminder_3"."id", "reminder_3"."listID", "reminder_3"."title", \
          "reminder_3"."rank" FROM "reminder" AS "reminder_3" WHERE EXISTS (SELECT \
          "reminder_2"."id", "reminder_2"."listID", "reminder_2"."title", "reminder_2"."rank" FROM \
          "reminder" AS "reminder_2" WHERE (("reminder_2"."listID" = "reminder_3"."listID") AND \
          ("reminder_2"."id" = ("reminder_3"."id" + ?)))) AND (("reminder_3"."id" = \
          ("reminder"."id" - ?)) AND ("reminder_3"."listID" = "reminder"."listID")))
          """.replacing(
            """
            EXISTS (SELECT "reminder_3"."id", "reminder_3"."listID", "reminder_3"."title", \
            "reminder_3"."rank" FROM
            """, with: "EXISTS (SELECT 1 FROM"
          ).replacing(
            """
            EXISTS (SELECT "reminder_2"."id", "reminder_2"."listID", "reminder_2"."title", \
            "reminder_2"."rank" FROM
            """, with: "EXISTS (SELECT 1 FROM")))
    }
  }

  @Test("update, update from, insert, onConflict, returning and delete")
  func changes() async throws {
    try await withReminders { database throws in
      try await reminders.update { row in
        row.rank = reminders.where { $0.id > row.id }.select { $0.id.count() }.scalar() ?? -1
      }.run(in: database)
      #expect(
        try await reminders.order { $0.id }.fetchAll(in: database).map(\.rank)
          == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
      let other = reminders.alias("other")
      try await reminders.update(
        from: other, on: { mine, other in newest(mine.listID) == other.id.optional }
      ) { mine, other in mine.title = other.title.appending("/").appending(mine.title) }
      .run(in: database)
      #expect(try await reminders.find(6, in: database)?.title == "t8/t6")
      let insertion = reminders.insert(Reminder.Draft(listID: 3, title: "t8/t6", rank: 1))
        .onConflict({ $0.title }) { row, _ in
          row.rank = reminders.where { $0.id <= row.id }.select { $0.id.count() }.scalar() ?? -1
        } where: { row, _ in
          reminders.where { $0.id == row.id }.exists()
        }
      let added = try await insertion.returning { row in
        (row.rank, reminders.where { $0.id < row.id }.select { $0.id.count() }.scalar())
      }.fetchAll(in: database)
      #expect(added.map(\.0) == [6])
      #expect(added.map(\.1) == [5])
      let gone = try await reminders.where { newest($0.listID) == $0.id.optional }.delete()
        .returning { $0.id }.fetchAll(in: database)
      #expect(gone.sorted() == [5, 8, 10])
      #expect(
        try await reminders.where { newest($0.listID) == $0.id.optional }.deleteAll(in: database)
          == 3)
    }
  }

  @Test("compounds, common table expressions, subqueries in FROM, views and related rows")
  func others() async throws {
    try await withReminders { database throws in
      let ends = reminders.where { newest($0.listID) == $0.id.optional }
        .union(reminders.where { $0.id == 1 })
      #expect(try await ends.order { $0.id }.fetchAll(in: database).map(\.id) == [1, 5, 8, 10])
      let table = CommonTableExpression(
        "newest", as: reminders.where { newest($0.listID) == $0.id.optional })
      let found = table.where { t in !table.where { $0.id > t.id }.exists() }
      #expect(try await found.fetchAll(in: database).map(\.id) == [10])
      let alias = reminders.alias("a")
      let least = alias.where { a in !alias.where { $0.id < a.id }.exists() }
      #expect(try await least.fetchAll(in: database).map(\.id) == [1])
      let view = DatabaseView("ends", as: reminders.where { newest($0.listID) == $0.id.optional })
      try await database.write { db in
        for object in try view.definitions { try db.execute(script: object.sql) }
      }
      #expect(
        try await view.where { v in !view.where { $0.id < v.id }.exists() }.fetchAll(in: database)
          .map(\.id) == [5])
      let other = view.where { $0.id > 5 }.alias("v")
      #expect(
        try await other.where { v in !other.where { $0.id < v.id }.exists() }.fetchAll(in: database)
          .map(\.id) == [8])
    }
  }

  @Test("where after select, and SELECT without FROM")
  func selected() async throws {
    try await withReminders { database throws in
      let models = reminders.select { $0 }.limit(9)
      #expect(
        try await models.where { r in !models.where { $0.id > r.id }.exists() }
          .fetchAll(in: database).map(\.id) == [9])
      let ids = reminders.select { $0.id * 2 }
      #expect(
        try await ids.where { id in !ids.where { $0 > id }.exists() }.fetchAll(in: database)
          == [20])
      #expect(
        try await models.where { r in
          models.alias("m").join(reminders) { $0.id == $1.id && $0.id < r.id }.exists()
        }
        .count(in: database) == 8)
      #expect(
        try await reminders.select { r in SQL.select { r.id }.scalar() }.where { $0 > 8 }.order {
          $0
        }
        .fetchAll(in: database) == [9, 10])
    }
  }

  @Test("a prepared query, a full-text search and boxes within the same table")
  func prepared() async throws {
    try await withReminders { database throws in
      let after = PreparedQuery(Int64.self) { id in
        reminders.where { r in
          r.id > id && !reminders.where { $0.listID == r.listID && $0.id > r.id }.exists()
        }.order { $0.id }
      }
      #expect(try await after.fetchAll(5, in: database).map(\.id) == [8, 10])
    }
    try await withArticles { database throws in
      let found = articles.matching(articleText, "wine").where { a in
        articles.matching(articleText, "wine").where { $0.id > a.id }.exists()
      }
      #expect(try await found.order { $0.id }.fetchAll(in: database).map(\.id) == [1, 2])
      try await leaflets.insert(
        contentsOf: [Leaflet(title: "a", body: "search"), Leaflet(title: "b", body: "search")],
        in: database)
      let text = leaflets.matching(leafletText, "search")
      let first = text.where { a in !text.where { $0.title < a.title }.exists() }
      #expect(try await first.fetchAll(in: database).map(\.title) == ["a"])
    }
  }
}
