import Foundation
import MiniORM
import Testing

@testable import MiniORMTesting

@Suite("Queries as text tables")
struct ExpectTests {
  @Table("chore") struct Chore: Identifiable {
    let id: Int64
    var title: String?
    @Column(as: .unixSeconds) var due: Date?
    var share = 0.5
    var photo: Data?
  }

  private func withChores(_ body: (Database) async throws -> Void) async throws {
    let database = try await Database.inMemory()
    try await database.migrate(DatabaseSchema(Chore.self))
    try await Table<Chore>().insert(
      contentsOf: [
        Chore.Draft(title: "Write", due: Date(timeIntervalSince1970: 1_795_967_999)),
        Chore.Draft(title: "NULL", photo: Data([0, 255])),
        Chore.Draft(title: "a\0\n👩‍👩‍👧", share: -10),
        Chore.Draft(title: nil),
      ], in: database)
    try await body(database)
    try await database.close()
  }

  @Test("Equal SQL and rows pass")
  func passes() async throws {
    try await withChores { database in
      try await expect(
        Table<Chore>().where { $0.id < 4 }.order { $0.id }.select { ($0.id, $0.title, $0.due) },
        in: database
      ) {
        """
        SELECT "chore"."id", "chore"."title", "chore"."due"
        FROM "chore"
        WHERE ("chore"."id" < ?)
        ORDER BY "chore"."id"

        id  title     due
        --  --------  -----------------------
         1  'Write'   2026-11-29 15:59:59.000
         2  'NULL'    NULL
         3  "a\\0\\n👩‍👩‍👧"  NULL
        """
      }
    }
  }

  @Test("A difference reports its lines and the new text")
  func differs() async throws {
    try await withChores { database in
      let messages = try await issues {
        try await expect(Table<Chore>().select { $0.title }.limit(1), in: database) { "title" }
      }
      #expect(messages.count == 1)
      let message = try #require(messages.first)
      #expect(message.hasPrefix("The query has another result. The changed lines:\n+ 1: SELECT "))
      #expect(message.contains("\n+ 3: LIMIT ?\n"))
      #expect(
        message.hasSuffix(
          """
          The new text:
          SELECT "chore"."title"
          FROM "chore"
          LIMIT ?

          title
          -------
          'Write'
          """))
    }
  }

  @Test("The new text can be pasted into a test: each backslash is two")
  func backslashes() async throws {
    try await withChores { database in
      let messages = try await issues {
        try await expect(Table<Chore>().where { $0.id == 3 }.select { $0.title }, in: database) {
          ""
        }
      }
      #expect(messages.count == 1)
      #expect(messages.first?.hasSuffix("\n\"a\\\\0\\\\n👩‍👩‍👧\"") ?? false, "\(messages)")
    }
  }

  @Test("A dump has the rows of all tables")
  func dump() async throws {
    try await withChores { database in
      let dump = try await database.dump()
      #expect(
        dump == """
          chore

          id  title     due                      share  photo
          --  --------  -----------------------  -----  -------
           1  'Write'   2026-11-29 15:59:59.000    0.5  NULL
           2  'NULL'    NULL                       0.5  x'00ff'
           3  "a\\0\\n👩‍👩‍👧"  NULL                     -10.0  NULL
           4  NULL      NULL                       0.5  NULL
          """)
    }
  }
}
