import Testing

@testable import MiniORM

@Suite("Bounded caches")
struct BoundedCacheTests {
  @Test("a value is created once, and again after eviction", arguments: [1, 2, 7, 100])
  func values(capacity: Int) {
    var cache = BoundedCache<Int, String>(capacity: capacity)
    var made: [Int] = []
    func value(_ key: Int) -> String {
      cache.value(of: key) {
        made.append(key)
        return "\(key)"
      }
    }
    for key in 0..<capacity { #expect(value(key) == "\(key)") }
    for key in 0..<capacity { #expect(value(key) == "\(key)") }
    #expect(made == Array(0..<capacity) && cache.count == capacity)
    for key in 0..<(10 * capacity) {
      #expect(value(key) == "\(key)")
      #expect(cache.count <= capacity)
    }
  }
}
