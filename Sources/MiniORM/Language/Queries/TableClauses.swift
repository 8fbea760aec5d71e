/// The clauses of a ``Table``, independent of its model type.
///
/// Each added clause copies the table, and most tables have only conditions. Other clauses are in
/// an object, so that a copy retains only three references.
@usableFromInline
struct TableClauses: Sendable {
  private(set) var filter: SQLPart?
  var scope: SQLPart?
  private var others: Box?

  private final class Box: Sendable {
    let others: Others
    init(_ others: Others) { self.others = others }
  }

  private struct Others: Sendable {
    var alias: String?
    var attached: TableSchema?
    var ordering: [SQL] = []
    var limit: Int?
    var offset: Int?
    var isDistinct = false
  }

  @usableFromInline
  init(scope: SQL?) { self.scope = scope.map { SQLPart($0) } }

  private mutating func change(_ body: (inout Others) -> Void) {
    var others = others?.others ?? Others()
    body(&others)
    self.others = Box(others)
  }

  var alias: String? {
    get { others?.others.alias }
    set { change { $0.alias = newValue } }
  }
  var attached: TableSchema? {
    get { others?.others.attached }
    set { change { $0.attached = newValue } }
  }
  var ordering: [SQL] {
    get { others?.others.ordering ?? [] }
    set { change { $0.ordering = newValue } }
  }
  var limit: Int? { others?.others.limit }
  var offset: Int? { others?.others.offset }
  var isDistinct: Bool {
    get { others?.others.isDistinct ?? false }
    set { change { $0.isDistinct = newValue } }
  }

  mutating func limit(_ count: Int, offset: Int) {
    change { others in
      others.limit = count
      others.offset = offset > 0 ? offset : nil
    }
  }

  mutating func add(_ condition: SQLPart) {
    filter = filter.map { SQLPart(SQL($0).and(SQL(condition))) } ?? condition
  }

  var condition: SQL? {
    guard let scope else { return filter.map { SQL($0) } }
    guard let filter else { return SQL(scope) }
    return SQL(scope).and(SQL(filter))
  }

  func reads(from table: String) -> SQL.Segment {
    .note(.reads(.table(table, condition: condition)))
  }

  var choosesRows: Bool {
    filter != nil || !ordering.isEmpty || limit != nil || offset != nil || isDistinct
  }

  var namesWithin: [String] {
    ([filter, scope].compactMap { $0.map { SQL($0) } } + ordering).flatMap(\.namesWithin)
  }

  mutating func rename(_ renames: Renames) {
    filter = filter.map { SQLPart(SQL($0).renaming(renames)) }
    scope = scope.map { SQLPart(SQL($0).renaming(renames)) }
    if !ordering.isEmpty { ordering = ordering.map { $0.renaming(renames) } }
  }
}

extension TableClauses {
  func append(to sql: inout SQL) {
    sql.append(" WHERE ", condition)
    sql.append(" ORDER BY ", ordering)
    sql.append(" LIMIT ", limit.map { SQL(limit: $0) })
    sql.append(" OFFSET ", offset.map { SQL(binding: $0) })
  }
}
