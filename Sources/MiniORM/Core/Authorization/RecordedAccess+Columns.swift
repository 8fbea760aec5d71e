extension RecordedAccess {
  /// Adds columns that SQLite does not report: the row's key, because a changed key moves the row,
  /// and the columns of a generated column.
  func readSet(in schema: SchemaReader) -> ReadSet {
    var set = ReadSet()
    for (table, columns) in columnsByTable(in: schema) {
      switch schema.object(table) {
      case .view: break  // the reads of a view are reported separately
      case nil:
        if table.table.folded == "dbstat" { set.isAnything = true }
        set.insert("", of: table)
      // SQLite does not report its internal writes to this table.
      case .table where table.table.folded == "sqlite_sequence": set.isAnything = true
      case .virtual(let sql): Self.insert(table, sql, in: schema, into: &set)
      case .table(let all, _):
        if all.contains(where: { $0.isGenerated && columns.contains($0.name.folded) }) {
          set.insertAll(of: table)
        }
        set.insert("", of: table)
        for column in columns { set.insert(column.string, of: table) }
        for column in all where column.isKey { set.insert(column.name, of: table) }
      }
    }
    return set
  }

  private func columnsByTable(in schema: SchemaReader) -> [SchemaTable: Set<ExactText>] {
    var found: [SchemaTable: Set<ExactText>] = [:]
    for item in reads {
      // Without a schema name, record every table that the name may mean.
      for place in item.schema.map({ [$0] }) ?? schema.schemas(having: item.table) {
        let table = SchemaTable(schema: place, table: item.table.folded.string)
        found[table, default: []].insert(item.column.folded)
      }
    }
    return found
  }

  /// A virtual table whose module has its own storage is read as a whole. Other modules may return
  /// any content.
  private static func insert(
    _ table: SchemaTable, _ sql: String, in schema: SchemaReader, into set: inout ReadSet
  ) {
    let tokens = SQLToken.all(in: sql)
    func token(after word: ExactText) -> Int? {
      tokens.firstIndex { $0.isKeyword(word) }.map { $0 + 1 }
    }
    guard let module = token(after: "using"), module < tokens.count,
      ["fts5", "fts4", "fts3", "rtree", "rtree_i32", "geopoly"].contains(tokens[module].text)
    else { return set.isAnything = true }
    set.insertAll(of: table)
    guard let sign = token(after: "content"), sign + 1 < tokens.count, tokens[sign].isSymbol("=")
    else { return }
    let content = tokens[sign + 1].text.string
    guard !content.isEmpty else { return }
    let source = SchemaTable(schema: table.schema, table: content)
    guard case .table = schema.object(source) else { return set.isAnything = true }
    set.insertAll(of: source)
  }

  func writeSet(of sql: String, in schema: SchemaReader) -> WriteSet {
    var set = WriteSet()
    for item in insertions + deletions { set.insertRows(of: Self.table(item)) }
    let replaces = !updates.isEmpty && Self.replaces(sql)
    for item in updates {
      let table = Self.table(item)
      // REPLACE deletes conflicting rows without a report.
      if item.column.folded == "rowid" || Self.replaces(item, replaces, schema) {
        set.insertRows(of: table)
      } else {
        set.insert(item.column, of: table)
      }
    }
    return set
  }

  func tables(of sql: String, in schema: SchemaReader) -> [SchemaTable: WrittenTable] {
    var tables: [SchemaTable: WrittenTable] = [:]
    let replaces = Self.replaces(sql)
    for (item, inserts) in (insertions + updates).map({ ($0, true) })
      + deletions.map({ ($0, false) })
    where !item.table.startsWithBytes(of: "sqlite_") {
      let table = Self.table(item)
      var isKnown = !inserts || !Self.replaces(item, replaces, schema)
      switch schema.object(table) {
      case .view: continue
      case .table(let columns, true):
        let column = item.column.folded
        let changesKey =
          column == "rowid" || columns.contains { $0.isKey && $0.name.folded == column }
        if changesKey { isKnown = false }
      case .table, .virtual, nil: isKnown = false
      }
      tables[table, default: WrittenTable()].note(isKnown: isKnown, isDeletedFrom: !inserts)
    }
    for (table, columns) in Dictionary(grouping: updates, by: Self.table) {
      tables[table]?.columns = Set(columns.map(\.column)).sorted()
    }
    return tables
  }

  /// The columns of the main database that may change, and the tables whose rows are inserted or
  /// deleted, also by REPLACE.
  func changedColumns(of sql: String, in schema: SchemaReader) -> Set<ChangedColumn> {
    let isSaid = Self.replaces(sql)
    let replaced = (insertions + updates).filter { Self.replaces($0, isSaid, schema) }
    let changes: [([Item], ChangedColumn.Change)] = [
      (updates, .update), (insertions, .insertion), (deletions + replaced, .deletion),
    ]
    return Set(
      changes.flatMap { items, change in
        items.filter { $0.schema?.folded == "main" }.map {
          ChangedColumn(
            table: $0.table.folded, column: change == .update ? $0.column.folded : "",
            change: change)
        }
      })
  }

  /// Returns the statement's only table, with its rowid column.
  /// - Parameter other: The name of a virtual table to ignore, unless the schema has such a table.
  func source(in schema: SchemaReader, besides other: String) -> (
    table: SchemaTable, rowID: ExactText
  )? {
    let tables = columnsByTable(in: schema).filter { table, _ in
      table.table.folded != other.folded || schema.object(table) != nil
    }
    guard tables.count == 1, let table = tables.first?.key,
      case .table(let columns, hasRowID: true) = schema.object(table),
      let column = columns.first(where: \.isRowID)
    else { return nil }
    return (table, column.name.folded)
  }

  private static func table(_ item: Item) -> SchemaTable {
    SchemaTable(schema: item.schema ?? "main", table: item.table)
  }

  private static func replaces(_ item: Item, _ isSaid: Bool, _ schema: SchemaReader) -> Bool {
    guard !item.isForeignKeyAction else { return false }
    return isSaid
      || schema.definitions(of: table(item), trigger: item.context).contains(where: replaces)
  }

  private static func replaces(_ sql: String) -> Bool {
    let tokens = SQLToken.all(in: sql)
    return zip(tokens, tokens.dropFirst()).contains {
      ($0.isKeyword("or") || $0.isKeyword("conflict")) && $1.isKeyword("replace")
        || $0.isKeyword("replace") && $1.isKeyword("into")
    }
  }
}

struct WrittenTable {
  /// False if the update hook omits rows: rows without rowids, changed rowids, and rows deleted by
  /// REPLACE.
  var isKnown = true
  private(set) var isDeletedFrom = false
  fileprivate(set) var columns: [String] = []

  /// The same table with unknown rows.
  var unknown: WrittenTable {
    var table = self
    table.isKnown = false
    return table
  }

  fileprivate mutating func note(isKnown: Bool, isDeletedFrom: Bool) {
    self.isKnown = self.isKnown && isKnown
    self.isDeletedFrom = self.isDeletedFrom || isDeletedFrom
  }
}
