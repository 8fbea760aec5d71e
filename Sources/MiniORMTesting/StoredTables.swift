import MiniORM

/// The rows of a file's ordinary tables.
struct StoredTables: Sendable {
  struct Table: Sendable {
    let name: String
    let definition: TableDefinition
    var columns: [TableDefinition.Column] { definition.columns }
    let formats: [ExactText: ColumnFormat]
    let rows: [[DatabaseValue]]

    func position(_ column: ExactText) -> Int? { columns.firstIndex { $0.key == column } }
    func format(_ column: TableDefinition.Column) -> ColumnFormat {
      formats[column.key] ?? .undescribed(column.type)
    }

    /// The row in a message: the values of the key, or of all columns.
    func label(_ row: [DatabaseValue]) -> String {
      let key = definition.primaryKey.compactMap(position)
      let shown = key.isEmpty ? Array(columns.indices) : key
      let cells = shown.map { "\(columns[$0].name) = \(row[$0].short)" }
      return "the row with \(cells.joined(separator: ", "))"
    }
  }

  var tables: [ExactText: Table] = [:]

  var sorted: [Table] { tables.values.sorted { $0.name.folded < $1.name.folded } }

  init(_ db: isolated Connection) throws {
    let formats = try db.recordedFormats()
    let objects = try db.query(
      (String, String).self,
      """
      SELECT name, sql FROM sqlite_schema
      WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
      """)
    let declared = try db.declaredObjects().filter { $0.type == "table" }.map(\.name.folded)
    let shadows = objects.flatMap { VirtualTable($0.0, sql: $0.1).shadowTables.map(\.folded) }
    for (name, sql) in objects where !(declared + shadows).contains(name.folded) {
      guard let definition = try? TableDefinition(parsing: sql) else { continue }
      let list = definition.columns.map(\.name.quotedIdentifier).joined(separator: ", ")
      tables[name.folded] = Table(
        name: name, definition: definition,
        formats: (formats[name.folded] ?? [:]).mapValues { ColumnFormat(name: $0) },
        rows: try db.query(SQL(raw: "SELECT \(list) FROM main.\(name.quotedIdentifier)"))
          .map(\.values))
    }
  }
}

extension DatabaseValue {
  /// The value in a message: a long text is shortened.
  var short: String {
    guard case .text(let text) = self else { return description }
    let shown = text.count > 40 ? "\(text.prefix(40))…" : text
    let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 32 }
    return isPlain ? shown.quotedLiteral : shown.debugDescription
  }

  /// The value as text, without quotation marks; nil for NULL and bytes.
  var plain: String? {
    switch self {
    case .integer, .real: description
    case .text(let value): value
    case .blob, .null: nil
    }
  }
}
