package struct CreateTable: Sendable {
  var name: String
  var columns: [ColumnSchema]
  var primaryKey: [String]
  var options: TableOptions
  var constraints: [String] = []

  package init(
    name: String, columns: [ColumnSchema], primaryKey: [String], options: TableOptions,
    constraints: [String] = []
  ) {
    (self.name, self.columns, self.primaryKey) = (name, columns, primaryKey)
    (self.options, self.constraints) = (options, constraints)
  }

  /// Omits the table's name before columns, so that the table can be created under a temporary
  /// name.
  package func sql(named other: String? = nil) -> String {
    let isStrict = options.contains(.strict)
    var parts = columns.map { column in
      column.definition(
        isKey: primaryKey == [column.name] || (primaryKey.isEmpty && column.isPrimaryKey),
        isStrict: isStrict, of: name)
    }
    if primaryKey.count > 1 {
      parts.append("PRIMARY KEY (\(primaryKey.map(\.quotedIdentifier).joined(separator: ", ")))")
    }
    parts += constraints
    var words: [String] = []
    if isStrict { words.append("STRICT") }
    if options.contains(.withoutRowID) { words.append("WITHOUT ROWID") }
    let body = parts.joined(separator: ",\n  ")
    return "CREATE TABLE \((other ?? name).quotedIdentifier) (\n  \(body)\n)"
      + (words.isEmpty ? "" : " " + words.joined(separator: ", "))
  }
}
