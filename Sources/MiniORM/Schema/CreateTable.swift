/// The content of a CREATE TABLE statement, from a model or from a migration step.
package struct CreateTable: Sendable {
  var name: String
  var columns: [ColumnSchema]
  /// The columns of the primary key.
  var primaryKey: [String]
  var options: TableOptions
  /// The constraints of the table as a whole.
  var constraints: [String] = []

  package init(
    name: String, columns: [ColumnSchema], primaryKey: [String], options: TableOptions,
    constraints: [String] = []
  ) {
    (self.name, self.columns, self.primaryKey) = (name, columns, primaryKey)
    (self.options, self.constraints) = (options, constraints)
  }

  /// Returns the statement.
  ///
  /// It names columns without their table, which SQLite does not need, so that a table can be
  /// created under a temporary name.
  package func sql(named other: String? = nil) -> String {
    let isStrict = options.contains(.strict)
    var parts = columns.map { column in
      column.definition(
        isKey: primaryKey == [column.name] || (primaryKey.isEmpty && column.isPrimaryKey),
        isStrict: isStrict)
    }
    if primaryKey.count > 1 {
      parts.append("PRIMARY KEY (\(primaryKey.map(\.quotedIdentifier).joined(separator: ", ")))")
    }
    parts += constraints
    var words: [String] = []
    if isStrict { words.append("STRICT") }
    if options.contains(.withoutRowID) { words.append("WITHOUT ROWID") }
    let body = parts.map { $0.removingQualifier(name) }.joined(separator: ",\n  ")
    return "CREATE TABLE \((other ?? name).quotedIdentifier) (\n  \(body)\n)"
      + (words.isEmpty ? "" : " " + words.joined(separator: ", "))
  }
}

extension String {
  /// Returns the SQL without the name of a table before its columns.
  func removingQualifier(_ table: String) -> String {
    let tokens = SQLToken.all(in: self)
    let bytes = Array(utf8)
    let name = table.folded
    var text: [UInt8] = []
    var start = 0
    for (token, dot) in zip(tokens, tokens.dropFirst())
    where dot.isSymbol(".") && token.isName && token.text == name {
      text += bytes[start..<token.range.lowerBound]
      start = dot.range.upperBound
    }
    return String(decoding: text + bytes[start...], as: UTF8.self)
  }
}
