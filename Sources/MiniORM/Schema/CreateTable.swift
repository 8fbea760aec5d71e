extension Model {
  /// The CREATE TABLE statement of the model.
  static func createTableSQL() throws(DatabaseError) -> String {
    let schema = schema
    let isStrict = schema.options.contains(.strict)
    var parts = schema.columns.map {
      $0.definition(isOnlyKey: schema.primaryKey.count == 1, isStrict: isStrict)
    }
    if schema.primaryKey.count > 1 {
      parts.append(
        "PRIMARY KEY (\(schema.primaryKey.map(\.name.quotedIdentifier).joined(separator: ", ")))")
    }
    for constraint in constraints { parts.append(try constraint.sql.literalText()) }
    var words: [String] = []
    if isStrict { words.append("STRICT") }
    if schema.options.contains(.withoutRowID) { words.append("WITHOUT ROWID") }
    return
      "CREATE TABLE IF NOT EXISTS \(schema.name.quotedIdentifier) (\n  \(parts.joined(separator: ",\n  "))\n)"
      + (words.isEmpty ? "" : " " + words.joined(separator: ", "))
  }

  /// The CREATE statements of the model: its table, then its indexes.
  ///
  /// - Throws: ``DatabaseError`` with the operation `migrate` when a default or a value of a
  ///   constraint or index cannot be stored, or two indexes have one name.
  static func createSQL() throws(DatabaseError) -> [String] {
    if let problem = schema.columns.lazy.compactMap(\.problem).first { throw problem }
    do throws(DatabaseError) {
      var statements = [try createTableSQL()]
      var names: Set<String> = []
      for index in indexes {
        guard names.insert(index.name.lowercased()).inserted else {
          throw DatabaseError(
            .migrate, code: .misuse,
            "Two indexes are called \(index.name): give one of them a name of its own")
        }
        statements.append(try index.createSQL())
      }
      return statements
    } catch {
      throw error.adding(operation: .migrate, table: schema.name)
    }
  }
}
