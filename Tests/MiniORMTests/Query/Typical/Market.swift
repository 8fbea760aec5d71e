import Foundation
import MiniORM

/// The tables of a shop with branches, for queries typical of applications.
enum Market {
  enum Status: String, ColumnValue, CaseIterable { case open, paid, sent, returned }

  @Table("city")
  struct City: Identifiable, Equatable {
    let id: Int64
    var name: String
    var country: String
    var population: Int?
  }

  @Table("customer", columns: .snakeCase)
  struct Customer: Identifiable, Equatable {
    let id: Int64
    @Column(.unique) var email: String
    var name: String
    var nickname: String?
    @Column(.references(City.self)) var cityID: City.ID?
    var joined: Date
    var isActive = true
    var credit = 0.0
    @Column(.references(Self.self)) var invitedBy: Int64?
    @Column(as: .json) var interests: [String] = []
  }

  @Table("branch", columns: .snakeCase)
  struct Branch: Identifiable, Equatable {
    let id: Int64
    var name: String
    @Column(.references(City.self)) var cityID: City.ID
    @Column(as: .unixSeconds) var opened: Date
    @Column(as: .unixSeconds) var closed: Date?
  }

  @Table("article", columns: .snakeCase)
  struct Article: Identifiable, Equatable {
    let id: Int64
    var name: String
    var category: String?
    var price: Double
    var weight: Double?
    var stock = 0
    var flags = 0
    var madeBy: String
  }

  @Table("purchase", columns: .snakeCase)
  struct Purchase: Identifiable, Equatable {
    let id: Int64
    @Column(.references(Customer.self)) var customerID: Customer.ID
    @Column(.references(Branch.self)) var branchID: Branch.ID?
    @Column(as: .unixSeconds) var placed: Date
    var status: Status = .open
    var discount: Double?
    var note: String?
  }

  @Table("item", columns: .snakeCase, primaryKey: ["purchaseID", "line"])
  struct Item: Equatable {
    @Column(.references(Purchase.self)) var purchaseID: Purchase.ID
    let line: Int
    @Column(.references(Article.self)) var articleID: Article.ID
    var pieces = 1
    var price: Double
  }

  @Selection
  struct Sum: Equatable {
    let name: String
    var purchases: Int
    var total: Double?
  }

  @Selection
  struct Receipt: Equatable {
    let customer: String
    var city: String?
    let article: String
    let pieces: Int
    let amount: Double
  }

  static let schema = DatabaseSchema(
    City.self, Customer.self, Branch.self, Article.self, Purchase.self, Item.self)

  static let cities = Table<City>()
  static let customers = Table<Customer>()
  static let branches = Table<Branch>()
  static let articles = Table<Article>()
  static let purchases = Table<Purchase>()
  static let items = Table<Item>()

  /// Values that queries take from the application.
  struct Given {
    var text = "abc"
    var pattern = "a%"
    var number = 3
    var price = 9.5
    var key: Int64 = 1
    var keys: [Int64] = [1, 2, 3]
    var words = ["a", "b"]
    var day = Date(timeIntervalSince1970: 1_800_000_000)
    var isOn = true
    var maybe: String?
    var maybeKey: Int64?
  }
}
