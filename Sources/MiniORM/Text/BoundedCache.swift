/// Values that are made once for each key, as many as there is room for.
///
/// Where there is no room, all are forgotten, and made anew when they are asked for: what keeps growing for the
/// life of a process is a leak, and a program with that many keys asks for each of them rarely.
struct BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let capacity: Int
  private var values: [Key: Value] = [:]

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { values.count }

  /// Returns the value of a key, which is made where there is none.
  mutating func value(of key: Key, _ make: () -> Value) -> Value {
    if let known = values[key] { return known }
    if values.count >= capacity { values.removeAll() }
    let new = make()
    values[key] = new
    return new
  }
}
