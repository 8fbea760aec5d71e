import CSQLCipher
import MiniORM

// The operations of a news reader with 200 feeds and 100,000 articles, each query built for its call.

@Table("feed")
struct Feed: Identifiable {
  let id: Int64
  var name: String

  static let count: Int64 = 200
}

@Table("story")
struct Story: Identifiable {
  let id: Int64
  @Column(.references(Feed.self)) var feedID: Feed.ID
  var title: String
  var published: Int64
  var read: Bool
  var starred: Bool
  var body: String

  static let count: Int64 = 100_000
  /// The keys of the articles to mark as read, in lists of 100.
  static let marked: [[Int64]] = (0..<50).map { (list: Int64) in
    (0..<100).map { (n: Int64) in n * 997 + list * 17 + 1 }
  }
}

enum News {
  case pages, unreadCounts, starred, mark
}

protocol NewsContender: Contender {
  /// Returns the number of rows that were read or changed.
  func run(_ work: News) async throws -> Int
}

extension News {
  /// The rows of a page of the list.
  static let page = 50
  static let starredPage = 10

  static let tables = """
    CREATE TABLE feed (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL) STRICT;
    CREATE TABLE story (
      id INTEGER PRIMARY KEY NOT NULL, feedID INTEGER NOT NULL REFERENCES feed, title TEXT NOT NULL,
      published INTEGER NOT NULL, read INTEGER NOT NULL, starred INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
    CREATE INDEX story_feed ON story (feedID, published);
    CREATE INDEX story_unread ON story (feedID) WHERE read = 0;
    CREATE INDEX story_starred ON story (starred, published);
    """
  static let rows = """
    INSERT INTO feed
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Feed.count))
      SELECT i, 'Feed number ' || i FROM n;
    INSERT INTO story
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(Story.count))
      SELECT i + 1, i % \(Feed.count) + 1, 'The title of article number ' || i, 1700000000 + i * 60,
        i / \(Feed.count) % 10 <> 0, i / \(Feed.count) % 50 = 0, printf('%.*c', 500, 'x') FROM n;
    """

  static var works: [Work] {
    [
      work("200 pages of 50 articles", target: 1.5, .pages, expected: Int(Feed.count) * page),
      work(
        "20 × unread counts of 200 feeds", target: 1.25, .unreadCounts,
        expected: 20 * Int(Feed.count)),
      work("500 joins of 10 articles", target: nil, .starred, expected: 500 * starredPage),
      work("mark 5,000 articles, 100 a call", target: 1.5, .mark, expected: 5_000),
    ]
  }

  private static func work(_ title: String, target: Double?, _ work: News, expected: Int) -> Work {
    Work(title: title, target: target, expected: expected, isFor: { $0 is any NewsContender }) {
      try await ($0 as? any NewsContender)?.run(work) ?? 0
    }
  }

  static let pageSQL = """
    SELECT id, feedID, title, published, read, starred, body FROM story
    WHERE feedID = ? ORDER BY published DESC LIMIT ?
    """
  static let unreadSQL = "SELECT feedID, count(id) FROM story WHERE read = 0 GROUP BY feedID"
  static let starredSQL = """
    SELECT story.id, story.title, feed.name FROM story JOIN feed ON story.feedID = feed.id
    WHERE starred = 1 AND published < ? ORDER BY published DESC LIMIT ?
    """
  static let markSQL =
    "UPDATE story SET read = ? WHERE id IN (\(repeatElement("?", count: 100).joined(separator: ", ")))"
  /// The time before which the articles of a join were published.
  static func limit(of join: Int64) -> Int64 { 1_706_000_000 - join * 60 }
}

extension MiniORMContender: NewsContender {
  func run(_ work: News) async throws -> Int {
    let (stories, feeds) = (Table<Story>(), Table<Feed>())
    switch work {
    case .pages:
      return try await database.read { db in
        var count = 0
        for feed in 1...Feed.count {
          count += try stories.where { $0.feedID == feed }.order { $0.published.descending }
            .limit(News.page).fetchAll(in: db).count
        }
        return count
      }
    case .unreadCounts:
      return try await database.read { db in
        var count = 0
        for _ in 0..<20 {
          count += try stories.where { !$0.read }.group { $0.feedID }
            .select { ($0.feedID, $0.id.count()) }.fetchAll(in: db).count
        }
        return count
      }
    case .starred:
      return try await database.read { db in
        var count = 0
        for join in Int64(0)..<500 {
          let limit = News.limit(of: join)
          count += try stories.where { $0.starred }.where { $0.published < limit }.join(feeds)
            .order { story, _ in story.published.descending }.limit(News.starredPage)
            .select { ($0.id, $0.title, $1.name) }.fetchAll(in: db).count
        }
        return count
      }
    case .mark:
      return try await database.write { db in
        var count = 0
        for keys in Story.marked {
          count += try stories.where { $0.id.isIn(keys) }.update { $0.read = true }.run(in: db)
        }
        return count
      }
    }
  }
}

extension HandWritten: NewsContender {
  func run(_ work: News) async throws -> Int {
    try await actor.run { raw in
      switch work {
      case .pages: try raw.pages()
      case .unreadCounts: try raw.unreadCounts()
      case .starred: try raw.starred()
      case .mark: try raw.mark()
      }
    }
  }
}

extension RawConnection {
  func pages() throws -> Int {
    let s = try statement(News.pageSQL)
    try execute("BEGIN")
    var count = 0
    for feed in 1...Feed.count {
      sqlite3_bind_int64(s, 1, feed)
      sqlite3_bind_int64(s, 2, Int64(News.page))
      count += try rows(News.pageSQL) { s in
        Story(
          id: sqlite3_column_int64(s, 0), feedID: sqlite3_column_int64(s, 1),
          title: Self.string(s, 2), published: sqlite3_column_int64(s, 3),
          read: sqlite3_column_int64(s, 4) != 0, starred: sqlite3_column_int64(s, 5) != 0,
          body: Self.string(s, 6))
      }.count
    }
    try execute("COMMIT")
    return count
  }

  func unreadCounts() throws -> Int {
    try execute("BEGIN")
    var count = 0
    for _ in 0..<20 {
      count += try rows(News.unreadSQL) {
        (sqlite3_column_int64($0, 0), sqlite3_column_int64($0, 1))
      }.count
    }
    try execute("COMMIT")
    return count
  }

  func starred() throws -> Int {
    let s = try statement(News.starredSQL)
    try execute("BEGIN")
    var count = 0
    for join in Int64(0)..<500 {
      sqlite3_bind_int64(s, 1, News.limit(of: join))
      sqlite3_bind_int64(s, 2, Int64(News.starredPage))
      count += try rows(News.starredSQL) {
        (sqlite3_column_int64($0, 0), Self.string($0, 1), Self.string($0, 2))
      }.count
    }
    try execute("COMMIT")
    return count
  }

  func mark() throws -> Int {
    let s = try statement(News.markSQL)
    return try writing {
      var count = 0
      for keys in Story.marked {
        sqlite3_bind_int64(s, 1, 1)
        for (index, key) in keys.enumerated() { sqlite3_bind_int64(s, Int32(index) + 2, key) }
        guard sqlite3_step(s) == SQLITE_DONE else { throw RawError(message: "mark") }
        sqlite3_reset(s)
        count += keys.count
      }
      return count
    }
  }
}
