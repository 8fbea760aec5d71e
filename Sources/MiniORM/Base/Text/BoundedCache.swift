/// When full, the cache removes all values: a program with that many keys rarely requests the same
/// key again.
struct BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let capacity: Int
  private var values: [Key: Value] = [:]

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { values.count }

  mutating func value(of key: Key, _ make: () -> Value) -> Value {
    if let known = values[key] { return known }
    if values.count >= capacity { values.removeAll() }
    let new = make()
    values[key] = new
    return new
  }
}
