/// The columns that a query reads, comparable with the columns of a ``WriteSet``.
///
/// A key consists of a schema, table and column name. An empty column name stands for inserted and
/// deleted rows, and `*` for any column.
struct ReadSet: Sendable, Equatable {
  private(set) var keys: Set<ExactText> = []
  private(set) var rows: [ExactText: RowReads] = [:]
  static let anything = ReadSet(isAnything: true)

  /// True if the reads are unknown, so that every change counts.
  var isAnything = false

  mutating func insert(_ column: String, of table: SchemaTable) {
    keys.insert(table.key(""))
    if !column.isEmpty { keys.insert(table.key(column)) }
  }

  mutating func insertAll(of table: SchemaTable) {
    keys.insert(table.key(""))
    keys.insert(table.key("*"))
  }

  mutating func formUnion(_ other: ReadSet) {
    keys.formUnion(other.keys)
    for (table, reads) in other.rows {
      rows[table, default: RowReads()].formUnion(reads)
      if rows[table].map({ $0.rowIDs.count > Self.rowLimit }) ?? false {
        keys.formUnion(rows.removeValue(forKey: table)?.keys ?? [])
      }
    }
    isAnything = isAnything || other.isAnything
  }

  private static let rowLimit = 1_000

  func limited(to rowIDs: Set<Int64>, of table: SchemaTable) -> ReadSet {
    guard !isAnything else { return self }
    var set = ReadSet()
    set.formUnion(ReadSet(rows: [table.key(""): RowReads(keys: keys, rowIDs: rowIDs)]))
    return set
  }
}

struct RowReads: Sendable, Equatable {
  private(set) var keys: Set<ExactText> = []
  private(set) var rowIDs: Set<Int64> = []

  fileprivate mutating func formUnion(_ other: RowReads) {
    keys.formUnion(other.keys)
    rowIDs.formUnion(other.rowIDs)
  }
}

struct WriteSet: Sendable {
  private(set) var keys: Set<ExactText> = []
  /// The changed rows by the keys of their tables.
  private(set) var rows: [ExactText: ChangedRows] = [:]
  /// True if the schema has changed, or the changes are unknown: every query is read again.
  var isEverything = false

  static let everything = WriteSet(isEverything: true)

  var isEmpty: Bool { keys.isEmpty && !isEverything }

  mutating func insertRows(of table: SchemaTable) { insert("", of: table) }

  mutating func insert(_ column: String, of table: SchemaTable) {
    keys.insert(table.key(column))
    keys.insert(table.key("*"))
    rows[table.key("")] = .unknown
  }

  mutating func formUnion(_ other: WriteSet) {
    guard !isEverything, !other.isEverything else {
      self = .everything
      return
    }
    keys.formUnion(other.keys)
    rows.merge(other.rows) { $0.union($1) }
  }

  mutating func limit(to rowIDs: Set<Int64>, of table: SchemaTable) {
    if rows[table.key("")] != nil { rows[table.key("")] = .known(rowIDs) }
  }

  func changes(_ reads: ReadSet) -> Bool {
    if isEmpty { return false }
    return isEverything || reads.isAnything || !keys.isDisjoint(with: reads.keys)
      || reads.rows.contains { table, rows in changes(rows, of: table) }
  }

  func changes(_ reads: RowReads, of table: ExactText) -> Bool {
    guard let written = rows[table], !keys.isDisjoint(with: reads.keys) else { return false }
    guard case .known(let rowIDs) = written else { return true }
    return !rowIDs.isDisjoint(with: reads.rowIDs)
  }
}

/// The changed rows of a table.
enum ChangedRows: Sendable {
  case known(Set<Int64>)
  case unknown

  /// Above this limit, all rows of the table count as changed.
  private static let limit = 100_000

  fileprivate func union(_ other: ChangedRows) -> ChangedRows {
    guard case .known(let mine) = self, case .known(let theirs) = other,
      mine.count + theirs.count <= Self.limit
    else { return .unknown }
    return .known(mine.union(theirs))
  }
}

struct SchemaTable: Hashable, Comparable, Sendable {
  let schema: String
  let table: String

  static func == (left: SchemaTable, right: SchemaTable) -> Bool {
    left.schema.hasSameBytes(as: right.schema) && left.table.hasSameBytes(as: right.table)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: schema)
    hasher.combine(bytesOf: table)
  }

  static func < (left: SchemaTable, right: SchemaTable) -> Bool {
    (ExactText(left.schema), ExactText(left.table))
      < (ExactText(right.schema), ExactText(right.table))
  }

  fileprivate func key(_ column: String) -> ExactText {
    // A name contains no NUL.
    "\(schema)\0\(table)\0\(column)".folded
  }
}

struct ChangedColumn: Hashable, Sendable {
  enum Change { case update, insertion, deletion }

  let table: ExactText
  /// Empty for whole rows.
  let column: ExactText
  let change: Change
}
