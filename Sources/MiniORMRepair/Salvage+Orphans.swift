import MiniORM

extension Salvage {
  private struct Orphan {
    let page: Int
    let isTable: Bool
    let tree: BTreeWalk.Tree
  }

  /// Assigns orphaned rows to a table that has a damaged page, lacks their rowids, and has matching
  /// columns, if no other table qualifies. Index entries decide between tables with the same
  /// columns.
  /// - Parameter isCertain: True if all tables are known, and all free pages are known or were
  ///   overwritten by SQLCipher, so that no page can hold deleted rows or rows of an unknown table.
  func assign(
    _ pages: [(page: Int, isTable: Bool)], isCertain: Bool
  ) throws(DatabaseError) {
    var orphans: [Orphan] = []
    for (page, isTable) in pages {
      orphans.append(
        Orphan(page: page, isTable: isTable, tree: walk.walk(page, isTable: isTable)))
    }
    var isChanged = true
    while isChanged {
      isChanged = false
      for (index, orphan) in orphans.enumerated().reversed() {
        guard let owner = try owner(of: orphan, isCertain: isCertain) else { continue }
        owner.trees.append(orphan.tree)
        owner.gaps += orphan.tree.gaps
        orphans.remove(at: index)
        isChanged = true
      }
    }
    for orphan in orphans where orphan.isTable || !isIndex(orphan) {
      setUnassigned(orphan.tree.pages)
    }
  }

  private func owner(of orphan: Orphan, isCertain: Bool) throws(DatabaseError) -> Rows? {
    var possible: [Rows] = []
    var certain: [Rows] = []
    for rows in tables where rows.table.hasRowID == orphan.isTable && !rows.gaps.isEmpty {
      guard hasRoom(rows, orphan) else { continue }
      switch try confirmation(rows, orphan) {
      case .refused: continue
      case .possible: possible.append(rows)
      case .certain: certain.append(rows)
      }
    }
    if !certain.isEmpty { return certain.count == 1 ? certain[0] : nil }
    guard possible.count == 1, isCertain, orphan.isTable || !isIndex(orphan),
      try !isSystem(orphan)
    else { return nil }
    return possible[0]
  }

  /// True if the table lacks rowids in the orphan's range.
  private func hasRoom(_ rows: Rows, _ orphan: Orphan) -> Bool {
    func isAbove(_ gap: BTreeWalk.Gap) -> Bool {
      guard let height = gap.height else { return true }
      return orphan.tree.height.map { height == $0 + 1 } ?? (height > 0)
    }
    guard orphan.isTable else { return rows.gaps.contains(where: isAbove) }
    guard let low = orphan.tree.low, let high = orphan.tree.high else {
      // All pages below the orphan are damaged.
      return false
    }
    let isMissing = rows.gaps.contains { gap in
      isAbove(gap) && gap.low.map { low > $0 } ?? true && gap.high.map { high <= $0 } ?? true
    }
    let isTaken = rows.trees.dropFirst().contains { tree in
      guard let first = tree.low, let last = tree.high else { return false }
      return low <= last && first <= high
    }
    return isMissing && !isTaken
  }

  /// True for rows of a system table such as `sqlite_sequence`, which a schema script does not
  /// declare.
  private func isSystem(_ orphan: Orphan) throws(DatabaseError) -> Bool {
    guard objects.contains(where: { $0.root < 0 }) else { return false }
    let names = Set(objects.map { ExactText($0.name) })
    var isSystem = true
    for page in orphan.tree.pages {
      try walk.forEachRow(of: page) { row throws(DatabaseError) in
        guard let values = row.values else { return }
        guard [2, 3, 6].contains(values.count), case .text(let name) = values[0] else {
          return isSystem = false
        }
        if !names.contains(ExactText(String(decoding: name, as: UTF8.self))) { isSystem = false }
      }
    }
    return isSystem
  }

  private enum Confirmation { case refused, possible, certain }

  /// Compares the rows with a table's columns, index entries and unique keys.
  private func confirmation(
    _ rows: Rows, _ orphan: Orphan
  ) throws(DatabaseError) -> Confirmation {
    var isRefused = false
    var isCertain = false
    var found = rows.uniques.map { _ in Set<[StoredValue]>() }
    for page in orphan.tree.pages {
      try walk.forEachRow(of: page) { row throws(DatabaseError) in
        guard !isRefused, let values = row.values else { return }
        guard rows.table.fits(values) else { return isRefused = true }
        for (index, places) in rows.uniques.enumerated() {
          let key = places.compactMap { $0 < values.count ? values[$0] : nil }
          // In a unique index, NULLs are distinct.
          guard key.count == places.count, !key.contains(.null) else { continue }
          if !found[index].insert(key).inserted { return isRefused = true }
        }
        guard let rowID = row.rowID else { return }
        for entries in rows.entries {
          guard let entry = entries.values[rowID] else {
            if entries.isWhole { isRefused = true }
            continue
          }
          for (place, value) in zip(entries.columns, entry) {
            guard let place, place < values.count, !rows.table.columns[place].isRowID else {
              continue
            }
            if Self.isSame(values[place], value) { isCertain = true } else { isRefused = true }
          }
        }
      }
      if isRefused { return .refused }
    }
    return isCertain ? .certain : .possible
  }

  /// Compares two values. SQLite may store a whole number in a REAL column as an integer.
  private static func isSame(_ one: StoredValue, _ other: StoredValue) -> Bool {
    switch (one, other) {
    case (.integer(let integer), .real(let bits)), (.real(let bits), .integer(let integer)):
      Double(integer) == Double(bitPattern: bits)
    default: one == other
    }
  }

  /// True if the rows may be entries of a damaged index, or no row can be read.
  private func isIndex(_ orphan: Orphan) -> Bool {
    var count: Int?
    for page in orphan.tree.pages {
      try? walk.forEachRow(of: page) { row throws(DatabaseError) in
        count = count ?? row.values?.count
      }
      if count != nil { break }
    }
    guard let count else { return true }
    return indexGapColumns.contains(count)
  }
}
