extension TableDefinition {
  /// Returns the differences between a file's table and a model's, regardless of the order of
  /// columns and constraints.
  /// - Parameters:
  ///   - formers: The former names of the model's columns. A column with a former name counts as
  ///     renamed, not as missing.
  ///   - keys: Returns the primary key of a table, which a foreign key without column names
  ///     references.
  package func differences(
    from model: TableDefinition, renamedFrom formers: [ExactText: [String]] = [:],
    keys: (_ table: ExactText) -> [ExactText]
  ) -> [SchemaReport.Difference] {
    let table = model.name
    func byKey(_ columns: [Column]) -> [ExactText: Column] {
      Dictionary(columns.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }
    let (own, declared) = (byKey(columns), byKey(model.columns))
    var differences: [SchemaReport.Difference] = []
    var renamed: Set<ExactText> = []
    for column in model.columns {
      let former = formers[column.key]?.lazy.map(\.folded)
        .first { own[$0] != nil && declared[$0] == nil }
      guard let mine = own[column.key] ?? former.flatMap({ own[$0] }) else {
        differences.append(.missingColumn(table: table, column: column.name))
        continue
      }
      let isRenamed = mine.key != column.key
      if isRenamed { renamed.insert(mine.key) }
      for (property, file, model) in (isRenamed ? [("name", mine.name, column.name)] : [])
        + mine.properties(comparedWith: column)
      {
        differences.append(
          .differentColumn(
            table: table, column: column.name, property: property, file: file, model: model))
      }
    }
    for column in columns where declared[column.key] == nil && !renamed.contains(column.key) {
      differences.append(.extraColumn(table: table, column: column.name))
    }
    let resolved = (resolvingKeys(keys), model.resolvingKeys(keys))
    for (property, file, model) in resolved.0.properties(comparedWith: resolved.1) {
      differences.append(
        .differentTable(table: table, property: property, file: file, model: model))
    }
    return differences
  }

  private func properties(comparedWith other: TableDefinition) -> [(String, String, String)] {
    func list(_ texts: some Sequence<String>) -> String {
      let texts = texts.sorted()
      return texts.isEmpty ? "none" : texts.joined(separator: ", ")
    }
    func names(_ names: [ExactText]) -> String { "(\(names.joined(separator: ", ")))" }
    var found: [(String, String, String)] = []
    func compare<Value: Equatable>(
      _ property: String, _ value: (TableDefinition) -> Value, _ text: (Value) -> String
    ) {
      if value(self) != value(other) {
        found.append((property, text(value(self)), text(value(other))))
      }
    }
    compare("PRIMARY KEY", \.primaryKey, { $0.isEmpty ? "none" : names($0) })
    compare("AUTOINCREMENT", \.isAutoincrement, { $0 ? "yes" : "no" })
    compare("UNIQUE", \.uniques, { list($0.map(names)) })
    compare(
      "CHECK", { Set($0.checks.map(\.tokens)) },
      { tokens in
        list(
          (checks + other.checks).filter { tokens.contains($0.tokens) }.reduce(into: Set()) {
            $0.insert($1.text)
          })
      })
    compare("FOREIGN KEY", \.foreignKeys, { list($0.map(\.description)) })
    compare(
      "ON CONFLICT", \.conflicts,
      { list($0.map { "\($0.key) ON CONFLICT \($0.value.rawValue)" }) })
    compare("STRICT", \.isStrict, { $0 ? "yes" : "no" })
    compare("WITHOUT ROWID", \.isWithoutRowID, { $0 ? "yes" : "no" })
    compare("other clauses", \.others, { list($0.map(\.string)) })
    return found
  }

  func constraints(missingIn other: TableDefinition) -> [String] {
    let uniques = uniques.subtracting(other.uniques).subtracting([other.primaryKey])
      .map { "UNIQUE (\($0.joined(separator: ", ")))" }
    let checks = checks.filter { !other.checks.contains($0) }.map { "CHECK (\($0.text))" }
    let keys = foreignKeys.filter { key in
      !other.foreignKeys.contains { $0.columns == key.columns && $0.parent == key.parent }
    }.map { "FOREIGN KEY \($0)" }
    return (uniques + checks + keys).sorted()
      .map { "table \(other.name) loses a constraint that its model does not declare: \($0)" }
  }

  private func resolvingKeys(_ keys: (ExactText) -> [ExactText]) -> TableDefinition {
    var table = self
    table.foreignKeys = Set(
      foreignKeys.map { key in
        var key = key
        if key.parentColumns == keys(key.parent) { key.parentColumns = [] }
        return key
      })
    return table
  }
}

extension TableDefinition.Column {
  func properties(
    comparedWith other: TableDefinition.Column
  ) -> [(property: String, file: String, model: String)] {
    var found: [(String, String, String)] = []
    if type != other.type { found.append(("type", typeText, other.typeText)) }
    if isNotNull != other.isNotNull {
      found.append(("nullability", nullability, other.nullability))
    }
    if defaultValue != other.defaultValue, realDefault == nil || realDefault != other.realDefault {
      found.append(("default", defaultValue?.text ?? "none", other.defaultValue?.text ?? "none"))
    }
    if collation != other.collation {
      found.append(("collation", collation.string, other.collation.string))
    }
    if generated != other.generated || isStored != other.isStored {
      found.append(("generated", generatedText, other.generatedText))
    }
    return found
  }

  /// The default of a REAL column, if it is a number: SQLite stores 1 there as 1.0.
  private var realDefault: Double? {
    guard type == "REAL", let tokens = defaultValue?.tokens, tokens.last?.kind == .number,
      tokens.count == 1 || tokens.count == 2 && tokens[0].isSymbol("-")
    else { return nil }
    return Double(tokens.map(\.text.string).joined())
  }

  private var typeText: String { type == "" ? "none" : type.string }
  private var nullability: String { isNotNull ? "NOT NULL" : "NULL" }
  private var generatedText: String {
    generated.map { "(\($0.text)) \(isStored ? "stored" : "virtual")" } ?? "no"
  }
}

extension TableDefinition.ForeignKey: CustomStringConvertible {
  package var description: String {
    let target = parentColumns.isEmpty ? "" : "(\(parentColumns.joined(separator: ", ")))"
    var text = "(\(columns.joined(separator: ", "))) → \(parent)\(target)"
    if onDelete != "NO ACTION" { text += " on delete \(onDelete.folded)" }
    if onUpdate != "NO ACTION" { text += " on update \(onUpdate.folded)" }
    return isDeferred ? text + " deferred" : text
  }
}
