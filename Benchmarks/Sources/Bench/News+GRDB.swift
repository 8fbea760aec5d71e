import GRDB

extension GRDBContender: NewsContender {
  func run(_ work: News) async throws -> Int {
    switch work {
    case .pages:
      try await pool.read { [isCodable] db in
        var count = 0
        for feed in 1...Feed.count {
          let isOfFeed = Column("feedID") == feed
          let newest = Column("published").desc
          count +=
            isCodable
            ? try CodableStory.filter(isOfFeed).order(newest).limit(News.page).fetchAll(db).count
            : try GRDBStory.filter(isOfFeed).order(newest).limit(News.page).fetchAll(db).count
        }
        return count
      }
    case .unreadCounts:
      try await pool.read { db in
        var count = 0
        for _ in 0..<20 {
          let request = GRDBStory.filter(Column("read") == 0)
            .select(Column("feedID"), GRDB.count(Column("id"))).group(Column("feedID"))
          count += try UnreadCount.fetchAll(db, request).count
        }
        return count
      }
    case .starred:
      try await pool.read { db in
        var count = 0
        for join in Int64(0)..<500 {
          let request = CodableStory.select(Column("id"), Column("title"))
            .filter(Column("starred") == 1 && Column("published") < News.limit(of: join))
            .annotated(withRequired: CodableStory.feed.select(Column("name")))
            .order(Column("published").desc).limit(News.starredPage)
          count += try StarredStory.fetchAll(db, request).count
        }
        return count
      }
    case .mark:
      try await pool.write { db in
        var count = 0
        for keys in Story.marked {
          count += try GRDBStory.filter(keys.contains(Column("id")))
            .updateAll(db, Column("read").set(to: true))
        }
        return count
      }
    }
  }
}

struct GRDBStory: FetchableRecord, TableRecord {
  static let databaseTableName = "story"
  let story: Story

  init(row: GRDB.Row) {
    story = Story(
      id: row[0], feedID: row[1], title: row[2], published: row[3], read: row[4], starred: row[5],
      body: row[6])
  }
}

struct CodableFeed: Codable, FetchableRecord, TableRecord {
  static let databaseTableName = "feed"
  let id: Int64
  let name: String
}

struct CodableStory: Codable, FetchableRecord, TableRecord {
  static let databaseTableName = "story"
  static let feed = belongsTo(CodableFeed.self)
  let id: Int64
  let feedID: Int64
  let title: String
  let published: Int64
  let read: Bool
  let starred: Bool
  let body: String
}

struct UnreadCount: FetchableRecord {
  let feedID: Int64
  let count: Int
  init(row: GRDB.Row) { (feedID, count) = (row[0], row[1]) }
}

struct StarredStory: FetchableRecord {
  let id: Int64
  let title, feed: String
  init(row: GRDB.Row) { (id, title, feed) = (row[0], row[1], row[2]) }
}
