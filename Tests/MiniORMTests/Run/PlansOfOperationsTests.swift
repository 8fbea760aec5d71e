import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("feed")
private struct Feed: Identifiable, Equatable {
  let id: Int64
  @Column(.unique) var url: String
  var folder: String?

  static var indexes: [Index<Feed>] { [Index("feed_folder") { $0.folder }] }
}

@Table("article")
private struct NewsArticle: Identifiable, Equatable {
  let id: Int64
  @Column(.references(Feed.self, onDelete: .cascade)) var feedID: Feed.ID
  var title: String
  var published: Date
  var read = false
  var starred = false

  static var indexes: [Index<NewsArticle>] {
    [
      Index("article_feed") { ($0.feedID, $0.published) },
      Index("article_unread", where: { !$0.read }) { $0.feedID },
      Index("article_starred", where: { $0.starred }) { $0.published },
    ]
  }
}

@Table("tag", primaryKey: ["articleID", "name"], options: [.strict, .withoutRowID])
private struct ArticleTag: Equatable {
  @Column(.references(NewsArticle.self, onDelete: .cascade)) let articleID: NewsArticle.ID
  @Column(.collate(.nocase)) let name: String

  static var indexes: [Index<ArticleTag>] { [Index("tag_name") { $0.name }] }
}

private let (feeds, stories, tags) = (Table<Feed>(), Table<NewsArticle>(), Table<ArticleTag>())

/// The operations of an app that reads news, beside the SQL that an expert would write.
@Suite("Plans of an app's operations")
struct PlansOfOperationsTests {
  private static let day = Date(timeIntervalSince1970: 1_000_000)

  private static let operations: [PlannedOperation] = {
    // An array literal of these closures takes the compiler too long.
    var all: [PlannedOperation] = []
    func add(
      _ description: String, _ typed: @escaping @Sendable () -> SQL, _ expert: SQL
    ) {
      all.append(PlannedOperation(description, typed, expert))
    }
    add(
      "the newest articles of a feed",
      { stories.where { $0.feedID == 3 }.order { $0.published.descending }.limit(20).sql },
      "SELECT * FROM article WHERE feedID = 3 ORDER BY published DESC LIMIT 20")
    add(
      "the page after an article",
      {
        stories.where { $0.feedID == 3 && $0.published < day }
          .order { $0.published.descending }.limit(20).sql
      },
      "SELECT * FROM article WHERE feedID = 3 AND published < '1970' ORDER BY published DESC LIMIT 20"
    )
    add(
      "unread articles", { stories.where { !$0.read }.sql },
      "SELECT * FROM article WHERE read = 0")
    add(
      "unread articles of a feed",
      { stories.where { !$0.read }.where { $0.feedID == 3 }.sql },
      "SELECT * FROM article WHERE read = 0 AND feedID = 3")
    add(
      "the number of unread articles of each feed",
      { stories.where { !$0.read }.group { $0.feedID }.select { ($0.feedID, SQL.count()) }.sql },
      "SELECT feedID, count(*) FROM article WHERE read = 0 GROUP BY feedID")
    add(
      "starred articles, newest first",
      { stories.where { $0.starred }.order { $0.published.descending }.sql },
      "SELECT * FROM article WHERE starred = 1 ORDER BY published DESC")
    add(
      "articles with their feeds",
      {
        stories.join(feeds).where { article, feed in feed.folder == "a" }
          .select { article, feed in (article.title, feed.url) }.sql
      },
      """
      SELECT title, url FROM article JOIN feed ON article.feedID = feed.id WHERE folder = 'a'
      """)
    add(
      "feeds without unread articles",
      {
        feeds.where { feed in
          !stories.where { !$0.read }.where { $0.feedID == feed.id }.exists()
        }.sql
      },
      """
      SELECT * FROM feed WHERE NOT EXISTS
        (SELECT 1 FROM article WHERE read = 0 AND article.feedID = feed.id)
      """)
    add(
      "articles of several feeds", { stories.where { $0.feedID.isIn([1, 2, 3]) }.sql },
      "SELECT * FROM article WHERE feedID IN (1, 2, 3)")
    add(
      "articles with a tag",
      {
        stories.where { $0.id.isIn(tags.where { $0.name == "swift" }.select { $0.articleID }) }.sql
      },
      """
      SELECT * FROM article WHERE id IN (SELECT articleID FROM tag WHERE name = 'swift')
      """)
    add(
      "a feed by its address", { feeds.where { $0.url == "https://example.org" }.sql },
      "SELECT * FROM feed WHERE url = 'https://example.org'")
    add(
      "feeds outside of folders", { feeds.where { $0.folder == nil }.sql },
      "SELECT * FROM feed WHERE folder IS NULL")
    add(
      "the number of unread articles", { stories.where { !$0.read }.select { $0.id.count() }.sql },
      "SELECT count(id) FROM article WHERE read = 0")
    add(
      "the page after an article with the same time",
      {
        stories.where { $0.feedID == 3 }
          .where { RowValue($0.published, $0.id) < (day, 7) }
          .order { ($0.published.descending, $0.id.descending) }.limit(20).sql
      },
      """
      SELECT * FROM article WHERE feedID = 3 AND (published, id) < ('1970', 7)
      ORDER BY published DESC, id DESC LIMIT 20
      """)
    add(
      "feeds with the number of their unread articles",
      {
        feeds.leftJoin(stories) { $0.id == $1.feedID && $1.read == false }.group { $0.0.id }
          .select { ($0.url, $1.id.count()) }.sql
      },
      """
      SELECT url, count(article.id) FROM feed
      LEFT JOIN article ON feed.id = article.feedID AND article.read = 0 GROUP BY feed.id
      """)
    add(
      "the newest article of each feed",
      { stories.group { $0.feedID }.select { ($0.feedID, $0.published.max()) }.sql },
      "SELECT feedID, max(published) FROM article GROUP BY feedID")
    add(
      "articles with a tag, joined",
      { tags.where { $0.name == "swift" }.join(stories).select { $1 }.sql },
      """
      SELECT article.* FROM tag JOIN article ON tag.articleID = article.id WHERE tag.name = 'swift'
      """)
    add(
      "the tags, with the number of their articles",
      { tags.group { $0.name }.order { $0.name }.select { ($0.name, $0.articleID.count()) }.sql },
      "SELECT name, count(articleID) FROM tag GROUP BY name ORDER BY name")
    add(
      "the folders", { feeds.order { $0.folder }.select { $0.folder }.distinct().sql },
      "SELECT DISTINCT folder FROM feed ORDER BY folder")
    add(
      "starred articles of a folder",
      {
        stories.where { $0.starred }
          .where { $0.feedID.isIn(feeds.where { $0.folder == "a" }.select { $0.id }) }.sql
      },
      """
      SELECT * FROM article WHERE starred = 1
        AND feedID IN (SELECT id FROM feed WHERE folder = 'a')
      """)
    add(
      "mark the articles of a folder as read",
      {
        stories.where { !$0.read }
          .where { $0.feedID.isIn(feeds.where { $0.folder == "a" }.select { $0.id }) }
          .update { $0.read = true }.sql
      },
      """
      UPDATE article SET read = 1 WHERE read = 0
        AND feedID IN (SELECT id FROM feed WHERE folder = 'a')
      """)
    add(
      "mark a feed as read",
      { stories.where { $0.feedID == 3 }.where { !$0.read }.update { $0.read = true }.sql },
      "UPDATE article SET read = 1 WHERE feedID = 3 AND read = 0")
    add(
      "star an article", { stories.where { $0.id == 7 }.update { $0.starred = true }.sql },
      "UPDATE article SET starred = 1 WHERE id = 7")
    add(
      "delete old articles of a feed",
      { stories.where { $0.feedID == 3 && $0.published < day }.delete().sql },
      "DELETE FROM article WHERE feedID = 3 AND published < '1970'")
    add(
      "delete a tag", { tags.where { $0.articleID == 7 && $0.name == "swift" }.delete().sql },
      "DELETE FROM tag WHERE articleID = 7 AND name = 'swift'")
    return all
  }()

  private static func withNews(
    _ configuration: Configuration = Configuration(), _ body: (Database) async throws -> Void
  ) async throws {
    try await withTemporaryDatabase(configuration: configuration) { database in
      try await database.migrate(DatabaseSchema(Feed.self, NewsArticle.self, ArticleTag.self))
      try await feeds.insert(
        contentsOf: (1...20).map { id in
          Feed(id: id, url: "https://\(id)", folder: id % 4 == 0 ? nil : "folder \(id % 4)")
        }, in: database)
      try await stories.insert(
        contentsOf: (1...2_000).map { (id: Int64) in
          NewsArticle(
            id: id, feedID: id % 20 + 1, title: "\(id)",
            published: Date(timeIntervalSince1970: Double(id * 7_919 % 2_000)), read: id % 10 != 0,
            starred: id % 50 == 0)
        }, in: database)
      try await tags.insert(
        contentsOf: (1...2_000).map { ArticleTag(articleID: $0, name: "tag \($0 % 30)") },
        in: database)
      try await database.optimize()
      try await body(database)
    }
  }

  @Test("a typed statement has the plan of the SQL by hand", arguments: operations)
  func plan(_ operation: PlannedOperation) async throws {
    try await Self.withNews { try await operation.compare(in: $0) }
  }

  @Test(
    "a list of values has the plan of literals", arguments: [1, 3, 30, 300],
    ["feed", "sorted", "key and feed", "key and unread", "starred in feeds", "not in feeds"])
  func lists(count: Int, condition: String) async throws {
    let ids = (1...count).map(Int64.init)
    let text = SQL(raw: ids.map(String.init).joined(separator: ", "))
    let typed: @Sendable () -> SQL
    let expert: SQL
    switch condition {
    case "feed":
      typed = { stories.where { $0.feedID.isIn(ids) }.sql }
      expert = "feedID IN (\(text))"
    case "sorted":
      typed = {
        stories.where { $0.feedID.isIn(ids) }.order { $0.published.descending }.limit(20).sql
      }
      expert = "feedID IN (\(text)) ORDER BY published DESC LIMIT 20"
    case "key and feed":
      typed = { stories.where { $0.id.isIn(ids) && $0.feedID == 3 }.sql }
      expert = "id IN (\(text)) AND feedID = 3"
    case "key and unread":
      typed = { stories.where { $0.id.isIn(ids) }.where { !$0.read }.sql }
      expert = "id IN (\(text)) AND read = 0"
    case "starred in feeds":
      typed = { stories.where { $0.starred }.where { $0.feedID.isIn(ids) }.sql }
      expert = "starred = 1 AND feedID IN (\(text))"
    default:
      typed = { stories.where { !$0.feedID.isIn(ids) }.where { $0.starred }.sql }
      expert = "NOT feedID IN (\(text)) AND starred = 1"
    }
    let operation = PlannedOperation(condition, typed, "SELECT * FROM article WHERE \(expert)")
    try await Self.withNews { try await operation.compare(in: $0) }
  }

  @Test("an operation on a row, and on related rows, searches each table")
  func rows() async throws {
    let texts = Mutex<[String]>([])
    var configuration = Configuration()
    configuration.trace = StatementTrace(slowerThan: .zero) { statement in
      texts.withLock { $0.append(statement.sql) }
    }
    try await Self.withNews(configuration) { database throws in
      texts.withLock { $0 = [] }
      try await database.write { db throws in
        let story = try #require(try stories.find(7, in: db))
        var edited = story
        edited.title = "new"
        #expect(try stories.update(edited, in: db))
        #expect(try stories.update(story, from: edited, in: db))
        #expect(try stories.update(7, to: NewsArticle.Draft(story), in: db))
        let ofFeed = stories.where { $0.feedID == story.feedID }
        #expect(try ofFeed.update(edited, in: db))
        try stories.insert(NewsArticle.Draft(story), in: db)
        try feeds.upsert(Feed.Draft(url: "https://3", folder: "x"), onConflict: { $0.url }, in: db)
        try feeds.upsert(Feed.Draft(url: "https://n", folder: "x"), onConflict: { $0.url }, in: db)
        let some = feeds.where { $0.id.isIn([1, 2]) }
        let unread = try some.including(stories.where { !$0.read }).fetchAll(in: db)
        #expect(unread.count == 2)
        let withFeed = try stories.where { $0.id == 7 }.join(feeds).fetchAll(in: db)
        #expect(withFeed.count == 1)
        #expect(try tags.find((7, "tag 7"), in: db) != nil)
        #expect(try tags.delete((7, "tag 7"), in: db))
        #expect(try stories.delete(7, in: db))
        #expect(try stories.delete(keys: [8, 9], in: db) == 2)
        let read = stories.where { $0.id.isIn([10, 11]) }.update { $0.read = true }
        #expect(try read.returning().fetchAll(in: db).count == 2)
      }
      let changes = texts.withLock { $0 }.filter { text in
        ["SELECT", "UPDATE", "DELETE", "WITH"].contains { text.hasPrefix($0) }
      }
      #expect(changes.count > 10)
      try await database.read { db in
        for change in changes {
          let values = Array(repeating: DatabaseValue.null, count: change.count { $0 == "?" })
          let plan = try db.queryPlan(SQL(raw: change), Arguments(values))
          for table in ["article", "feed", "tag"] {
            #expect(!plan.scans(table), "\(change) \(plan)")
          }
        }
      }
    }
  }

  @Test(
    "a change of many rows searches by the key, whatever the statistics say",
    arguments: [
      "SELECT 1", "UPDATE sqlite_stat1 SET stat = '1 1 1'; ANALYZE sqlite_schema",
      "DELETE FROM sqlite_stat1; ANALYZE sqlite_schema",
    ])
  func changesOfManyRows(script: String) async throws {
    let texts = Mutex<[String]>([])
    var configuration = Configuration()
    configuration.trace = StatementTrace(slowerThan: .zero) { statement in
      texts.withLock { $0.append(statement.sql) }
    }
    try await Self.withNews(configuration) { database throws in
      try await database.write { db in try db.execute(script: script) }
      let articles = try await stories.fetchAll(in: database)
      let tagged = try await tags.fetchAll(in: database)
      texts.withLock { $0 = [] }
      try await database.write { db throws in
        #expect(try stories.update(contentsOf: articles, in: db) == 2_000)
        #expect(
          try tags.delete(keys: tagged.map(\.primaryKey), in: db) == 2_000)
        #expect(try stories.delete(keys: articles.map(\.id), in: db) == 2_000)
      }
      let changes = texts.withLock { $0 }.filter {
        $0.contains("miniorm_rows") && !$0.hasPrefix("EXPLAIN")
      }
      #expect(!changes.isEmpty || script.hasPrefix("UPDATE"))
      try await database.read { db in
        for change in changes {
          let plan = try db.queryPlan(SQL(raw: change), [nil])
          #expect(!plan.scans("article") && !plan.scans("tag"), "\(plan)")
        }
      }
    }
  }
}
