import MiniORM

/// The work done with MiniORM, as its users would write it.
final class MiniORMContender: Contender {
  let name = "MiniORM"
  private let target: Target
  let database: Database
  let scratch: Database
  /// What is inserted one by one, made before it is timed.
  private var mixedDrafts: [Mixed.Draft] = []

  init(_ target: Target, scratch: Target) async throws {
    self.target = target
    database = try await Self.open(target)
    self.scratch = try await Self.open(scratch)
  }

  private static func open(_ target: Target) async throws -> Database {
    // As the others have it.
    var configuration = Configuration()
    configuration.synchronous = .normal
    return try await Database(
      path: target.path, key: target.key.map { Key.raw($0) }, configuration: configuration)
  }

  func fetchIntegers() async throws -> Int {
    try await Table<Integers>().fetchAll(in: database).count
  }
  func fetchMixed() async throws -> Int { try await Table<Mixed>().fetchAll(in: database).count }
  func fetchNulls() async throws -> Int { try await Table<Nulls>().fetchAll(in: database).count }
  func insertIntegers(_ rows: [Integers]) async throws -> Int {
    try await Table<Integers>().insert(contentsOf: rows, in: scratch)
  }
  func insertMixed(_ rows: [Mixed]) async throws -> Int {
    try await Table<Mixed>().insert(contentsOf: rows, in: scratch)
  }
  func lookUpInTransaction(_ keys: [Int64]) async throws -> Int {
    try await database.read { db in
      let table = Table<Integers>()
      var found = 0
      for key in keys where try table.find(key, in: db) != nil { found += 1 }
      return found
    }
  }
  func lookUpEach(_ keys: [Int64]) async throws -> Int {
    let table = Table<Integers>()
    var found = 0
    for key in keys where try await table.find(key, in: database) != nil { found += 1 }
    return found
  }
  func insertMixedOneByOne(_ rows: [Mixed]) async throws -> Int {
    let table = Table<Mixed>()
    if mixedDrafts.count != rows.count { mixedDrafts = rows.map(\.draft) }
    return try await scratch.write { [mixedDrafts] db in
      for draft in mixedDrafts { try table.insert(draft, in: db) }
      return mixedDrafts.count
    }
  }
  func insertEach(_ rows: [Integers]) async throws -> Int {
    let table = Table<Integers>()
    for row in rows { try await table.insert(row, in: scratch) }
    return rows.count
  }
  func insertEachSynchronously(_ rows: [Integers]) async throws -> Int {
    try insertWithoutAwait(rows)
  }
  func insertAndFetchEach(_ rows: [Integers]) async throws -> Int {
    try insertWithoutAwait(rows)
  }
  private func insertWithoutAwait(_ rows: [Integers]) throws -> Int {
    let table = Table<Integers>()
    for row in rows { try scratch.writeSynchronously { db in try table.insert(row, in: db) } }
    return rows.count
  }
  func update(_ rows: [Integers]) async throws -> Int {
    try await Table<Integers>().update(contentsOf: rows, in: database)
  }
  func fetchLines() async throws -> Int {
    try await Table<Delivery>().join(Table<Article>())
      .join(Table<Supplier>()) { $1.supplierID == $2.id }
      .leftJoin(Table<Depot>()) { $0.depotID == $3.id }
      .where { $0.1.price < DeliveryLine.limit }
      .select {
        DeliveryLine.Columns(
          id: $0.id, article: $1.name, supplier: $2.name, depot: $3.name, pieces: $0.pieces,
          price: $1.price)
      }
      .fetchAll(in: database).count
  }
  private static let articles = PreparedQuery(Int64.self, Double.self) { supplier, price in
    Table<Article>().where { $0.supplierID == supplier && $0.price < price }
      .order { $0.id }.limit(Article.found)
  }
  func fetchArticles(of suppliers: [Int64]) async throws -> Int {
    try await database.read { db in
      var found = 0
      for supplier in suppliers {
        found += try Self.articles.fetchAll(supplier, DeliveryLine.limit, in: db).count
      }
      return found
    }
  }
  func openBoth() async throws -> Int { try await open() }
  func open() async throws -> Int {
    let database = try await Self.open(target)
    let found = try await Table<Integers>().find(1, in: database)
    try await database.close()
    return found == nil ? 0 : 1
  }
  func clear() async throws {
    try await Table<Integers>().deleteAll(in: scratch)
    try await Table<Mixed>().deleteAll(in: scratch)
    try await Table<Stock>().deleteAll(in: scratch)
    try await Table<Image>().deleteAll(in: scratch)
  }
  func emptyLog() async throws {
    guard try await scratch.checkpoint(.truncate)?.isComplete == true else {
      throw BenchError(description: "somebody reads in the log")
    }
  }
  func cipherVersion() async throws -> String {
    try await database.read { try $0.value(String.self, "PRAGMA cipher_version") ?? "" }
  }
  func close() async throws {
    try await database.close()
    try await scratch.close()
  }

  /// Reads every row without keeping one.
  func stream() async throws {
    try await Table<Integers>().forEach(in: database) { _ in }
  }
}
