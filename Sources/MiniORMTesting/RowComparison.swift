import MiniORM

/// Compares the rows of two states of a file.
struct RowComparison {
  /// Tables, `table.column` pairs and other objects that may change.
  let changing: Set<ExactText>
  let allowsDrops: Bool
  let report: (String) -> Void

  private typealias Table = StoredTables.Table

  /// Compares the tables before and after a migration. Values of a changed format are converted.
  func compare(_ before: StoredTables, _ after: StoredTables, _ names: NameChanges) {
    for old in before.sorted {
      let key = old.name.folded
      guard let new = after.tables[names.table(key)] else {
        if !allowsDrops, !changing.contains(key), !names.drops(key, names.table(key)) {
          report("table \(old.name) is lost, and no step drops it")
        }
        continue
      }
      if !changing.contains(new.name.folded) { compare(old, new, names) }
    }
  }

  private func compare(_ old: Table, _ new: Table, _ names: NameChanges) {
    var pairs: [Pair] = []
    for (index, column) in old.columns.enumerated() where column.generated == nil {
      let name = names.column(column.key, of: old.name.folded)
      guard let position = new.position(name) else {
        if !allowsDrops, !names.drops(column.key, name), !isChanging(new, name) {
          report("table \(new.name): column \(column.name) is lost, and no step drops it")
        }
        continue
      }
      let other = new.columns[position]
      pairs.append(
        Pair(
          old: index, new: position, from: old.format(column), to: new.format(other),
          becomesNotNull: other.isNotNull && !column.isNotNull,
          isCompared: other.generated == nil && !isChanging(new, name),
          isComputed: names.computes(name)))
    }
    compare(old, new, pairs)
  }

  private func isChanging(_ table: Table, _ column: ExactText) -> Bool {
    changing.contains(ExactText("\(table.name.folded).\(column)"))
  }

  /// A column before and after.
  private struct Pair {
    let old: Int
    let new: Int
    let from: ColumnFormat
    let to: ColumnFormat
    var becomesNotNull = false
    var isCompared = true
    var isComputed = false

    /// The expected value; nil if a step computes the value.
    func expected(_ value: DatabaseValue) -> DatabaseValue? {
      if value == .null { return becomesNotNull ? nil : .null }
      if from.name == to.name { return isComputed ? nil : value }
      switch from.conversion(to: to) {
      case .stored: return value
      case .computed: return from.convert(value, to: to)
      case .none: return nil
      }
    }

    /// SQLite casts 5 to '5' and to 5.0.
    func isEqual(_ expected: DatabaseValue, _ value: DatabaseValue) -> Bool {
      expected == value || from.name != to.name && expected.matching == value.matching
    }
  }

  private func compare(_ old: Table, _ new: Table, _ pairs: [Pair]) {
    // Rows are matched by their key, or by all columns.
    let keys = old.definition.primaryKey.compactMap { key in
      pairs.first { old.columns[$0.old].key == key }
    }
    let isKeyed =
      !keys.isEmpty && keys.count == old.definition.primaryKey.count
      && Set(keys.map { new.columns[$0.new].key }) == Set(new.definition.primaryKey)
    let matched = isKeyed ? keys : pairs.filter(\.isCompared)
    var found = Dictionary(grouping: new.rows) { row in matched.map { row[$0.new].matching } }
    let expected = old.rows.map { row in matched.map { $0.expected(row[$0.old])?.matching } }
    guard !expected.joined().contains(nil) else {
      guard old.rows.count != new.rows.count else { return }
      let count = "\(old.rows.count) rows became \(new.rows.count) rows"
      return summarize([count], "table \(new.name):", new.name)
    }
    var (lost, differing) = ([String](), [Int: [String]]())
    for (row, key) in zip(old.rows, expected) {
      guard let other = found[key.compactMap { $0 }]?.popLast() else {
        lost.append(old.label(row))
        continue
      }
      for pair in pairs where isKeyed && pair.isCompared {
        guard let expected = pair.expected(row[pair.old]),
          !pair.isEqual(expected, other[pair.new])
        else { continue }
        let was = pair.from.name == pair.to.name ? "" : " (\(row[pair.old].short) as \(pair.from))"
        differing[pair.new, default: []].append(
          "\(new.label(other)) has \(other[pair.new].short), expected \(expected.short)\(was)")
      }
    }
    summarize(lost, "table \(new.name): lost", new.name)
    let extra = found.values.flatMap { $0.map(new.label) }.sorted()
    summarize(extra, "table \(new.name): added or doubled", new.name)
    for (column, rows) in differing.sorted(by: { $0.key < $1.key }) {
      let name = new.columns[column].name
      summarize(rows, "table \(new.name), column \(name):", "\(new.name).\(name)")
    }
  }

  private func summarize(_ lines: [String], _ title: String, _ name: String) {
    guard !lines.isEmpty else { return }
    let more = lines.count > 3 ? ["and \(lines.count - 3) more"] : []
    report(
      "\(title) " + (lines.prefix(3) + more).joined(separator: "; ")
        + ". If this is intended, pass changing: [\"\(name)\"]")
  }
}

extension DatabaseValue {
  /// Equal for values that a change of the type keeps, such as 5 and '5'.
  fileprivate var matching: DatabaseValue {
    if case .real(let number) = self, let integer = Int64(exactly: number) {
      return .text("\(integer)")
    }
    return plain.map { .text($0) } ?? self
  }
}
