import MiniORM

// Four tables that refer to each other, for queries that join them.

@Table("supplier")
struct Supplier: Identifiable {
  let id: Int64
  var name: String
  var country: String
}

@Table("article")
struct Article: Identifiable {
  let id: Int64
  var name: String
  var price: Double
  @Column(.references(Supplier.self)) var supplierID: Supplier.ID
}

@Table("depot")
struct Depot: Identifiable {
  let id: Int64
  var name: String
}

@Table("delivery")
struct Delivery: Identifiable {
  let id: Int64
  @Column(.references(Article.self)) var articleID: Article.ID
  @Column(.references(Depot.self)) var depotID: Depot.ID?
  var pieces: Int
}

/// A row of the join.
@Selection
struct DeliveryLine {
  let id: Int64
  let article: String
  let supplier: String
  let depot: String?
  let pieces: Int
  let price: Double
}

extension DeliveryLine {
  /// The join in SQL, for those who write it themselves.
  static let sql = """
    SELECT delivery.id AS id, article.name AS article, supplier.name AS supplier,
      depot.name AS depot, delivery.pieces AS pieces, article.price AS price
    FROM delivery JOIN article ON delivery.articleID = article.id
      JOIN supplier ON article.supplierID = supplier.id
      LEFT JOIN depot ON delivery.depotID = depot.id
    WHERE article.price < ?
    """
  /// The limit of the price: half of the deliveries are below it.
  static let limit = 500.0
  static let countBelow = Int(Delivery.count / 2)
}

extension Article {
  static let count: Int64 = 2_000
  /// A supplier's articles below a price: the query that is run again and again.
  static let sql = """
    SELECT id, name, price, supplierID FROM article
    WHERE supplierID = ? AND price < ? ORDER BY id LIMIT ?
    """
  /// The suppliers of the runs.
  static let runs = (0..<10_000).map { Int64($0 * 31 % 100 + 1) }
  /// How many articles a run finds.
  static let found = 3
}

extension Delivery {
  static let count: Int64 = 40_000

  static func fill(_ database: Database) async throws {
    try await Table<Supplier>().insert(
      contentsOf: (1...100).map {
        Supplier(id: $0, name: "Supplier number \($0)", country: $0 % 2 == 0 ? "FR" : "NL")
      }, in: database)
    try await Table<Article>().insert(
      contentsOf: (1...Article.count).map {
        Article(
          id: $0, name: "Article of some length \($0)", price: Double($0 * 7 % 1_000) + 0.5,
          supplierID: $0 % 100 + 1)
      }, in: database)
    try await Table<Depot>().insert(
      contentsOf: (1...20).map { Depot(id: $0, name: "Dépôt \($0)") }, in: database)
    try await Table<Delivery>().insert(
      contentsOf: (1...count).map {
        Delivery(
          id: $0, articleID: $0 * 13 % Article.count + 1, depotID: $0 % 4 == 0 ? nil : $0 % 20 + 1,
          pieces: Int($0 % 50))
      }, in: database)
  }
}
