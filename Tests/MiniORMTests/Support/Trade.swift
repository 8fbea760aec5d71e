import MiniORM
import Testing

// Tables that reference each other, for tests of joins.

@Table("maker")
struct Maker: Identifiable, Equatable {
  let id: Int64
  var name: String
  var founded: Int?
}

@Table("store", columns: .snakeCase)
struct Store: Identifiable, Equatable {
  let id: Int64
  var name: String
  @Column(.references(Maker.self)) var homeMakerID: Maker.ID?
}

@Table("product", columns: .snakeCase)
struct Product: Identifiable, Equatable {
  let id: Int64
  var name: String
  var price: Double
  @Column(.references(Maker.self)) var makerID: Maker.ID
  @Column(as: .json) var tags: [String] = []
}

@Table("sale", columns: .snakeCase, primaryKey: ["productID", "storeID"])
struct Sale: Equatable {
  @Column(.references(Product.self)) var productID: Product.ID
  @Column(.references(Store.self)) var storeID: Store.ID
  var pieces = 1
}

@Table("part", columns: .snakeCase)
struct Part: Identifiable, Equatable {
  let id: Int64
  var name: String
  var wholeID: Part.ID?
}

@Selection
struct Line: Equatable {
  let product: String
  var maker: String?
  var price: Double
}

let makers = Table<Maker>()
let stores = Table<Store>()
let products = Table<Product>()
let sales = Table<Sale>()
let parts = Table<Part>()

extension Maker {
  static let some = [
    Maker(id: 1, name: "Acme", founded: 1900), Maker(id: 2, name: "Bolt", founded: nil),
    Maker(id: 3, name: "Cog", founded: 1950),
  ]
}
extension Store {
  static let some = [
    Store(id: 1, name: "North", homeMakerID: 1), Store(id: 2, name: "South", homeMakerID: nil),
  ]
}
extension Product {
  static let some = [
    Product(id: 1, name: "Anvil", price: 90, makerID: 1, tags: ["iron", "heavy"]),
    Product(id: 2, name: "Nut", price: 0.5, makerID: 2),
    Product(id: 3, name: "Rocket", price: 900, makerID: 1, tags: ["fast"]),
  ]
}
extension Sale {
  static let some = [
    Sale(productID: 1, storeID: 1, pieces: 3), Sale(productID: 2, storeID: 1, pieces: 100),
    Sale(productID: 2, storeID: 2, pieces: 40),
  ]
}
extension Part {
  static let some = [
    Part(id: 1, name: "Car", wholeID: nil), Part(id: 2, name: "Motor", wholeID: 1),
    Part(id: 3, name: "Piston", wholeID: 2), Part(id: 4, name: "Wheel", wholeID: 1),
  ]
}

/// Runs a test on a file with makers, stores, products, sales and parts.
func withTrade<Result>(_ body: (Database) async throws -> Result) async throws -> Result {
  let schema = DatabaseSchema(Maker.self, Store.self, Product.self, Sale.self, Part.self)
  return try await withFile(schema) { database throws in
    try await database.write { db in
      try makers.insert(contentsOf: Maker.some, in: db)
      try stores.insert(contentsOf: Store.some, in: db)
      try products.insert(contentsOf: Product.some, in: db)
      try sales.insert(contentsOf: Sale.some, in: db)
      try parts.insert(contentsOf: Part.some, in: db)
    }
    return try await body(database)
  }
}
