import Synchronization

/// A cache finds the statement by slot, without hashing the text.
@usableFromInline
final class StatementText: Sendable {
  let sql: String
  @usableFromInline
  struct Place: Sendable {
    /// The slot in every cache, reused after this text is released.
    let slot: Int
    /// Distinguishes the text from earlier texts in the same slot.
    let id: Int
  }
  @usableFromInline let place: Place
  var slot: Int { place.slot }
  var id: Int { place.id }

  private struct Slots {
    var free: [Int] = []
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

  static var counts: (slots: Int, shared: Int) { (slots.withLock { $0.count }, SharedText.count) }
}

/// A text built at run time. Equal texts share a slot while a reference exists.
// A wrapper: reference counting of an object with weak references is much slower.
final class SharedText: Sendable {
  let text: StatementText

  private init(_ sql: String) { text = StatementText(sql) }

  deinit {
    Self.texts.withLock { texts in
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
