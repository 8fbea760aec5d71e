/// The observers of a table's rows, by row, and by column for commits with unknown rows.
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

  /// Returns the observers of changed rows, or of changed columns if `rows` is nil.
  /// - Complexity: O(*n*) in the smaller of the numbers of changed and observed rows, and in the
  ///   number of results.
  func concerned(by rows: ChangedRows, _ keys: Set<ExactText>) -> Set<Int> {
    var found: Set<Int> = []
    switch rows {
    case .known(let rows) where rows.count <= byRow.count:
      for row in rows { found.formUnion(byRow[row] ?? []) }
    case .known(let rows):
      for (row, ids) in byRow where rows.contains(row) { found.formUnion(ids) }
    case .unknown:
      for key in keys { found.formUnion(byColumn[key] ?? []) }
    }
    return found
  }
}
