import Foundation
import Testing

@testable import MiniORM

@Table("article", options: [])
private struct FeedArticle: Equatable, Identifiable {
  let id: Int64
  @Column(.type("DATE"), as: .unixSecondsReal) var published: Date
  @Column(as: .unixSecondsReal) var read: Date?
}

@Table("article", options: [])
private struct TextFeedArticle: Equatable, Identifiable {
  let id: Int64
  var published: Date
  var read: Date?
}

@Table("article", options: [])
private struct CountedFeedArticle: Identifiable {
  let id: Int64
  @Column(as: .unixSeconds) var published: Date
  @Column(as: .unixMilliseconds) var read: Date?
}

@Table("moment")
private struct FeedMoment: Identifiable {
  let id: Int64
  var text: Date
  @Column(as: .unixSeconds) var seconds: Date
  @Column(as: .unixSecondsReal) var real: Date
  @Column(as: .unixMilliseconds) var milliseconds: Date
}

@Suite("Dates as seconds with a fraction")
struct UnixSecondsRealTests {
  /// Numbers that FMDB has written: `timeIntervalSince1970`.
  private static let seconds = [
    1_700_000_000.0, 1_700_000_000.123, 1_700_000_000.1234567, 1_712_345_678.9, 600_000_000.25,
    978_307_200.0, 978_307_200.3, 4_102_444_800.7,
  ]

  @Test("numbers of another program are read, and written back bit by bit")
  func exact() async throws {
    let script = """
      CREATE TABLE article (id INTEGER PRIMARY KEY, published DATE NOT NULL, read REAL);
      """
    try await withTemporaryDatabase(script: script) { database in
      try await database.write { db in
        for (index, number) in Self.seconds.enumerated() {
          try db.execute("INSERT INTO article VALUES (\(index), \(number), \(number))")
        }
      }
      try await database.adopt(
        version: 1, formats: ["article": ["published": .unixSecondsReal, "read": .unixSecondsReal]])
      let schema = DatabaseSchema(FeedArticle.self)
      #expect(try await database.schemaReport(for: schema).description == "")
      try await database.migrate(schema)
      let rows = try await Table<FeedArticle>().order { $0.id }.fetchAll(in: database)
      let read = rows.map(\.published.timeIntervalSince1970)
      #expect(read == Self.seconds)
      for row in rows { try await Table<FeedArticle>().update(row, in: database) }
      let stored = try await database.read { db in
        try db.query((Double, Double).self, "SELECT published, read FROM article ORDER BY id")
      }
      #expect(stored.map(\.0) == Self.seconds)
      #expect(stored.map(\.1) == Self.seconds)
      for (index, number) in Self.seconds.enumerated() {
        let date = Date(timeIntervalSince1970: number)
        let found = try await Table<FeedArticle>().where { $0.published == date }.fetchAll(
          in: database)
        #expect(found.map(\.id) == [Int64(index)])
      }
    }
  }

  @Test("a migration converts the numbers to the text of dates, and back")
  func converted() async throws {
    try await withFile(DatabaseSchema(FeedArticle.self)) { database in
      let date = Date(timeIntervalSince1970: 1_700_000_000.125)
      let row = FeedArticle(id: 1, published: date, read: nil)
      try await Table<FeedArticle>().insert(row, in: database)
      try await database.migrate(DatabaseSchema(version: 2, TextFeedArticle.self))
      let texts = try await Table<TextFeedArticle>().fetchAll(in: database)
      #expect(texts == [TextFeedArticle(id: 1, published: date, read: nil)])
      try await database.migrate(DatabaseSchema(version: 3, FeedArticle.self))
      #expect(try await Table<FeedArticle>().fetchAll(in: database) == [row])
    }
  }

  @Test("whole seconds, which a column with NUMERIC affinity stores as integers, are converted")
  func wholeSeconds() async throws {
    let dates = [1_700_000_000, -1, 0].map { Date(timeIntervalSince1970: $0) }
    try await withFile(DatabaseSchema(FeedArticle.self)) { database in
      for (id, date) in dates.enumerated() {
        let row = FeedArticle(id: Int64(id), published: date, read: date)
        try await Table<FeedArticle>().insert(row, in: database)
      }
      let classes: SQL = "SELECT DISTINCT typeof(published) || typeof(read) FROM article"
      #expect(try await database.values(classes) == [.text("integerreal")])
      try await database.migrate(DatabaseSchema(version: 2, TextFeedArticle.self))
      let texts = try await Table<TextFeedArticle>().order { $0.id }.fetchAll(in: database)
      #expect(texts.map(\.published) == dates && texts.map(\.read) == dates)
      try await database.migrate(DatabaseSchema(version: 3, FeedArticle.self))
      try await database.migrate(DatabaseSchema(version: 4, CountedFeedArticle.self))
      let counts = try await Table<CountedFeedArticle>().order { $0.id }.fetchAll(in: database)
      #expect(counts.map(\.published) == dates && counts.map(\.read) == dates)
      try await database.migrate(DatabaseSchema(version: 5, FeedArticle.self))
      let rows = try await Table<FeedArticle>().order { $0.id }.fetchAll(in: database)
      #expect(rows.map(\.published) == dates && rows.map(\.read) == dates)
    }
  }

  @Test("the same moment is equal in all formats of dates, and date functions read it")
  func meeting() async throws {
    try await withFile(DatabaseSchema(FeedMoment.self)) { database in
      let date = Date(timeIntervalSince1970: 1_709_209_815)
      try await Table<FeedMoment>().insert(
        FeedMoment(id: 1, text: date, seconds: date, real: date, milliseconds: date), in: database)
      let moments = Table<FeedMoment>()
      let same = [
        try await moments.where { $0.text == $0.real }.count(in: database),
        try await moments.where { $0.real == $0.text }.count(in: database),
        try await moments.where { $0.real == $0.seconds }.count(in: database),
        try await moments.where { $0.seconds == $0.real }.count(in: database),
        try await moments.where { $0.milliseconds == $0.real }.count(in: database),
        try await moments.where { $0.real == date }.count(in: database),
        try await moments.where { $0.real < $0.text }.count(in: database),
      ]
      #expect(same == [1, 1, 1, 1, 1, 1, 0])
      let day = try await moments.select { $0.real.date() }.fetchAll(in: database)
      #expect(day == ["2024-02-29"])
      try await moments.update { $0.text = $0.real }.run(in: database)
      #expect(try await moments.fetchAll(in: database).map(\.text) == [date])
    }
  }

  @Test("a text and a date that is not finite are refused")
  func refused() async throws {
    try await withFile(DatabaseSchema(FeedArticle.self)) { database in
      let infinite = Date(timeIntervalSinceReferenceDate: .infinity)
      let error = try await failure {
        try await Table<FeedArticle>().insert(
          FeedArticle(id: 1, published: infinite, read: nil), in: database)
      }
      #expect(error.operation == .bind)
      try await database.write { db in
        try db.execute("INSERT INTO article VALUES (1, 'yesterday', NULL)")
      }
      let unread = try await failure { try await Table<FeedArticle>().fetchAll(in: database) }
      #expect(unread.column == "published")
    }
  }
}
