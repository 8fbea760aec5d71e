extension Connection {
  /// Compares the file with the models.
  func check(_ schema: Schema) throws(DatabaseError) -> SchemaReport {
    var differences: [SchemaReport.Difference] = []
    for model in schema.models { differences += try check(model) }
    return SchemaReport(differences: differences)
  }

  private func check<T: Model>(_ model: T.Type) throws(DatabaseError) -> [SchemaReport.Difference] {
    let table = T.schema.name
    // xinfo also lists generated columns. https://www.sqlite.org/pragma.html#pragma_table_xinfo
    let rows = try query(
      "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(\(table))")
    guard !rows.isEmpty else { return [.missingTable(table)] }
    var found: [String: ResultRow] = [:]
    for row in rows { if case .text(let name) = row.values[0] { found[name.lowercased()] = row } }
    var differences: [SchemaReport.Difference] = []
    for column in T.schema.columns {
      guard let row = found.removeValue(forKey: column.name.lowercased()) else {
        differences.append(.missingColumn(table: table, column: column.name))
        continue
      }
      let inFile = ColumnFacts(row)
      let inModel = ColumnFacts(column, of: T.schema)
      for (property, file, model) in zip3(ColumnFacts.properties, inFile.texts, inModel.texts)
      where file != model {
        differences.append(
          .differentColumn(
            table: table, column: column.name, property: property, file: file, model: model))
      }
    }
    for row in rows {
      guard case .text(let name) = row.values[0], found[name.lowercased()] != nil else { continue }
      differences.append(.extraColumn(table: table, column: name))
    }
    for index in T.indexes {
      let count = try value(
        Int.self,
        """
        SELECT count(*) FROM sqlite_schema
        WHERE type = 'index' AND name = \(index.name) COLLATE NOCASE
        AND tbl_name = \(table) COLLATE NOCASE
        """)
      if count != 1 { differences.append(.missingIndex(table: table, index: index.name)) }
    }
    return differences
  }
}

/// What is compared of a column, as text for the report.
private struct ColumnFacts {
  static let properties = ["type", "nullability", "default", "primary key", "generated"]
  let texts: [String]

  init(_ row: ResultRow) {
    func text(_ index: Int) -> String? {
      if case .text(let text) = row.values[index] { text } else { nil }
    }
    func integer(_ index: Int) -> Int64 {
      if case .integer(let value) = row.values[index] { value } else { 0 }
    }
    let hidden = integer(5)
    texts = [
      (text(1) ?? "").uppercased(),
      integer(2) != 0 ? "NOT NULL" : "NULL",
      text(3).map(Self.withoutParentheses) ?? "none",
      integer(4) == 0 ? "no" : "\(integer(4))",
      hidden == 2 ? "virtual" : hidden == 3 ? "stored" : "no",
    ]
  }

  init(_ column: ColumnSchema, of table: TableSchema) {
    let position = table.primaryKey.firstIndex { $0.name == column.name }
    texts = [
      column.declaredType(isStrict: table.options.contains(.strict)).rawValue,
      column.isNullable ? "NULL" : "NOT NULL",
      column.defaultSQL.map(Self.withoutParentheses) ?? "none",
      position.map { "\($0 + 1)" } ?? "no",
      column.generated.map { $0.isStored ? "stored" : "virtual" } ?? "no",
    ]
  }

  /// SQLite gives a default back as it was written, without spaces at its ends: `DEFAULT (0)` and
  /// `DEFAULT 0` are the same.
  private static func withoutParentheses(_ sql: String) -> String {
    guard let first = sql.firstIndex(where: { !$0.isWhitespace }),
      let last = sql.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    let sql = sql[first...last]
    guard sql.count > 1, sql.hasPrefix("("), sql.hasSuffix(")") else { return String(sql) }
    return withoutParentheses(String(sql.dropFirst().dropLast()))
  }
}

private func zip3<A, B, C>(_ a: [A], _ b: [B], _ c: [C]) -> [(A, B, C)] {
  zip(a, zip(b, c)).map { ($0, $1.0, $1.1) }
}
