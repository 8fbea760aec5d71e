import Synchronization

/// SQL that never changes, with a number by which a cache finds its statement without hashing the
/// text.
@usableFromInline
final class StatementText: Sendable {
  let sql: String
  let slot: Int

  private static let count = Atomic<Int>(0)

  init(_ sql: String) {
    self.sql = sql
    slot = Self.count.add(1, ordering: .relaxed).oldValue
  }

  private static let texts = Mutex<[ExactText: StatementText]>([:])

  /// The one of a text that is made while the program runs: each takes a place in every cache, so
  /// equal ones share it.
  static func shared(_ sql: String) -> StatementText {
    texts.withLock { texts in
      if let known = texts[ExactText(sql)] { return known }
      let new = StatementText(sql)
      texts[ExactText(sql)] = new
      return new
    }
  }
}
