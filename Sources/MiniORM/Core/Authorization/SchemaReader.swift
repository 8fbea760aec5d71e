import CSQLCipher

/// Reads schema details that the authorizer does not report, bypassing the statement cache and the
/// transaction watch.
final class SchemaReader {
  private let database: OpaquePointer?
  private(set) var hasFailed = false

  init(_ database: OpaquePointer?) { self.database = database }

  struct Column {
    let name: String
    let type: String
    let isKey: Bool
    let isRowID: Bool
    let isGenerated: Bool
  }

  enum Object {
    case table([Column], hasRowID: Bool)
    /// A virtual table with its SQL, or a shadow table, with empty SQL.
    case virtual(sql: String)
    case view
  }

  /// Returns a table or view by its name, or nil for a name without a schema entry, such as
  /// `json_each`.
  func object(_ name: SchemaTable) -> Object? {
    var found: Object?
    var columns: [Column] = []
    let isRead = rows(
      """
      SELECT s.type, s.sql, c.name, c.pk, c.hidden,
        EXISTS (SELECT 1 FROM pragma_index_list(s.name, ?2) WHERE origin = 'pk'), c.type, l.wr, l.type
      FROM \(name.schema.quotedIdentifier).sqlite_schema AS s
      LEFT JOIN pragma_table_xinfo(s.name, ?2) AS c
      LEFT JOIN pragma_table_list(s.name) AS l ON l.schema = ?2
      WHERE s.type IN ('table', 'view') AND s.name = ?1 COLLATE NOCASE
      """, [name.table, name.schema]
    ) { row in
      let sql = text(row, 1)
      if text(row, 0) == "view" {
        found = .view
      } else if text(row, 8) == "shadow" {
        found = .virtual(sql: "")
      } else if Self.isVirtual(sql) {
        found = .virtual(sql: sql)
      } else {
        columns.append(column(row))
        found = .table(columns, hasRowID: sqlite3_column_int(row, 7) == 0)
      }
    }
    // An unreadable object may return any content.
    return isRead ? found : .virtual(sql: "")
  }

  private func column(_ row: OpaquePointer) -> Column {
    let isKey = sqlite3_column_int(row, 3) > 0
    let hidden = sqlite3_column_int(row, 4)
    return Column(
      name: text(row, 2), type: text(row, 6), isKey: isKey,
      isRowID: isKey && sqlite3_column_int(row, 5) == 0, isGenerated: hidden == 2 || hidden == 3)
  }

  func schemas(having table: String) -> [String] {
    var names: [String] = []
    rows("SELECT schema FROM pragma_table_list(?1)", [table]) { names.append(text($0, 0)) }
    return names
  }

  func hasTable(_ name: SchemaTable) -> Bool {
    var isFound = false
    // Read the file: the connection's cached schema may be outdated.
    rows(
      """
      SELECT 1 FROM \(name.schema.quotedIdentifier).sqlite_schema
      WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE
      """, [name.table]
    ) { _ in isFound = true }
    return isFound
  }

  func definitions(of name: SchemaTable, trigger: String?) -> [String] {
    var definitions: [String] = []
    let schema = name.schema.quotedIdentifier
    rows(
      """
      SELECT sql FROM \(schema).sqlite_schema
      WHERE type = 'table' AND name = ?1 OR type = 'trigger' AND name = ?2
      UNION ALL SELECT sql FROM temp.sqlite_schema WHERE type = 'trigger' AND name = ?2
      """, [name.table, trigger ?? ""]
    ) { definitions.append(text($0, 0)) }
    return definitions
  }

  /// Returns the recorded formats of columns; nil if they could not be read.
  func formats() -> [(table: String, column: String, format: String)]? {
    guard hasTable(SchemaTable(schema: "main", table: "miniorm_columns")) else {
      return hasFailed ? nil : []
    }
    var formats: [(String, String, String)] = []
    rows("SELECT tbl, col, format FROM main.miniorm_columns", []) {
      formats.append((text($0, 0), text($0, 1), text($0, 2)))
    }
    return hasFailed ? nil : formats
  }

  private static func isVirtual(_ sql: String) -> Bool {
    let tokens = SQLToken.all(in: String(decoding: sql.utf8.prefix(40), as: UTF8.self))
    return tokens.count > 1 && tokens[1].isKeyword("virtual")
  }

  private func text(_ row: OpaquePointer, _ index: Int32) -> String {
    // Check the type first: after an out-of-memory error, a number becomes NULL.
    guard sqlite3_column_type(row, index) != SQLITE_NULL else { return "" }
    guard let start = sqlite3_column_text(row, index) else {
      hasFailed = true
      return ""
    }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(row, index)))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the identity of a table's rows, or nil if the schema could not be read.
  func rowIdentity(of table: SchemaTable) -> RowIdentity? {
    var isOrdinary = false
    let isRead = rows(
      """
      SELECT rootpage > 0 FROM \(table.schema.quotedIdentifier).sqlite_schema
      WHERE type = 'table' AND name = ?1 COLLATE NOCASE
      """, [table.table]
    ) { isOrdinary = sqlite3_column_int($0, 0) != 0 }
    guard isRead else { return nil }
    guard isOrdinary else { return RowIdentity.none }
    let isByRowID = RowID.names.allSatisfy { name in
      var type: UnsafePointer<CChar>?
      var isKey: Int32 = 0
      let code = sqlite3_table_column_metadata(
        database, table.schema, table.table, name, &type, nil, nil, &isKey, nil)
      guard code == SQLITE_OK, isKey != 0, let type else { return false }
      return String(cString: type).folded == "integer"  // NUL-terminated by contract
    }
    return isByRowID ? .rowID : .key
  }

  @discardableResult
  private func rows(
    _ sql: String, _ values: [String], _ body: (OpaquePointer) -> Void
  ) -> Bool {
    guard let database, SQLiteLibrary.trusting(on: database, { read(sql, values, database, body) })
    else {
      hasFailed = true
      return false
    }
    return !hasFailed
  }

  private func read(
    _ sql: String, _ values: [String], _ database: OpaquePointer, _ body: (OpaquePointer) -> Void
  ) -> Bool {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, let statement
    else { return false }
    for (index, value) in values.enumerated() {
      let code = sqlite3_bind_text(
        statement, Int32(index + 1), value, Int32(value.utf8.count), miniorm_transient())
      guard code == SQLITE_OK else { return false }
    }
    var code = sqlite3_step(statement)
    while code == SQLITE_ROW {
      body(statement)
      code = sqlite3_step(statement)
    }
    return code == SQLITE_DONE
  }
}

enum RowIdentity {
  /// The rowid identifies a row: no column hides the names `rowid`, `_rowid_` and `oid`.
  case rowID
  /// The primary key identifies a row, for example in a table WITHOUT ROWID.
  case key
  case none
}
