/// The SQL of a statement with its hash, so that a cache lookup does not hash the text.
@usableFromInline
struct StatementText: Sendable, Hashable {
  let sql: String
  private let hash: Int

  init(_ sql: String) {
    self.sql = sql
    hash = ExactText(sql).hashValue
  }

  @usableFromInline
  static func == (left: StatementText, right: StatementText) -> Bool {
    left.hash == right.hash && left.sql.hasSameBytes(as: right.sql)
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
