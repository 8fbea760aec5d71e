import Testing

@testable import MiniORM

@Table("sample")
private struct Sample: Equatable {
  let id: Int64
  var a: Int
  var b: Int
  var x: Int?
  var y: Int?
  var s: String
  var t: String?
  var flag: Bool
  var maybe: Bool?
}

/// A predicate as SQL and as a Swift closure.
private struct Predicate: Sendable {
  let sql: SQLExpression<Bool?>
  let holds: @Sendable (Sample) -> Bool

  init(_ sql: any SQLCondition, _ holds: @escaping @Sendable (Sample) -> Bool) {
    (self.sql, self.holds) = (sql.condition, holds)
  }

  static func random(depth: Int, _ random: inout SeededRandom) -> Predicate {
    guard depth > 0 else { return leaf(&random) }
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let operand = Predicate.random(depth: depth - 1, &random)
      return Predicate(!operand.sql) { !operand.holds($0) }
    case 1:
      let (left, right) = pair(depth, &random)
      return Predicate(left.sql && right.sql) { left.holds($0) && right.holds($0) }
    case 2:
      let (left, right) = pair(depth, &random)
      return Predicate(left.sql || right.sql) { left.holds($0) || right.holds($0) }
    default:
      // Without parentheses, to test Swift's precedence.
      let p = Predicate.random(depth: depth - 1, &random)
      let q = Predicate.random(depth: depth - 1, &random)
      let r = Predicate.random(depth: depth - 1, &random)
      return Predicate(p.sql || q.sql && !r.sql || r.sql && p.sql) {
        p.holds($0) || q.holds($0) && !r.holds($0) || r.holds($0) && p.holds($0)
      }
    }
  }

  private static func pair(_ depth: Int, _ random: inout SeededRandom) -> (Predicate, Predicate) {
    (Predicate.random(depth: depth - 1, &random), Predicate.random(depth: depth - 1, &random))
  }

  private static func leaf(_ random: inout SeededRandom) -> Predicate {
    let c = Sample.columns
    let n = Int.random(in: -2...6, using: &random)
    let m = Int.random(in: -2...6, using: &random)
    let text =
      ["", "a", "A", "ab", "%", "_", "b%", "é", "😀", "a\0b"].randomElement(using: &random) ?? ""
    let optional = Bool.random(using: &random) ? n : nil
    let optionalText = Bool.random(using: &random) ? text : nil
    switch Int.random(in: 0..<40, using: &random) {
    case 0: return Predicate(c.a == n) { $0.a == n }
    case 1: return Predicate(c.a != n) { $0.a != n }
    case 2: return Predicate(c.a < n) { $0.a < n }
    case 3: return Predicate(c.a <= n) { $0.a <= n }
    case 4: return Predicate(c.a > n) { $0.a > n }
    case 5: return Predicate(c.b >= n) { $0.b >= n }
    case 6: return Predicate(c.a == c.b) { $0.a == $0.b }
    case 7: return Predicate(c.a != c.b) { $0.a != $0.b }
    case 8: return Predicate(c.a < c.b) { $0.a < $0.b }
    case 9: return Predicate(c.a <= c.b) { $0.a <= $0.b }
    case 10: return Predicate(c.a > c.b) { $0.a > $0.b }
    case 11: return Predicate(c.a >= c.b) { $0.a >= $0.b }
    case 12: return Predicate(c.x == optional) { $0.x == optional }
    case 13: return Predicate(c.x != optional) { $0.x != optional }
    case 14: return Predicate(c.x == c.y) { $0.x == $0.y }
    case 15: return Predicate(c.x != c.y) { $0.x != $0.y }
    case 16: return Predicate(c.x.isNil) { $0.x == nil }
    case 17: return Predicate((c.x ?? n) > m) { ($0.x ?? n) > m }
    case 18: return Predicate((c.x ?? n) == (c.y ?? m)) { ($0.x ?? n) == ($0.y ?? m) }
    case 19: return Predicate(c.a.between(n, and: m)) { n <= $0.a && $0.a <= m }
    case 20: return Predicate(c.a.isIn([n, m])) { [n, m].contains($0.a) }
    case 21: return Predicate(c.a.isIn([])) { _ in false }
    case 22: return Predicate(c.s == text) { $0.s == text }
    case 23: return Predicate(c.s != text) { $0.s != text }
    case 24: return Predicate(c.t == optionalText) { $0.t == optionalText }
    case 25: return Predicate(c.t != optionalText) { $0.t != optionalText }
    case 26: return Predicate(c.s.hasPrefix(text)) { $0.s.hasPrefix(text) }
    case 27: return Predicate(c.s.hasSuffix(text)) { $0.s.hasSuffix(text) }
    case 28: return Predicate(c.s.contains(text)) { text.isEmpty || $0.s.contains(text) }
    case 29: return Predicate((c.t ?? text).hasPrefix("a")) { ($0.t ?? text).hasPrefix("a") }
    case 30: return Predicate(c.flag) { $0.flag }
    case 31: return Predicate(c.flag == true) { $0.flag }
    case 32: return Predicate(c.maybe == true) { $0.maybe == true }
    case 33: return Predicate(c.maybe != false) { $0.maybe != false }
    case 34: return Predicate(c.maybe ?? true) { $0.maybe ?? true }
    case 35: return Predicate(c.a + c.b * 2 - n > m) { $0.a + $0.b * 2 - n > m }
    case 36: return Predicate((c.a + c.b) * 2 == m) { ($0.a + $0.b) * 2 == m }
    case 37: return Predicate(c.a / 2 == n) { $0.a / 2 == n }
    case 38: return Predicate(c.a % 3 == n) { $0.a % 3 == n }
    default: return Predicate(c.a.abs() > n) { abs($0.a) > n }
    }
  }
}

@Suite("Predicates")
struct PredicateTests {
  @Test("1,500 random predicates select the same rows as Swift's filter", arguments: 0..<3)
  func random(seed: Int) async throws {
    var random = SeededRandom(UInt64(seed) + 100)
    let texts = ["", "a", "A", "ab", "ba", "a%", "b%c", "_", "é", "😀a", "a\0b", "b\0a"]
    let samples = (1...60).map { id in
      Sample(
        id: id, a: Int.random(in: -3...7, using: &random),
        b: Int.random(in: -3...7, using: &random),
        x: Bool.random(using: &random) ? Int.random(in: -3...7, using: &random) : nil,
        y: Bool.random(using: &random) ? Int.random(in: -3...7, using: &random) : nil,
        s: texts.randomElement(using: &random) ?? "",
        t: Bool.random(using: &random) ? texts.randomElement(using: &random) : nil,
        flag: Bool.random(using: &random), maybe: [nil, true, false][id.remainder(3)])
    }
    let predicates = (0..<500).map { index in Predicate.random(depth: index % 5, &random) }
    try await withFile(DatabaseSchema(Sample.self)) { database throws in
      let table = Table<Sample>()
      try await table.insert(contentsOf: samples, in: database)
      for predicate in predicates {
        let found = try await table.where { _ in predicate.sql }.order { $0.id }
          .fetchAll(in: database)
        #expect(found == samples.filter(predicate.holds), "\(predicate.sql.sql.text)")
      }
    }
  }
}

extension Int64 {
  fileprivate func remainder(_ divisor: Int64) -> Int { Int(self % divisor) }
}
