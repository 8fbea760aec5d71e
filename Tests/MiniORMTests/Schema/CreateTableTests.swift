import Foundation
import Testing

@testable import MiniORM

@Table("account", columns: .snakeCase)
private struct Account: Equatable {
  @Column(.primaryKey(autoincrement: true)) let accountID: Int64
  @Column(.unique, .collate(.nocase), .check("length(mail) > 2")) var mail: String
  @Column(.default(.now)) var createdAt: Date
  var isActive = true
  var ratio = 0.5
  var note = "it's"
  var loginCount: Int? = 3
  @Column(.references(City.self, onDelete: .cascade, onUpdate: .restrict, deferred: true))
  var cityID: City.ID?
  @Column(.generated("lower(mail)", stored: true)) var lowerMail: String
  @Column(.generated("login_count * 2")) var twice: Int?
  @Column(as: .json) var tags: [String] = ["a"]
  @Column(as: .unixSeconds) var seen: Date?
  var any: DatabaseValue
}

@Table(primaryKey: ["userID", "groupID"], options: [.strict, .withoutRowID])
private struct Membership: Equatable {
  let userID: Int
  let groupID: String
  var role: Role = .member
  enum Role: String, ColumnValue { case member, owner }
}
extension Membership {
  fileprivate static var constraints: [TableConstraint<Membership>] {
    [
      .unique { ($0.groupID, $0.role) },
      .check { $0.userID > 0 && $0.groupID != "it's" },
    ]
  }
}

@Table("log", options: [])
private struct Log: Equatable {
  var text: String
  var any: DatabaseValue
}

@Suite("CREATE TABLE")
struct CreateTableTests {
  @Test("the SQL contains the declarations of the properties")
  func columns() throws {
    #expect(
      try Account.createSQL() == [
        """
        CREATE TABLE "account" (
          "account_id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
          "mail" TEXT NOT NULL UNIQUE CHECK (length(mail) > 2) COLLATE NOCASE,
          "created_at" TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
          "is_active" INTEGER NOT NULL DEFAULT (1),
          "ratio" REAL NOT NULL DEFAULT (0.5),
          "note" TEXT NOT NULL DEFAULT ('it''s'),
          "login_count" INTEGER DEFAULT (3),
          "city_id" INTEGER REFERENCES "city" ON DELETE CASCADE ON UPDATE RESTRICT DEFERRABLE INITIALLY DEFERRED,
          "lower_mail" TEXT NOT NULL GENERATED ALWAYS AS (lower(mail)) STORED,
          "twice" INTEGER GENERATED ALWAYS AS (login_count * 2) VIRTUAL,
          "tags" TEXT NOT NULL DEFAULT ('["a"]'),
          "seen" INTEGER,
          "any" ANY
        ) STRICT
        """
      ])
  }

  @Test("composite keys, WITHOUT ROWID and table constraints")
  func table() throws {
    #expect(
      try Membership.createSQL() == [
        """
        CREATE TABLE "Membership" (
          "userID" INTEGER NOT NULL,
          "groupID" TEXT NOT NULL,
          "role" TEXT NOT NULL DEFAULT ('member'),
          PRIMARY KEY ("userID", "groupID"),
          UNIQUE ("groupID", "role"),
          CHECK ((("userID" > 0) AND ("groupID" <> 'it''s')))
        ) STRICT, WITHOUT ROWID
        """
      ])
  }

  @Test("a column of any storage class keeps values unchanged without STRICT too")
  func withoutStrict() async throws {
    #expect(
      try Log.createSQL() == [
        """
        CREATE TABLE "log" (
          "text" TEXT NOT NULL,
          "any" BLOB
        )
        """
      ])
    try await withFile(DatabaseSchema(Log.self)) { database throws in
      let rows = [
        Log(text: "a", any: .text("1")), Log(text: "b", any: .real(2)),
        Log(text: "c", any: .integer(3)), Log(text: "d", any: .blob([])),
        Log(text: "e", any: .null),
      ]
      try await Table<Log>().insert(contentsOf: rows, in: database)
      #expect(try await Table<Log>().order { $0.text }.fetchAll(in: database) == rows)
    }
  }

  @Test("inserted rows take defaults and computed columns")
  func stored() async throws {
    try await withFile(DatabaseSchema(City.self, Account.self)) { database throws in
      let table = Table<Account>()
      let before = Date(timeIntervalSinceNow: -2)
      let row = try await table.insert(Account.Draft(mail: "A@B.c", any: .null), in: database)
      #expect(row.createdAt > before && row.createdAt < Date(timeIntervalSinceNow: 2))
      #expect(
        row
          == Account(
            accountID: 1, mail: "A@B.c", createdAt: row.createdAt, lowerMail: "a@b.c", twice: 6,
            any: .null))
      let fixed = Date(timeIntervalSince1970: 0)
      let given = try await table.insert(
        Account.Draft(mail: "given", createdAt: fixed, loginCount: nil, any: .integer(1)),
        in: database)
      #expect(given.createdAt == fixed && given.twice == nil && given.loginCount == nil)
      // Database defaults, for rows that raw SQL inserts.
      try await database.write { db in
        _ = try db.execute("INSERT INTO account (mail) VALUES ('raw')")
      }
      let raw = try #require(try await table.where { $0.mail == "raw" }.fetchOne(in: database))
      #expect(
        raw
          == Account(
            accountID: 3, mail: "raw", createdAt: raw.createdAt, lowerMail: "raw", twice: 6,
            any: .null))
    }
  }

  @Test("a generated column cannot be assigned")
  func generated() async throws {
    try await withFile(DatabaseSchema(City.self, Account.self)) { database throws in
      let table = Table<Account>()
      var row = try await table.insert(Account.Draft(mail: "mail", any: .null), in: database)
      let error = try await failure {
        try await table.update { $0.lowerMail = "x" }.run(in: database)
      }
      #expect(
        error.summary
          == "prepare 21 account.lower_mail -: account.lower_mail is a generated column: leave "
          + "it out of inserts and updates")
      row.mail = "OTHER"
      #expect(try await table.update(row, in: database))
      #expect(try await table.find(1, in: database)?.lowerMail == "other")
    }
  }

  static let violations: [(sql: String, facts: String)] = [
    (
      "INSERT INTO account (mail) VALUES ('MAIL')",
      "step 2067 account.mail -: UNIQUE constraint failed: account.mail"
    ),
    (
      "INSERT INTO account (mail) VALUES (NULL)",
      "step 1299 account.mail -: NOT NULL constraint failed: account.mail"
    ),
    (
      "INSERT INTO account (mail) VALUES ('x')",
      "step 275 -.- -: CHECK constraint failed: length(mail) > 2"
    ),
    (
      "INSERT INTO account (account_id, mail) VALUES (1, 'xyz')",
      "step 1555 account.account_id -: UNIQUE constraint failed: account.account_id"
    ),
    (
      "INSERT INTO account (mail, is_active) VALUES ('xyz', 'no')",
      "step 3091 account.is_active -: cannot store TEXT value in INTEGER column account.is_active"
    ),
  ]

  @Test("a violation gives the extended code and the column", arguments: violations)
  func violation(sql: String, facts: String) async throws {
    try await withFile(DatabaseSchema(City.self, Account.self)) { database throws in
      try await Table<Account>().insert(Account.Draft(mail: "mail", any: .null), in: database)
      let error = try await failure {
        try await database.write { db in try db.execute("\(raw: sql)") }
      }
      #expect(error.summary == facts)
      #expect(try await Table<Account>().count(in: database) == 1)
    }
  }

  @Test("the constraints of a table are enforced")
  func tableConstraints() async throws {
    try await withFile(DatabaseSchema(Membership.self)) { database throws in
      let table = Table<Membership>()
      try await table.insert(Membership(userID: 1, groupID: "a"), in: database)
      let unique = try await failure {
        try await table.insert(Membership(userID: 2, groupID: "a"), in: database)
      }
      #expect(
        unique.summary
          == "step 2067 Membership.groupID -: "
          + "UNIQUE constraint failed: Membership.groupID, Membership.role")
      for row in [Membership(userID: 0, groupID: "b"), Membership(userID: 3, groupID: "it's")] {
        let check = try await failure { try await table.insert(row, in: database) }
        #expect(check.code == .constraintCheck)
      }
      #expect(try await table.count(in: database) == 1)
    }
  }
}
