import Foundation
import MiniORM

/// Ten integers.
@Table("integers")
struct Integers: Identifiable, Equatable {
  let id: Int64
  var a, b, c, d, e, f, g, h, i: Int64

  static func make(_ n: Int64) -> Integers {
    Integers(
      id: n, a: n, b: -n, c: n &* 7, d: n &* 1_000_003, e: n & 1, f: 42, g: n << 20, h: ~n, i: n / 3
    )
  }
}

/// Fourteen columns of the kinds that applications have.
@Table("mixed")
struct Mixed: Identifiable, Equatable {
  let id: Int64
  var name: String
  var email: String
  var street: String
  var city: String
  var country: String
  var notes: String?
  var age: Int
  var score: Double
  var ratio: Double
  var isActive: Bool
  var rank: Int32
  var parentID: Int64?
  var avatar: Data

  static func make(_ n: Int64) -> Mixed {
    Mixed(
      id: n, name: "Person number \(n)", email: "person.\(n)@example.com",
      street: "\(n % 400) Rue de l'Église",
      city: "Reims", country: "FR",
      notes: n % 3 == 0 ? nil : "A note of some length about person \(n), as people write",
      age: Int(n % 90), score: Double(n) * 1.5 + 0.25, ratio: 1 / Double(n + 1),
      isActive: n % 2 == 0,
      rank: Int32(truncatingIfNeeded: n), parentID: n % 5 == 0 ? nil : n / 2,
      avatar: Data((0..<32).map { UInt8(truncatingIfNeeded: Int64($0) &+ n) }))
  }
}

extension Mixed {
  /// The same without its key, which the database assigns.
  var draft: Draft {
    Draft(
      name: name, email: email, street: street, city: city, country: country, notes: notes,
      age: age, score: score,
      ratio: ratio, isActive: isActive, rank: rank, parentID: parentID, avatar: avatar)
  }
}

/// Ten columns, four fifths of their values NULL.
@Table("nulls")
struct Nulls: Identifiable, Equatable {
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

  static func make(_ n: Int64) -> Nulls {
    func some<T>(_ column: Int64, _ value: T) -> T? { (n &* 31 &+ column) % 5 == 0 ? value : nil }
    return Nulls(
      id: n, a: some(1, n), b: some(2, "text \(n)"), c: some(3, Double(n)), d: some(4, Int(n)),
      e: some(5, "é \(n)"),
      f: some(6, -n), g: some(7, true), h: some(8, 0.5), i: some(9, "last"))
  }
}
