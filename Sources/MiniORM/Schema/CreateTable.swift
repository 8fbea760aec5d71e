extension Model {
  /// The CREATE TABLE statement of the model.
  static var createTableSQL: String {
    let schema = schema
    var parts = schema.columns.map { $0.definition(isOnlyKey: schema.primaryKey.count == 1) }
    if schema.primaryKey.count > 1 {
      parts.append(
        "PRIMARY KEY (\(schema.primaryKey.map(\.name.quotedIdentifier).joined(separator: ", ")))")
    }
    parts += constraints.map(\.sql)
    var words: [String] = []
    if schema.options.contains(.strict) { words.append("STRICT") }
    if schema.options.contains(.withoutRowID) { words.append("WITHOUT ROWID") }
    return
      "CREATE TABLE IF NOT EXISTS \(schema.name.quotedIdentifier) (\n  \(parts.joined(separator: ",\n  "))\n)"
      + (words.isEmpty ? "" : " " + words.joined(separator: ", "))
  }

  /// The CREATE statements of the model: its table, then its indexes.
  static var createSQL: [String] { [createTableSQL] + indexes.map(\.createSQL) }
}
