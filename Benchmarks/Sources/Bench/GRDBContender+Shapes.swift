import Foundation
import GRDB

extension GRDBContender {
  func fetchTuples() async throws -> Int {
    // GRDB has no tuples: a struct of three properties.
    try await pool.read { [isCodable] db in
      isCodable ? try CodableItem.fetchAll(db).count : try GRDBItem.fetchAll(db).count
    }
  }
  func fetchNames() async throws -> Int {
    try await pool.read { try String.fetchAll($0, sql: "SELECT name FROM item").count }
  }
  func fetchPairs() async throws -> Int {
    try await pool.read { db in
      try CodablePair.fetchAll(db, CodableChild.including(optional: CodableChild.parent)).count
    }
  }
  func fetchRelated() async throws -> Int {
    try await pool.read { db in
      let request = CodableParent.order(Column("id")).including(all: CodableParent.children)
      return try CodableFamily.fetchAll(db, request).reduce(0) { $0 + $1.children.count }
    }
  }
  func lookUpByCondition(_ keys: [Int64]) async throws -> Int {
    try await pool.read { [isCodable] db in
      var found = 0
      for key in keys {
        let isFound =
          Column("id") == key && Column("score") >= 0 && Column("name") != "Nobody"
        found +=
          isCodable
          ? try CodableItem.filter(isFound).fetchAll(db).count
          : try GRDBItem.filter(isFound).fetchAll(db).count
      }
      return found
    }
  }
  func upsert(_ rows: [Stock.Draft], isPrepared: Bool) async throws -> Int {
    try await scratch.write { db in
      let sql = """
        INSERT INTO stock (name, size) VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET size = size + excluded.size
        """
      let statement = try db.cachedStatement(sql: sql)
      for row in rows {
        if isPrepared {
          try statement.execute(arguments: [row.name, row.size])
        } else {
          try db.execute(sql: sql, arguments: [row.name, row.size])
        }
      }
      return rows.count
    }
  }
  func fetchRecords() async throws -> Int {
    try await pool.read { try CodableRecord.fetchAll($0).count }
  }
}

struct GRDBItem: FetchableRecord, TableRecord {
  static let databaseTableName = "item"
  let item: Item
  init(row: GRDB.Row) { item = Item(id: row[0], name: row[1], score: row[2]) }
}

struct CodableItem: Codable, FetchableRecord, TableRecord {
  static let databaseTableName = "item"
  let id: Int64
  let name: String
  let score: Double
}

struct CodableChild: Codable, FetchableRecord, TableRecord {
  static let databaseTableName = "child"
  static let parent = belongsTo(CodableParent.self)
  let id: Int64
  let parentID: Int64
  let name: String
  let size: Int
}

struct CodableParent: Codable, FetchableRecord, TableRecord {
  static let databaseTableName = "parent"
  static let children = hasMany(CodableChild.self).forKey("children")
  let id: Int64
  let name: String
}

struct CodablePair: Decodable, FetchableRecord {
  let child: CodableChild
  let parent: CodableParent?

  init(row: GRDB.Row) throws {
    child = try CodableChild(row: row)
    parent = row["parent"]
  }
}

struct CodableFamily: Decodable, FetchableRecord {
  let parent: CodableParent
  let children: [CodableChild]
}

struct CodableRecord: Codable, FetchableRecord, TableRecord {
  static let databaseTableName = "record"
  let id: UUID
  let created: Date
  let changed: Date
  let kind: Kind
  let tags: [String]
}
