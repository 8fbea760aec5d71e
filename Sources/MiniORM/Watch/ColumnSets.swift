/// Columns that a query reads, in the form in which ``WriteSet`` names those that a transaction changes.
///
/// A key is the name of a database, of a table and of a column. Instead of a column's name, an empty
/// one stands for the rows, which come and go, and `*` for any column.
struct ReadSet: Sendable, Equatable {
  private(set) var keys: Set<ExactText> = []
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
    isAnything = isAnything || other.isAnything
  }
}

/// Columns that a transaction changes.
struct WriteSet: Sendable {
  private(set) var keys: Set<ExactText> = []
  /// Whether the schema has changed, or it cannot be told what has.
  var isEverything = false

  static let everything = {
    var set = WriteSet()
    set.isEverything = true
    return set
  }()

  var isEmpty: Bool { keys.isEmpty && !isEverything }

  /// Notes that rows come or go.
  mutating func insertRows(of table: SchemaTable) {
    keys.insert(table.key(""))
    keys.insert(table.key("*"))
  }

  mutating func insert(_ column: String, of table: SchemaTable) {
    keys.insert(table.key(column))
    keys.insert(table.key("*"))
  }

  mutating func formUnion(_ other: WriteSet) {
    isEverything = isEverything || other.isEverything
    keys = isEverything ? [] : keys.union(other.keys)
  }

  /// Whether what is read may have another value.
  func changes(_ reads: ReadSet) -> Bool {
    if isEmpty { return false }
    return isEverything || reads.isAnything || !keys.isDisjoint(with: reads.keys)
  }
}

/// A table in a database of a connection.
struct SchemaTable: Hashable, Comparable, Sendable {
  let schema: String
  let table: String

  static func < (left: SchemaTable, right: SchemaTable) -> Bool {
    (ExactText(left.schema), ExactText(left.table))
      < (ExactText(right.schema), ExactText(right.table))
  }

  fileprivate func key(_ column: String) -> ExactText {
    // A name holds no NUL.
    "\(schema)\0\(table)\0\(column)".folded
  }
}
