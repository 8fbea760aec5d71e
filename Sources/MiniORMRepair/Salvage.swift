import CSQLCipher
import MiniORM

/// Recovers rows page by page: after the first damaged page, SQLite refuses to read the file.
final class Salvage {
  struct Object {
    let type: String
    let name: String
    let table: String
    let root: Int
    let sql: String?

    var isVirtual: Bool { type == "table" && root == 0 }

    init(type: String, name: String, table: String, root: Int, sql: String?) {
      (self.type, self.name, self.table, self.root, self.sql) = (type, name, table, root, sql)
    }

    init?(_ values: [StoredValue]) {
      guard values.count == 5, case .text(let type) = values[0], case .text(let name) = values[1],
        case .text(let table) = values[2]
      else { return nil }
      self.type = String(decoding: type, as: UTF8.self)
      self.name = String(decoding: name, as: UTF8.self)
      self.table = String(decoding: table, as: UTF8.self)
      guard ["table", "index", "view", "trigger"].contains(self.type) else { return nil }
      switch values[3] {
      case .integer(let root): self.root = Int(truncatingIfNeeded: root)
      case .null: root = 0
      default: return nil
      }
      switch values[4] {
      case .text(let sql): self.sql = String(decoding: sql, as: UTF8.self)
      case .null: sql = nil
      default: return nil
      }
    }
  }

  final class Rows {
    let table: StoredTable
    var trees: [BTreeWalk.Tree]
    /// The gaps not yet filled with orphaned pages.
    var gaps: [BTreeWalk.Gap]
    var entries: [IndexEntries] = []
    var uniques: [[Int]] = []
    var rowCount = 0
    var broken = 0
    var rejected = 0

    init(_ table: StoredTable, _ tree: BTreeWalk.Tree) {
      (self.table, trees, gaps) = (table, [tree], tree.gaps)
    }
  }

  struct IndexEntries {
    /// The positions of the indexed columns; nil for an expression.
    let columns: [Int?]
    let values: [Int64: [StoredValue]]
    /// True if the index covers every row, and all entries were read.
    let isWhole: Bool
  }

  let source: PageSource
  let walk: BTreeWalk
  let head: [UInt8]
  private(set) var objects: [Object] = []
  private(set) var tables: [Rows] = []
  private(set) var unassigned: [Int] = []
  /// The column counts of indexes with damaged pages.
  private(set) var indexGapColumns: Set<Int> = []
  private let shape: OpaquePointer

  init(_ source: PageSource, shape: OpaquePointer) {
    (self.source, self.shape) = (source, shape)
    // If the first page is damaged, the header is unknown.
    head = source.page(1) ?? []
    walk = BTreeWalk(source)
  }

  func setUnassigned(_ pages: [Int]) { unassigned += pages }

  func header(_ index: Int) -> Int { head.number(at: index, count: 4) ?? 0 }

  var encoding: UInt8 { UInt8(clamping: max(1, min(header(56), 3))) }

  // MARK: Reading

  /// - Parameter declared: The SQL that created the tables. Declarations in the file take
  ///   precedence.
  func run(
    _ declared: String?, _ check: () throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    let schema = walk.walk(1, isTable: true)
    try readSchema(schema)
    let free = FreePages(source)
    var excluded = (pages: free.trunks.union(free.leaves), isWhole: free.isWhole)
    if schema.gaps.count > 0 {
      // Leaf pages of the schema without a parent are recognized by their rows.
      for orphan in walk.orphans(excluding: excluded.pages) where orphan.isTable {
        try check()
        guard try isSchema(orphan.page) else { continue }
        try readSchema(walk.walk(orphan.page, isTable: true))
      }
    }
    if let declared { try addObjects(of: declared) }
    for object in objects where object.type == "table" || object.type == "index" {
      // Tables precede their indexes. Errors are reported when the new file is written.
      guard let sql = object.sql else { continue }
      do throws(DatabaseError) {
        _ = try Connection.text(sql, shape)
      } catch {
        guard error.isOfSQL else { throw error }
      }
    }
    for object in objects where object.type == "table" && object.root != 0 {
      try check()
      guard let table = try StoredTable(object.name, in: shape) else { continue }
      // If the root page is unknown, the whole table is a gap.
      var tree = BTreeWalk.Tree(gaps: [BTreeWalk.Gap(page: 1, low: nil, high: nil)])
      if object.root > 0 { tree = walk.walk(object.root, isTable: table.hasRowID) }
      tables.append(Rows(table, tree))
    }
    for object in objects where object.type == "index" && object.root != 0 {
      try check()
      try readIndex(object)
    }
    guard
      tables.contains(where: { !$0.gaps.isEmpty }) || !indexGapColumns.isEmpty
        || !schema.gaps.isEmpty
    else { return }
    try check()
    excluded.pages.formUnion(mapPages())
    // SQLCipher overwrites freed pages. A table that is not declared may have the same columns as a
    // declared table.
    let isCertain =
      (excluded.isWhole || source.isEncrypted) && (schema.gaps.isEmpty || declared != nil)
    try assign(walk.orphans(excluding: excluded.pages), isCertain: isCertain)
  }

  private func addObjects(of script: String) throws(DatabaseError) {
    let handle = try SQLiteHandle(.copy)
    let pointer = handle.database
    let code = sqlite3_exec(pointer, script, nil, nil, nil)
    guard code == SQLITE_OK else {
      throw DatabaseError(.copy, code: code, from: pointer, sql: script)
    }
    let known = Set(objects.map { $0.name.folded })
    let sql = "SELECT type, name, tbl_name, sql, rootpage FROM sqlite_schema WHERE sql IS NOT NULL"
    for row in try Connection.rows(sql, pointer) {
      guard case .text(let type) = row[0], case .text(let name) = row[1],
        case .text(let table) = row[2], case .text(let sql) = row[3],
        !known.contains(name.folded), !name.startsWithBytes(of: "sqlite_")
      else { continue }
      let isStored = row[4] != .integer(0) && row[4] != .null
      objects.append(
        Object(type: type, name: name, table: table, root: isStored ? -1 : 0, sql: sql))
    }
  }

  private func readSchema(_ tree: BTreeWalk.Tree) throws(DatabaseError) {
    for page in tree.pages {
      try walk.forEachRow(of: page) { row throws(DatabaseError) in
        if let values = row.values?.map({ utf8($0) }), let object = Object(values) {
          objects.append(object)
        }
      }
    }
  }

  /// True if each readable row of a page is an entry of the schema, and at least one is.
  private func isSchema(_ page: Int) throws(DatabaseError) -> Bool {
    guard let found = walk.page(page), found.isLeaf else { return false }
    var (entries, others) = (0, 0)
    try walk.forEachRow(of: page) { row throws(DatabaseError) in
      guard let values = row.values else { return }
      if Object(values.map { utf8($0) }) == nil { others += 1 } else { entries += 1 }
    }
    return entries > 0 && others == 0
  }

  private func utf8(_ value: StoredValue) -> StoredValue {
    guard encoding > 1, case .text(let bytes) = value else { return value }
    var units: [UInt16] = []
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(encoding == 2 ? second << 8 | first : first << 8 | second)
    }
    return .text(Array(String(decoding: units, as: UTF16.self).utf8))
  }

  /// Returns the pointer-map pages of an `auto_vacuum` file.
  private func mapPages() -> Set<Int> {
    guard header(52) != 0 else { return [] }
    let distance = source.usableSize / 5 + 1
    return Set(stride(from: 2, through: max(2, source.pageCount), by: distance))
  }

  private func readIndex(_ object: Object) throws(DatabaseError) {
    var tree = BTreeWalk.Tree(gaps: [BTreeWalk.Gap(page: 1, low: nil, high: nil)])
    if object.root > 0 { tree = walk.walk(object.root, isTable: false) }
    let columns = try Connection.rows(
      "SELECT cid, key FROM pragma_index_xinfo(\(object.name.quotedLiteral)) ORDER BY seqno", shape)
    if !tree.gaps.isEmpty { indexGapColumns.insert(columns.count) }
    guard let rows = tables.first(where: { $0.table.name.folded == object.table.folded }),
      !rows.gaps.isEmpty, !columns.isEmpty
    else { return }
    let kinds = try Connection.rows(
      "SELECT \"unique\", partial FROM pragma_index_list(\(object.table.quotedLiteral)) WHERE name = \(object.name.quotedLiteral)",
      shape)
    let numbers = try Connection.rows(
      "SELECT cid, name FROM pragma_table_xinfo(\(object.table.quotedLiteral))", shape)
    var places: [Int?] = []
    for column in columns where column[1] == .integer(1) {
      let name = numbers.first { $0[0] == column[0] }?[1]
      places.append(rows.table.columns.firstIndex { .text($0.name) == name })
    }
    let isPartial = kinds.first?[1] != .integer(0)
    if kinds.first?[0] == .integer(1), !isPartial, !places.contains(nil) {
      rows.uniques.append(places.compactMap(\.self))
    }
    guard rows.table.hasRowID else { return }
    var values: [Int64: [StoredValue]] = [:]
    for page in tree.pages {
      try walk.forEachRow(of: page) { row throws(DatabaseError) in
        guard var entry = row.values, case .integer(let rowID)? = entry.popLast() else { return }
        values[rowID] = entry
      }
    }
    rows.entries.append(
      IndexEntries(
        columns: places, values: values,
        isWhole: tree.gaps.isEmpty && !isPartial))
  }
}
