import Foundation
import Testing

@testable import MiniORM

@Table("member")
private struct Member: Equatable {
  let id: Int64
  var mail: String
  @Column(.unique) var name: String
  var visits = 0
  var isActive = true

  static var indexes: [Index<Member>] {
    [
      Index("active_mail", unique: true, where: { $0.isActive }) { $0.mail },
      Index("lower_name", unique: true) { $0.name.lower() },
      Index("mail_visits", unique: true) { ($0.mail, $0.visits) },
      Index("idle_mail", unique: true, where: { !$0.isActive }) { $0.mail },
    ]
  }
}

@Suite("Conflicts")
struct ConflictTests {
  private let members = Table<Member>()
  private let head =
    #"INSERT INTO "member" ("mail", "name", "visits", "isActive") VALUES (?, ?, ?, ?)"#

  private func withMembers(_ body: (Database) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(Member.self)) { database throws in
      try await members.insert(
        contentsOf: [
          Member(id: 1, mail: "a@x", name: "Ada", visits: 5),
          Member(id: 2, mail: "b@x", name: "Bob", visits: 2, isActive: false),
        ], in: database)
      try await body(database)
    }
  }

  private func rows(_ database: Database) async throws -> [String] {
    try await members.order { $0.id }.fetchAll(in: database).map {
      "\($0.id) \($0.mail) \($0.name) \($0.visits) \($0.isActive)"
    }
  }

  @Test("DO NOTHING for one column, for several columns, and for every conflict")
  func nothing() async throws {
    try await withMembers { database throws in
      let row = Member.Draft(mail: "n@x", name: "Ada")
      let values: [DatabaseValue] = [.text("n@x"), .text("Ada"), .integer(0), .integer(1)]
      try await expect(
        members.insert(row).onConflictDoNothing { $0.name },
        head + #" ON CONFLICT ("name") DO NOTHING"#, values, changes: 0, in: database)
      try await expect(
        members.insert(row).onConflictDoNothing(), head + " ON CONFLICT DO NOTHING", values,
        changes: 0, in: database)
      let pair = members.insert(Member.Draft(mail: "a@x", name: "New", visits: 5))
        .onConflictDoNothing { ($0.mail, $0.visits) }
      #expect(pair.sql.text == head + #" ON CONFLICT ("mail", "visits") DO NOTHING"#)
      #expect(try await pair.returning().fetchAll(in: database) == [])
      let other = try await failure {
        try await members.insert(row).onConflictDoNothing { ($0.mail, $0.visits) }
          .run(in: database)
      }
      #expect(other.summary == "step 2067 -.- -: UNIQUE constraint failed: index 'lower_name'")
      #expect(
        try await rows(database) == ["1 a@x Ada 5 true", "2 b@x Bob 2 false"])
    }
  }

  @Test("DO UPDATE reads the existing row and the proposed row")
  func update() async throws {
    try await withMembers { database throws in
      let upsert = members.insert(contentsOf: [
        Member.Draft(mail: "n@x", name: "Ada", visits: 10),
        Member.Draft(mail: "m@x", name: "Cid", visits: 1),
        Member.Draft(mail: "o@x", name: "Bob", visits: 1),
      ])
      .onConflict {
        $0.name
      } update: { row, new in
        row.visits += new.visits
        row.mail = row.mail.appending(new.mail)
        row.isActive = true
      } where: { row, new in
        row.visits > 2
      }
      let more = ", (?, ?, ?, ?), (?, ?, ?, ?)"
      #expect(
        upsert.sql.text
          == head + more + #" ON CONFLICT ("name") DO UPDATE SET "#
          + #""visits" = ("member"."visits" + "excluded"."visits"), "#
          + #""mail" = ("member"."mail" || "excluded"."mail"), "isActive" = ? "#
          + #"WHERE ("member"."visits" > ?)"#)
      #expect(try upsert.sql.values.suffix(2) == [.integer(1), .integer(2)])
      let changed = try await upsert.returning { ($0.id, $0.visits) }.fetchAll(in: database)
      #expect("\(changed)" == "[(1, 15), (3, 1)]")
      #expect(
        try await rows(database) == [
          "1 a@xn@x Ada 15 true", "2 b@x Bob 2 false", "3 m@x Cid 1 true",
        ])
    }
  }

  @Test("partial indexes and expression indexes as conflict targets")
  func indexes() async throws {
    try await withMembers { database throws in
      let partial = members.insert(Member.Draft(mail: "a@x", name: "Zoe", visits: 1))
        .onConflict {
          $0.mail
        } targetWhere: {
          $0.isActive
        } update: { row, new in
          row.visits = row.visits + new.visits
        }
      try await expect(
        partial,
        head + #" ON CONFLICT ("mail") WHERE ("member"."isActive" = 1) DO UPDATE SET "#
          + #""visits" = ("member"."visits" + "excluded"."visits")"#,
        [.text("a@x"), .text("Zoe"), .integer(1), .integer(1)], changes: 1, in: database)
      let lower = members.insert(Member.Draft(mail: "c@x", name: "ADA", visits: 1))
        .onConflict {
          $0.name.lower()
        } update: { row, new in
          row.name = new.name
        }
      try await expect(
        lower,
        head + #" ON CONFLICT (lower("name")) DO UPDATE SET "name" = "excluded"."name""#,
        [.text("c@x"), .text("ADA"), .integer(1), .integer(1)], changes: 1, in: database)
      // The row with the same mail is not in the partial index.
      let inactive = members.insert(Member.Draft(mail: "b@x", name: "Eve"))
        .onConflictDoNothing({ $0.mail }, targetWhere: { $0.isActive })
      #expect(try await inactive.run(in: database) == 1)
      #expect(
        try await rows(database) == [
          "1 a@x ADA 6 true", "2 b@x Bob 2 false", "3 b@x Eve 0 true",
        ])
      let missing = try await failure {
        try await members.insert(Member.Draft(mail: "", name: ""))
          .onConflictDoNothing { $0.mail }.run(in: database)
      }
      #expect(
        missing.summary
          == "prepare 1 -.- -: ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint"
      )
    }
  }

  @Test("several clauses in order, the last clause without a target")
  func several() async throws {
    try await withMembers { database throws in
      func upsert(_ row: Member) -> Insert<Member> {
        members.insert(row)
          .onConflictDoNothing { $0.id }
          .onConflict {
            $0.name
          } update: { row, _ in
            row.visits = 100
          }
          .onConflict { row, new in row.mail = new.mail.appending("!") }
      }
      let tail =
        #" ON CONFLICT ("id") DO NOTHING ON CONFLICT ("name") DO UPDATE SET "visits" = ? "#
        + #"ON CONFLICT DO UPDATE SET "mail" = ("excluded"."mail" || ?)"#
      let one = upsert(Member(id: 1, mail: "n", name: "Bob"))
      #expect(one.sql.text.hasSuffix(tail))
      #expect(try await one.run(in: database) == 0)
      #expect(
        try await upsert(Member(id: 8, mail: "n", name: "Bob")).run(in: database) == 1)
      #expect(
        try await upsert(Member(id: 9, mail: "a@x", name: "New")).run(in: database) == 1)
      #expect(
        try await rows(database) == ["1 a@x! Ada 5 true", "2 b@x Bob 100 false"])
    }
  }

  @Test(
    "a second clause for a target throws, and so does a clause after a clause for every conflict")
  func second() async throws {
    let insert = members.insert(Member.Draft(mail: "", name: ""))
    let refused: [(insert: Insert<Member>, message: String)] = [
      (
        insert.onConflictDoNothing { $0.name }.onConflictDoNothing { $0.name },
        #"Two ON CONFLICT clauses for "name": SQLite would ignore the second, so remove it"#
      ),
      (
        insert.onConflictDoNothing { ($0.mail, $0.name) }.onConflictDoNothing { $0.id }
          .onConflict {
            ($0.name, $0.mail)
          } update: { row, _ in
            row.visits += 2
          },
        #"Two ON CONFLICT clauses for "mail", "name": SQLite would ignore the second, so remove it"#
      ),
      (
        insert.onConflictDoNothing({ $0.mail }, targetWhere: { $0.isActive })
          .onConflictDoNothing { $0.mail },
        #"Two ON CONFLICT clauses for "mail": SQLite would ignore the second, so remove it"#
      ),
      (
        insert.onConflictDoNothing { $0.name }
          .onConflictDoNothing { $0.name.collate(.nocase) },
        #"Two ON CONFLICT clauses for "name": SQLite would ignore the second, so remove it"#
      ),
      // Both targets match the index without a condition.
      (
        insert.onConflictDoNothing({ $0.name }, targetWhere: { $0.visits > 3 })
          .onConflictDoNothing({ $0.name }, targetWhere: { $0.visits > 4 }),
        #"Two ON CONFLICT clauses for "name": SQLite would ignore the second, so remove it"#
      ),
      (
        insert.onConflictDoNothing().onConflictDoNothing { $0.name },
        "An ON CONFLICT clause without columns handles every conflict: write it last"
      ),
      (
        insert.onConflictDoNothing().onConflict { row, _ in row.visits += 1 },
        "An ON CONFLICT clause without columns handles every conflict: write it last"
      ),
    ]
    try await withMembers { database throws in
      for (insert, message) in refused {
        let error = try await failure { try await insert.run(in: database) }
        #expect(error.summary == "prepare 21 -.- -: \(message)")
      }
    }
  }

  @Test("conditions distinguish partial indexes")
  func partial() async throws {
    try await withMembers { database throws in
      let rows = [("a@x", true), ("b@x", false), ("c@x", true)].map { mail, isActive in
        Member.Draft(mail: mail, name: "New \(mail)", visits: 7, isActive: isActive)
      }
      let count = try await members.insert(contentsOf: rows)
        .onConflictDoNothing({ $0.mail }, targetWhere: { $0.isActive })
        .onConflictDoNothing({ $0.mail }, targetWhere: { !$0.isActive })
        .run(in: database)
      #expect(count == 1)
    }
  }

  @Test("a statement of two clauses is cached by its parts")
  func twice() async throws {
    try await withMembers { database throws in
      for name in ["Ada", "Bob", "Ada"] {
        let insert = members.insert(Member.Draft(mail: "n@x", name: name))
          .onConflictDoNothing { $0.id }.onConflictDoNothing { $0.name }
        #expect(try await insert.run(in: database) == 0)
      }
    }
  }

  @Test(
    "effects of a violation on the statement and the transaction",
    arguments: [
      (ConflictResolution.ignore, [1, 2, 3, 5]), (.replace, [1, 2, 3, 4, 5]), (.fail, [1, 2, 3]),
      (.abort, [1, 2]), (.rollback, [1]), (nil, [1, 2]),
    ])
  func resolution(_ resolution: ConflictResolution?, _ left: [Int64]) async throws {
    try await withPeople([Person(id: 1, name: "one")]) { database, table throws in
      var insert = table.insert(
        contentsOf: [3, 4, 5].map { Person(id: $0 == 4 ? 1 : $0, name: "new \($0)") })
      if let resolution { insert = insert.or(resolution) }
      let name = resolution.map { "OR \($0.rawValue) " } ?? ""
      #expect(insert.sql.text.hasPrefix(#"INSERT \#(name)INTO "person" ("id", "name""#))
      let statement = insert
      for returns in [false, true] {
        let outcome: Result<[Int64], any Error>
        do {
          outcome = .success(
            try await database.write { db in
              try table.delete().run(in: db)
              try table.insert(contentsOf: [1, 2].map { Person(id: $0, name: "old") }, in: db)
              do throws(DatabaseError) {
                if returns {
                  try _ = statement.returning { $0.name }.fetchAll(in: db)
                } else {
                  try statement.run(in: db)
                }
                #expect(resolution == .ignore || resolution == .replace)
              } catch {
                #expect(error.code == .constraintPrimaryKey)
              }
              return try table.order { $0.id }.fetchAll(in: db).map(\.id)
            })
        } catch {
          outcome = .failure(error)
        }
        switch resolution {
        case .rollback:
          #expect(throws: DatabaseError.self) { try outcome.get() }
          // The rows from before the transaction.
          #expect(try await table.fetchAll(in: database) == [Person(id: 1, name: "one")])
        case .replace:
          #expect(try outcome.get() == [1, 2, 3, 5])
          #expect(try await table.find(1, in: database)?.name == "new 4")
        default:
          #expect(try outcome.get() == left)
        }
      }
    }
  }

  @Test("OR on an update")
  func updates() async throws {
    try await withStock { database throws in
      let rename = stock.where { $0.id > 1 }.update { $0.name = "Anvil" }
      let error = try await failure { try await rename.run(in: database) }
      #expect(error.summary == "step 2067 stock.name -: UNIQUE constraint failed: stock.name")
      try await expect(
        rename.or(.ignore), #"UPDATE OR IGNORE "stock" SET "name" = ? WHERE ("stock"."id" > ?)"#,
        [.text("Anvil"), .integer(1)], changes: 0, in: database)
      #expect(try await database.stock() == Stock.some)
      let last = try await rename.or(.replace).returning { $0.id }.fetchAll(in: database)
      #expect(last.last == 5)
      #expect(try await database.stock().map(\.id) == [5])
    }
  }

  @Test("a query's rows can precede ON CONFLICT, whatever words end the query")
  func ambiguity() async throws {
    try await withStock { database throws in
      let other = stock.alias("other")
      let queries: [Select<String>] = [
        stock.select { $0.name },
        stock.where { $0.size > 0 }.select { $0.name },
        stock.join(other) { $0.id == $1.id }.select { $0.0.name },
        stock.crossJoin(other).select { $0.0.name },
        stock.group { $0.name }.select { $0.name },
        stock.group { $0.name }.having { $0.id.count() > 0 }.select { $0.name },
        stock.order { $0.name }.select { $0.name },
        stock.limit(2).select { $0.name },
        stock.select { $0.name }.distinct(),
        compound(stock.select { $0.name }, depot.select { $0.name }),
      ]
      for query in queries {
        let insert = stock.insert(into: { $0.name }, from: query).onConflict {
          $0.name
        } update: { row, _ in
          row.note = "again"
        }
        let count = try await query.fetchAll(in: database).count
        #expect(try await insert.run(in: database) == count, "\(query.sql.text)")
      }
      #expect(
        try await database.stock().map(\.note) == ["again", "again", "again"])
    }
  }

  private func compound(_ one: Select<String>, _ two: Select<String>) -> Select<String> {
    var one = one
    one.clauses.compounds.append(("UNION ALL", two.clauses.sql))
    return one
  }
}
