/// Columns that a query reads, in the form in which ``WriteSet`` names those that a transaction changes.
///
/// A key is the name of a database, of a table and of a column. Instead of a column's name, an empty
/// one stands for the rows, which come and go, and `*` for any column.
struct ReadSet: Sendable, Equatable {
  private(set) var keys: Set<ExactText> = []
  /// The tables of which only some rows are read, by their own keys, those of the rows that come and go.
  private(set) var rows: [ExactText: RowReads] = [:]
  static let anything = {
    var set = ReadSet()
    set.isAnything = true
    return set
  }()

  /// Whether it cannot be told what is read, so that every change counts.
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

  /// How many rows of a table count each by itself.
  private static let rowLimit = 1_000

  /// Returns the same of a query that reads nothing but some rows of one table.
  func limited(to rowIDs: Set<Int64>, of table: SchemaTable) -> ReadSet {
    guard !isAnything else { return self }
    var set = ReadSet()
    set.formUnion(ReadSet(rows: [table.key(""): RowReads(keys: keys, rowIDs: rowIDs)]))
    return set
  }

  init() {}
  private init(rows: [ExactText: RowReads]) { self.rows = rows }
}

/// Some rows of a table, and the columns that are read of them.
struct RowReads: Sendable, Equatable {
  private(set) var keys: Set<ExactText> = []
  private(set) var rowIDs: Set<Int64> = []

  fileprivate mutating func formUnion(_ other: RowReads) {
    keys.formUnion(other.keys)
    rowIDs.formUnion(other.rowIDs)
  }
}

/// Columns that a transaction changes.
struct WriteSet: Sendable {
  private(set) var keys: Set<ExactText> = []
  /// The tables, by their own keys, and the rows of those of which they are known: all that were inserted,
  /// updated or deleted.
  private(set) var rows: [ExactText: Set<Int64>?] = [:]
  /// Whether the schema has changed, or it cannot be told what has.
  var isEverything = false

  static let everything = {
    var set = WriteSet()
    set.isEverything = true
    return set
  }()

  var isEmpty: Bool { keys.isEmpty && !isEverything }

  /// Notes that rows come or go.
  mutating func insertRows(of table: SchemaTable) { insert("", of: table) }

  mutating func insert(_ column: String, of table: SchemaTable) {
    keys.insert(table.key(column))
    keys.insert(table.key("*"))
    rows[table.key("")] = .some(nil)
  }

  mutating func formUnion(_ other: WriteSet) {
    guard !isEverything, !other.isEverything else {
      self = .everything
      return
    }
    keys.formUnion(other.keys)
    for (table, theirs) in other.rows {
      if let mine = rows[table] {
        rows[table] = .some(
          mine.flatMap { mine in
            theirs.flatMap { mine.count + $0.count > Self.rowLimit ? nil : mine.union($0) }
          })
      } else {
        rows[table] = .some(theirs)
      }
    }
  }

  /// More rows of a table count as all of them.
  private static let rowLimit = 100_000

  /// The folded names of the databases that it is about.
  var schemas: Set<ExactText> {
    Set(
      rows.keys.map {
        ExactText(String(decoding: $0.string.utf8.prefix { $0 != 0 }, as: UTF8.self))
      })
  }

  /// Says which rows of a table have changed.
  mutating func limit(to rowIDs: Set<Int64>, of table: SchemaTable) {
    if rows[table.key("")] != nil { rows[table.key("")] = .some(rowIDs) }
  }

  /// Returns whether what is read may have another value.
  func changes(_ reads: ReadSet) -> Bool {
    if isEmpty { return false }
    return isEverything || reads.isAnything || !keys.isDisjoint(with: reads.keys)
      || reads.rows.contains { table, rows in changes(rows, of: table) }
  }

  /// Returns whether some rows of a table may have other values.
  func changes(_ reads: RowReads, of table: ExactText) -> Bool {
    guard let written = rows[table], !keys.isDisjoint(with: reads.keys) else { return false }
    return written.map { !$0.isDisjoint(with: reads.rowIDs) } ?? true
  }
}

/// A table in a database of a connection. Names are compared by their bytes.
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
    // A name holds no NUL.
    "\(schema)\0\(table)\0\(column)".folded
  }
}

/// A column whose values a statement may have changed, by folded names; all columns, where it is empty.
struct ChangedColumn: Hashable, Sendable {
  let table: ExactText
  let column: ExactText
}
