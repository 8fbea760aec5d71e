struct RowLog {
  private var rows: [(table: SchemaTable, change: RowChange)] = []
  private(set) var tables: [SchemaTable: Bool] = [:]
  private var isFull = false

  private static let limit = 100_000

  var count: Int { rows.count }
  var isEmpty: Bool { rows.isEmpty && tables.isEmpty }

  mutating func append(_ change: RowChange, of table: SchemaTable) {
    guard rows.count < Self.limit else { return isFull = true }
    rows.append((table, change))
  }

  func count(after start: Int, where isWanted: (SchemaTable) -> Bool) -> Int64 {
    Int64(rows.dropFirst(start).count { isWanted($0.table) })
  }

  mutating func note(_ columns: (SchemaTable) -> [String]?, after start: Int) {
    for index in rows.indices.dropFirst(start) where rows[index].change.kind == .update {
      guard let columns = columns(rows[index].table) else { continue }
      let known = rows[index].change.columns
      rows[index].change.columns = known.isEmpty ? columns : Set(known + columns).sorted()
    }
  }

  mutating func removeAll(after count: Int) {
    if count < rows.count { rows.removeSubrange(count...) }
  }

  mutating func note(_ written: [SchemaTable: Bool], isExact: Bool) {
    for (table, isKnown) in written {
      tables[table] = isKnown && isExact && tables[table] ?? true
    }
  }

  mutating func append(_ later: RowLog) {
    rows += later.rows
    isFull = isFull || later.isFull || rows.count > Self.limit
    note(later.tables, isExact: true)
  }

  var knownRows: [SchemaTable: Set<Int64>] {
    guard !isFull else { return [:] }
    var known: [SchemaTable: Set<Int64>] = [:]
    for (table, isKnown) in tables where isKnown { known[table] = [] }
    for (table, change) in rows { known[table]?.insert(change.rowID) }
    return known
  }

  var committed: CommittedChanges {
    var byTable: [SchemaTable: [RowChange]] = [:]
    if !isFull { for (table, change) in rows { byTable[table, default: []].append(change) } }
    var changes = CommittedChanges()
    for (table, isKnown) in tables.sorted(by: { $0.key < $1.key }) {
      let rows = byTable[table] ?? []
      let isComplete = isKnown && !isFull && rows.count <= CommittedChanges.limit
      // A table without changed rows is left out, for example after a cascade without matching
      // rows.
      guard !isComplete || !rows.isEmpty else { continue }
      changes.tables.append(
        TableChanges(
          database: table.schema, table: table.table,
          rows: rows.count > CommittedChanges.limit ? [] : rows, isComplete: isComplete))
    }
    return changes
  }
}
