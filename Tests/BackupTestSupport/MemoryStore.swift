import MiniORMBackup

/// A store in memory. As the result of an attack, it can also answer as a healthy store never would.
package actor MemoryStore: BackupStore {
  package private(set) var objects: [String: [UInt8]]
  /// The answers from the second `get` of a name on, if they differ.
  private var later: [String: [UInt8]]
  /// True if `list` returns the names in reverse order.
  private let isReversed: Bool

  package init(
    _ objects: [String: [UInt8]] = [:], later: [String: [UInt8]] = [:], isReversed: Bool = false
  ) {
    self.objects = objects
    self.later = later
    self.isReversed = isReversed
  }

  package func put(_ name: String, _ bytes: [UInt8]) { objects[name] = bytes }

  package func create(_ name: String, _ bytes: [UInt8]) -> Bool {
    guard objects[name] == nil else { return false }
    objects[name] = bytes
    return true
  }

  package func get(_ name: String) -> [UInt8]? {
    let bytes = objects[name]
    if let next = later.removeValue(forKey: name) { objects[name] = next }
    return bytes
  }

  package func list(_ prefix: String) -> [String] {
    let names = objects.keys.filter { $0.hasPrefix(prefix) }.sorted()
    return isReversed ? names.reversed() : names
  }

  package func delete(_ name: String) { objects[name] = nil }
}
