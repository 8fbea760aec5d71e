import Foundation
import GRDB

/// The work done with GRDB, its rows read by hand-written initializers or through Codable.
///
/// Statements are GRDB's own cached ones; the models of GRDB's are beside those of MiniORM, because the two
/// libraries name their requirements alike.
final class GRDBContender: Contender {
  let name: String
  private let target: Target
  let isCodable: Bool
  let pool: DatabasePool
  let scratch: DatabasePool

  init(_ target: Target, scratch: Target, isCodable: Bool) throws {
    name = isCodable ? "GRDB Codable" : "GRDB by hand"
    self.target = target
    self.isCodable = isCodable
    pool = try Self.open(target)
    self.scratch = try Self.open(scratch)
  }

  static func open(
    _ target: Target, readerCount: Int = 5, synchronous: String = "NORMAL"
  ) throws -> DatabasePool {
    var configuration = GRDB.Configuration()
    configuration.maximumReaderCount = readerCount
    configuration.prepareDatabase { db in
      if let key = target.key {
        let digits = key.map { String(format: "%02x", $0) }.joined()
        try db.execute(sql: "PRAGMA key = \"x'\(digits)'\"")
      }
      try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = \(synchronous)")
    }
    return try DatabasePool(path: target.path, configuration: configuration)
  }

  func fetchIntegers() async throws -> Int {
    isCodable
      ? try await pool.read { try CodableIntegers.fetchAll($0).count }
      : try await pool.read { try GRDBIntegers.fetchAll($0).count }
  }
  func fetchMixed() async throws -> Int {
    isCodable
      ? try await pool.read { try CodableMixed.fetchAll($0).count }
      : try await pool.read { try GRDBMixed.fetchAll($0).count }
  }
  func fetchNulls() async throws -> Int {
    isCodable
      ? try await pool.read { try CodableNulls.fetchAll($0).count }
      : try await pool.read { try GRDBNulls.fetchAll($0).count }
  }
  func insertIntegers(_ rows: [Integers]) async throws -> Int {
    try await scratch.write { [isCodable] db in
      for row in rows {
        if isCodable {
          try CodableIntegers(row).insert(db)
        } else {
          try GRDBIntegers(row: row).insert(db)
        }
      }
      return rows.count
    }
  }
  func insertMixed(_ rows: [Mixed]) async throws -> Int {
    try await scratch.write { [isCodable] db in
      for row in rows {
        if isCodable {
          try CodableMixed(row).insert(db)
        } else {
          try GRDBMixed(row: row).insert(db)
        }
      }
      return rows.count
    }
  }
  func lookUpInTransaction(_ keys: [Int64]) async throws -> Int {
    try await pool.read { [isCodable] db in
      var found = 0
      for key in keys {
        let isThere =
          isCodable
          ? try CodableIntegers.fetchOne(db, key: key) != nil
          : try GRDBIntegers.fetchOne(db, key: key) != nil
        if isThere { found += 1 }
      }
      return found
    }
  }
  func lookUpEach(_ keys: [Int64]) async throws -> Int {
    var found = 0
    for key in keys {
      let isThere =
        isCodable
        ? try await pool.read { try CodableIntegers.fetchOne($0, key: key) != nil }
        : try await pool.read { try GRDBIntegers.fetchOne($0, key: key) != nil }
      if isThere { found += 1 }
    }
    return found
  }
  func insertEach(_ rows: [Integers]) async throws -> Int {
    for row in rows {
      if isCodable {
        try await scratch.write { try CodableIntegers(row).insert($0) }
      } else {
        try await scratch.write { try GRDBIntegers(row: row).insert($0) }
      }
    }
    return rows.count
  }
  func insertEachSynchronously(_ rows: [Integers]) async throws -> Int {
    try insertWithoutAwait(rows)
  }
  func insertAndFetchEach(_ rows: [Integers]) async throws -> Int {
    try insertAndFetchWithoutAwait(rows)
  }
  private func insertAndFetchWithoutAwait(_ rows: [Integers]) throws -> Int {
    for row in rows {
      if isCodable {
        _ = try scratch.write { try CodableIntegers(row).insertAndFetch($0) }
      } else {
        _ = try scratch.write { try GRDBIntegers(row: row).insertAndFetch($0) }
      }
    }
    return rows.count
  }
  private func insertWithoutAwait(_ rows: [Integers]) throws -> Int {
    for row in rows {
      if isCodable {
        try scratch.write { try CodableIntegers(row).insert($0) }
      } else {
        try scratch.write { try GRDBIntegers(row: row).insert($0) }
      }
    }
    return rows.count
  }
  func update(_ rows: [Integers]) async throws -> Int {
    try await pool.write { [isCodable] db in
      for row in rows {
        if isCodable {
          try CodableIntegers(row).update(db)
        } else {
          try GRDBIntegers(row: row).update(db)
        }
      }
      return rows.count
    }
  }
  func fetchLines() async throws -> Int {
    try await pool.read { [isCodable] db in
      let statement = try db.cachedStatement(sql: DeliveryLine.sql)
      let limit: StatementArguments = [DeliveryLine.limit]
      return isCodable
        ? try CodableLine.fetchAll(statement, arguments: limit).count
        : try GRDBLine.fetchAll(statement, arguments: limit).count
    }
  }
  func fetchArticles(of suppliers: [Int64]) async throws -> Int {
    try await pool.read { [isCodable] db in
      var found = 0
      for supplier in suppliers {
        let statement = try db.cachedStatement(sql: Article.sql)
        let values: StatementArguments = [supplier, DeliveryLine.limit, Article.found]
        found +=
          isCodable
          ? try CodableArticle.fetchAll(statement, arguments: values).count
          : try GRDBArticle.fetchAll(statement, arguments: values).count
      }
      return found
    }
  }
  func openBoth() async throws -> Int { try await open() }
  func open() async throws -> Int {
    let pool = try Self.open(target)
    let found = try await pool.read { try GRDBIntegers.fetchOne($0, key: 1) != nil }
    try pool.close()
    return found ? 1 : 0
  }
  func clear() async throws {
    try await scratch.write {
      try $0.execute(sql: "DELETE FROM integers; DELETE FROM mixed; DELETE FROM stock")
    }
  }
  func emptyLog() async throws {
    _ = try await scratch.writeWithoutTransaction { try $0.checkpoint(.truncate) }
  }
  func cipherVersion() async throws -> String {
    try await pool.read { try String.fetchOne($0, sql: "PRAGMA cipher_version") ?? "" }
  }
  func close() async throws {
    try pool.close()
    try scratch.close()
  }
}

struct GRDBIntegers: FetchableRecord, PersistableRecord {
  static let databaseTableName = "integers"
  let row: Integers

  init(row: Integers) { self.row = row }

  init(row: GRDB.Row) {
    self.row = Integers(
      id: row[0], a: row[1], b: row[2], c: row[3], d: row[4], e: row[5], f: row[6], g: row[7],
      h: row[8], i: row[9])
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = row.id
    container["a"] = row.a
    container["b"] = row.b
    container["c"] = row.c
    container["d"] = row.d
    container["e"] = row.e
    container["f"] = row.f
    container["g"] = row.g
    container["h"] = row.h
    container["i"] = row.i
  }
}

struct GRDBMixed: FetchableRecord, PersistableRecord {
  static let databaseTableName = "mixed"
  let row: Mixed

  init(row: Mixed) { self.row = row }

  init(row: GRDB.Row) {
    self.row = Mixed(
      id: row[0], name: row[1], email: row[2], street: row[3], city: row[4], country: row[5],
      notes: row[6], age: row[7],
      score: row[8], ratio: row[9], isActive: row[10], rank: row[11], parentID: row[12],
      avatar: row[13])
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = row.id
    container["name"] = row.name
    container["email"] = row.email
    container["street"] = row.street
    container["city"] = row.city
    container["country"] = row.country
    container["notes"] = row.notes
    container["age"] = row.age
    container["score"] = row.score
    container["ratio"] = row.ratio
    container["isActive"] = row.isActive
    container["rank"] = row.rank
    container["parentID"] = row.parentID
    container["avatar"] = row.avatar
  }
}

struct GRDBNulls: FetchableRecord, TableRecord {
  static let databaseTableName = "nulls"
  let row: Nulls

  init(row: GRDB.Row) {
    self.row = Nulls(
      id: row[0], a: row[1], b: row[2], c: row[3], d: row[4], e: row[5], f: row[6], g: row[7],
      h: row[8], i: row[9])
  }
}

struct GRDBLine: FetchableRecord {
  let line: DeliveryLine

  init(row: GRDB.Row) {
    line = DeliveryLine(
      id: row[0], article: row[1], supplier: row[2], depot: row[3], pieces: row[4], price: row[5])
  }
}

struct GRDBArticle: FetchableRecord {
  let article: Article

  init(row: GRDB.Row) {
    article = Article(id: row[0], name: row[1], price: row[2], supplierID: row[3])
  }
}

struct CodableLine: Codable, FetchableRecord {
  let id: Int64
  let article, supplier: String
  let depot: String?
  let pieces: Int
  let price: Double
}

struct CodableArticle: Codable, FetchableRecord {
  let id: Int64
  let name: String
  let price: Double
  let supplierID: Int64
}

struct CodableIntegers: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "integers"
  let id: Int64
  var a, b, c, d, e, f, g, h, i: Int64

  init(_ row: Integers) {
    (id, a, b, c, d) = (row.id, row.a, row.b, row.c, row.d)
    (e, f, g, h, i) = (row.e, row.f, row.g, row.h, row.i)
  }
}

struct CodableMixed: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "mixed"
  let id: Int64
  var name, email, street, city, country: String
  var notes: String?
  var age: Int
  var score, ratio: Double
  var isActive: Bool
  var rank: Int32
  var parentID: Int64?
  var avatar: Data

  init(_ row: Mixed) {
    (id, name, email, street, city, country) = (
      row.id, row.name, row.email, row.street, row.city, row.country
    )
    (notes, age, score, ratio, isActive) = (row.notes, row.age, row.score, row.ratio, row.isActive)
    (rank, parentID, avatar) = (row.rank, row.parentID, row.avatar)
  }
}

struct CodableNulls: Codable, FetchableRecord, TableRecord {
  static let databaseTableName = "nulls"
  let id: Int64
  var a: Int64?
  var b: String?
  var c: Double?
  var d: Int?
  var e: String?
  var f: Int64?
  var g: Bool?
  var h: Double?
  var i: String?
}
