import Synchronization

/// SQL that never changes, with a number by which a cache finds its statement without hashing the
/// text.
@usableFromInline
final class StatementText: Sendable {
  let sql: String
  /// Where caches have the statement of a text.
  @usableFromInline
  struct Place: Sendable {
    /// Its slot in every cache. Another text takes the slot when this one is gone.
    let slot: Int
    /// The ID that distinguishes it from earlier texts in the same slot.
    let id: Int
  }
  @usableFromInline let place: Place
  var slot: Int { place.slot }
  var id: Int { place.id }

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
    place = Self.newPlace()
  }

  private static func newPlace() -> Place {
    slots.withLock { slots in
      slots.lastID += 1
      if let slot = slots.free.popLast() { return Place(slot: slot, id: slots.lastID) }
      slots.count += 1
      return Place(slot: slots.count - 1, id: slots.lastID)
    }
  }

  deinit { Self.slots.withLock { $0.free.append(slot) } }

  /// The number of slots in caches, and the number of shared texts.
  static var counts: (slots: Int, shared: Int) { (slots.withLock { $0.count }, SharedText.count) }
}

/// A text for SQL that is made while the program runs. Each takes a slot in every cache, so equal ones share
/// it for as long as somebody holds this.
// Not the text itself: counting the references of what somebody else has a weak one to takes four times as
// long, and each run of a statement does.
final class SharedText: Sendable {
  let text: StatementText

  private init(_ sql: String) { text = StatementText(sql) }

  deinit {
    Self.texts.withLock { texts in
      // There may already be a new one with the same text.
      if texts[ExactText(text.sql)]?.id == text.id { texts[ExactText(text.sql)] = nil }
    }
  }

  private struct Entry {
    let id: Int
    weak var shared: SharedText?
  }
  private static let texts = Mutex<[ExactText: Entry]>([:])

  static func of(_ sql: String) -> SharedText {
    texts.withLock { texts in
      let key = ExactText(sql)
      if let known = texts[key]?.shared { return known }
      let new = SharedText(sql)
      texts[key] = Entry(id: new.text.id, shared: new)
      return new
    }
  }

  fileprivate static var count: Int { texts.withLock { $0.count } }
}
