import Foundation
import Testing

@testable import MiniORM

extension Collation {
  fileprivate static let natural = Collation("natural \"order\"") {
    $0.compare($1, options: .numeric)
  }
}

@Table("song")
private struct Song: Identifiable, Equatable {
  let id: Int64
  @Column(.collate(.natural)) var title: String
  var album = ""
}

@Suite("Collations written in Swift")
struct CollationTests {
  private func withSongs(_ body: (Database, Table<Song>) async throws -> Void) async throws {
    var configuration = Configuration()
    configuration.collations = [.natural, .nocase]
    try await withTemporaryDatabase(configuration: configuration) { database throws in
      try await database.migrate(DatabaseSchema(Song.self))
      let songs = ["10", "9", "x\0b", "x\0a", ""].enumerated().map {
        Song(id: Int64($0 + 1), title: $1, album: $1)
      }
      try await Table<Song>().insert(contentsOf: songs, in: database)
      try await body(database, Table<Song>())
    }
  }

  @Test("a column's collation decides order, equality and uniqueness")
  func column() async throws {
    try await withSongs { database, songs throws in
      #expect(
        try await database.values("SELECT sql FROM sqlite_schema WHERE name = 'song'") == [
          .text(
            """
            CREATE TABLE "song" (
              "id" INTEGER PRIMARY KEY NOT NULL,
              "title" TEXT NOT NULL COLLATE "natural ""order""\",
              "album" TEXT NOT NULL DEFAULT ('')
            ) STRICT
            """)
        ])
      let sorted = try await songs.order { $0.title }.fetchAll(in: database)
      #expect(sorted.map(\.title) == ["", "9", "10", "x\0a", "x\0b"])
      #expect(
        try await songs.where { $0.title < "10" }.fetchAll(in: database).map(\.id).sorted() == [
          2, 5,
        ])
    }
  }

  @Test("an expression can have a collation")
  func expression() async throws {
    try await withSongs { database, songs throws in
      let query = songs.order { $0.album.collate(.natural) }
      #expect(
        query.sql.text
          == songs.sql.text + #" ORDER BY ("song"."album" COLLATE "natural ""order""")"#)
      #expect(
        try await query.fetchAll(in: database).map(\.album) == ["", "9", "10", "x\0a", "x\0b"])
    }
  }

  @Test("opening a file without its collation gives an error that names the collation")
  func missing() async throws {
    try await withSongs { database, songs throws in
      let plain = try await Database(path: database.path, key: .raw(testKeyBytes))
      #expect(try await songs.count(in: plain) == 5)
      let query = songs.order { $0.title }
      let error = try await failure { try await query.fetchAll(in: plain) }
      #expect(
        error.facts
          == ErrorFacts(
            .prepare, ResultCode(rawValue: 257), #"no such collation sequence: natural "order""#,
            sql: query.sql.text))
      try await plain.close()
    }
  }

  @Test("collations with the same name are equal")
  func equality() {
    let other = Collation("natural \"order\"") { _, _ in .orderedSame }
    #expect(Set([Collation.natural, .nocase, other, .binary]).count == 3)
    #expect(Collation("Natural \"order\"") == other && Collation("NoCase") == .nocase)
  }

  @Test("decimal numbers in text sort by value, and other texts follow by their bytes")
  func decimals() async throws {
    try await withTemporaryDatabase { database in
      let found = try await database.values(
        """
        SELECT value FROM json_each('["b", "10", "a", "9.5", "", "-3", "ab", "1e9x", "9.50"]')
        ORDER BY value COLLATE miniorm_decimal, value
        """)
      #expect(
        found
          == ["-3", "9.5", "9.50", "10", "", "1e9x", "a", "ab", "b"].map { DatabaseValue.text($0) })
      let equal = try await database.values(
        "SELECT 'a' = 'a' COLLATE miniorm_decimal, 'a' = 'A' COLLATE miniorm_decimal")
      #expect(equal == [.integer(1)])
    }
  }
}
