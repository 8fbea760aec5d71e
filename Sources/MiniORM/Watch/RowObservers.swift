/// Those who observe rows of one table, found by the rows and, where it is not known which rows have
/// changed, by the columns.
struct RowObservers {
  private var byRow: [Int64: Set<Int>] = [:]
  private var byColumn: [ExactText: Set<Int>] = [:]

  var isEmpty: Bool { byRow.isEmpty && byColumn.isEmpty }
  var count: Int { byRow.count + byColumn.count }

  mutating func insert(_ id: Int, _ reads: RowReads) {
    for row in reads.rowIDs { byRow[row, default: []].insert(id) }
    for key in reads.keys { byColumn[key, default: []].insert(id) }
  }

  mutating func remove(_ id: Int, _ reads: RowReads) {
    for row in reads.rowIDs { Self.remove(id, from: &byRow, row) }
    for key in reads.keys { Self.remove(id, from: &byColumn, key) }
  }

  private static func remove<Key>(_ id: Int, from all: inout [Key: Set<Int>], _ key: Key) {
    all[key]?.remove(id)
    if all[key]?.isEmpty ?? false { all[key] = nil }
  }

  /// Returns those who read a row that has changed, whatever they read of it.
  /// - Parameters:
  ///   - rows: The rows; nil for any.
  ///   - keys: The columns that have changed.
  /// - Complexity: O(*n*) in the number of rows or of those observed, whichever is less, and of those who are found.
  func concerned(by rows: Set<Int64>?, _ keys: Set<ExactText>) -> Set<Int> {
    var found: Set<Int> = []
    if let rows, rows.count <= byRow.count {
      for row in rows { found.formUnion(byRow[row] ?? []) }
    } else if let rows {
      for (row, ids) in byRow where rows.contains(row) { found.formUnion(ids) }
    } else {
      for key in keys { found.formUnion(byColumn[key] ?? []) }
    }
    return found
  }
}
