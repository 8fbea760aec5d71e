import MiniORM

final class BTreeWalk {
  /// An unreadable page, and the expected contents of its subtree.
  struct Gap {
    let page: Int
    /// The exclusive lower bound of the subtree's rowids.
    let low: Int64?
    /// The inclusive upper bound of the subtree's rowids.
    let high: Int64?
    /// The number of levels between the root of the walk and this page.
    var depth = 0
    /// The number of levels below this page; nil if unknown.
    var height: Int?
  }

  struct Tree {
    /// The pages that hold rows, in key order. For an index, interior pages hold rows too.
    var pages: [Int] = []
    var gaps: [Gap] = []
    /// The number of levels below the root; nil if no leaf can be read.
    var height: Int?
    /// The lowest rowid; nil for an index and for an empty table.
    var low: Int64?
    var high: Int64?
  }

  struct Row {
    let rowID: Int64?
    let values: [StoredValue]?
  }

  let source: PageSource
  private(set) var seen: Set<Int> = []

  init(_ source: PageSource) { self.source = source }

  func page(_ number: Int) -> BTreePage? {
    source.page(number).flatMap { BTreePage($0, isFirst: number == 1) }
  }

  /// Visits each page of a b-tree once. Unreadable pages become gaps.
  func walk(_ root: Int, isTable: Bool, low: Int64? = nil, high: Int64? = nil) -> Tree {
    var tree = Tree()
    var stack = [Gap(page: root, low: low, high: high)]
    while let next = stack.popLast() {
      guard !seen.contains(next.page), let page = page(next.page), page.isTable == isTable,
        isTable ? hasOrder(page, next) : true
      else {
        tree.gaps.append(next)
        continue
      }
      seen.insert(next.page)
      if page.isLeaf || !isTable { tree.pages.append(next.page) }
      if isTable, page.isLeaf, page.cellCount > 0 {
        tree.low = tree.low ?? page.rowID(0)
        tree.high = page.rowID(page.cellCount - 1)
      }
      guard !page.isLeaf else {
        tree.height = next.depth
        continue
      }
      var children: [Gap] = []
      var before = next.low
      for index in 0..<page.cellCount {
        guard let child = page.child(index) else { continue }
        let key = page.rowID(index)
        children.append(Gap(page: child, low: before, high: key, depth: next.depth + 1))
        before = key
      }
      children.append(
        Gap(page: page.rightChild, low: before, high: next.high, depth: next.depth + 1))
      stack += children.reversed()
    }
    // All leaves of a b-tree have the same depth.
    for index in tree.gaps.indices {
      tree.gaps[index].height = tree.height.map { $0 - tree.gaps[index].depth }
    }
    return tree
  }

  /// True if the rowids of a page ascend within the expected bounds.
  private func hasOrder(_ page: BTreePage, _ bounds: Gap) -> Bool {
    var before = bounds.low
    for index in 0..<page.cellCount {
      guard let rowID = page.rowID(index) else { return false }
      if let before, rowID <= before { return false }
      if let high = bounds.high, rowID > high { return false }
      before = rowID
    }
    return true
  }

  func forEachRow(
    of number: Int, _ body: (Row) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    guard let page = page(number) else { return }
    for index in 0..<page.cellCount {
      var values: [StoredValue]?
      if let payload = page.payload(index), let bytes = bytes(payload, page) {
        values = StoredValue.record(bytes)
      }
      try body(Row(rowID: page.rowID(index), values: values))
    }
  }

  private func bytes(_ payload: BTreePage.Payload, _ page: BTreePage) -> [UInt8]? {
    var bytes = Array(page.bytes[payload.local])
    var next = payload.overflow
    // Ends a cyclic overflow chain: a valid chain is not longer than the file.
    var left = source.pageCount
    while bytes.count < payload.size {
      guard let number = next, left > 0, let more = source.page(number),
        let following = more.number(at: 0, count: 4)
      else { return nil }
      bytes += more[4...].prefix(payload.size - bytes.count)
      next = following > 0 ? following : nil
      left -= 1
    }
    return bytes
  }

  // MARK: Pages that nothing leads to

  /// Returns the roots of subtrees whose parent page is damaged.
  /// - Parameter excluded: Pages with a different known use.
  func orphans(excluding excluded: Set<Int>) -> [(page: Int, isTable: Bool)] {
    var found: [Int: Bool] = [:]
    var children: Set<Int> = []
    for number in stride(from: 1, through: source.pageCount, by: 1)
    where !seen.contains(number) && !excluded.contains(number) {
      guard let page = page(number), page.cellCount > 0 || !page.isLeaf else { continue }
      found[number] = page.isTable
      guard !page.isLeaf else { continue }
      for index in 0..<page.cellCount {
        if let child = page.child(index) { children.insert(child) }
      }
      children.insert(page.rightChild)
    }
    return found.filter { !children.contains($0.key) }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }
}
