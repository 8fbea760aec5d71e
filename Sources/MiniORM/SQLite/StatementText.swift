import Synchronization

/// SQL that never changes, with a number by which a cache finds its statement without hashing the
/// text.
@usableFromInline
final class StatementText: Sendable {
  let sql: String
  /// Its slot in every cache. Another text takes the slot when this one is gone.
  let slot: Int
  /// The ID that distinguishes it from earlier texts in the same slot.
  let id: Int
  private let isShared: Bool

  /// The allocation of slots in caches.
  private struct Slots {
    var free: [Int] = []
    /// The number of slots, including free ones.
    var count = 0
    var lastID = 0
  }
  private static let slots = Mutex(Slots())

  init(_ sql: String) {
    self.sql = sql
    isShared = false
    (slot, id) = Self.place()
  }

  private init(shared sql: String) {
    self.sql = sql
    isShared = true
    (slot, id) = Self.place()
  }

  private static func place() -> (slot: Int, id: Int) {
    slots.withLock { slots in
      slots.lastID += 1
      if let slot = slots.free.popLast() { return (slot, slots.lastID) }
      slots.count += 1
      return (slots.count - 1, slots.lastID)
    }
  }

  deinit {
    Self.slots.withLock { $0.free.append(slot) }
    guard isShared else { return }
    Self.texts.withLock { texts in
      // There may already be a new one with the same text.
      if texts[ExactText(sql)]?.id == id { texts[ExactText(sql)] = nil }
    }
  }

  private struct Shared {
    let id: Int
    weak var text: StatementText?
  }
  private static let texts = Mutex<[ExactText: Shared]>([:])

  /// Returns the text object for SQL that is made while the program runs. Each takes a slot in
  /// every cache, so equal ones share it for as long as somebody holds it.
  static func shared(_ sql: String) -> StatementText {
    texts.withLock { texts in
      let key = ExactText(sql)
      if let known = texts[key]?.text { return known }
      let new = StatementText(shared: sql)
      texts[key] = Shared(id: new.id, text: new)
      return new
    }
  }

  /// The number of slots in caches, and the number of shared texts.
  static var counts: (slots: Int, shared: Int) {
    (slots.withLock { $0.count }, texts.withLock { $0.count })
  }
}
