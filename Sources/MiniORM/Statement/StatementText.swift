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
}
