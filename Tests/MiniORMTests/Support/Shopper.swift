import Foundation
import MiniORM

/// A model with several kinds of JSON columns.
@Table("shopper", columns: .snakeCase)
struct Shopper: Identifiable, Equatable {
  let id: Int64
  var name: String
  @Column(as: .json) var address: Address
  @Column(as: .json) var tags: [String] = []
  @Column(as: .json) var scores: [String: Int]?
  @Column(as: .json) var orders: [Order] = []
  var note: String?
  var isActive = true
  var born: Date?
  @Column(as: .unixSeconds) var joined: Date

  struct Address: Codable, Equatable, Sendable {
    var city: String?
    var geo: Geo?
    var isHome: Bool?
  }
  struct Geo: Codable, Equatable, Sendable {
    var latitude: Double
    var longitude: Double
  }
  struct Order: Codable, Equatable, Sendable {
    var item: String
    var count: Int
  }
}

let shoppers = Table<Shopper>()

extension Shopper {
  static let day = Date(timeIntervalSince1970: 1_700_000_000)
  static let some = [
    Shopper(
      id: 1, name: "Ada",
      address: Address(city: "Reims", geo: Geo(latitude: 49.25, longitude: 4), isHome: true),
      tags: ["new", "vip"], scores: ["a": 3, "b.c": 5],
      orders: [Order(item: "Nut", count: 3), Order(item: "Anvil", count: 1)],
      note: #"{"a\"b":1,"x":[true,null,2.5]}"#, born: day, joined: day),
    Shopper(
      id: 2, name: "Bob", address: Address(city: nil, geo: nil, isHome: false), tags: ["vip"],
      scores: nil, note: nil, isActive: false, joined: day.addingTimeInterval(60)),
    Shopper(
      id: 3, name: "Cid", address: Address(city: "Oslo", geo: nil, isHome: nil), scores: [:],
      note: "no JSON", joined: day.addingTimeInterval(120)),
  ]
}

/// Runs a test on a file with some shoppers.
func withShoppers<Result>(_ body: (Database) async throws -> Result) async throws -> Result {
  try await withFile(DatabaseSchema(Shopper.self)) { database throws in
    try await shoppers.insert(contentsOf: Shopper.some, in: database)
    return try await body(database)
  }
}
