/// Rebuilds a table, for changes that ALTER TABLE cannot make: steps 3 to 8 of [Making Other Kinds
/// Of Table Schema Changes](https://www.sqlite.org/lang_altertable.html#otheralter). ``Migrator``
/// performs the others.
struct TableRebuild: Sendable {
  let old: TableDefinition
  let new: TableDefinition
  let name: String
  /// SQL over the old columns, by the folded names of new columns.
  let values: [ExactText: String]
  /// The columns whose values must be computed for a new format.
  let changes: [ExactText: FormatChange]
  /// The columns of the model, if the rebuild follows from a model.
  private let modelColumns: [ColumnSchema]
  /// The values of added columns in existing rows, evaluated once.
  private let initialValues: [ExactText: String]
  /// The indexes and triggers to recreate: step 3.
  let kept: [String]

  /// - Parameters:
  ///   - values: SQL for columns that do not keep the old values.
  ///   - sql: Returns the CREATE TABLE statement for a table name.
  init(
    _ old: TableDefinition, to name: String, values: [String: String] = [:],
    changing changes: [ExactText: FormatChange] = [:], for columns: [ColumnSchema] = [],
    keeping kept: [String],
    sql: (_ name: String) -> String
  ) throws(DatabaseError) {
    self.old = old
    self.name = name
    (self.changes, modelColumns) = (changes, columns)
    initialValues = Dictionary(
      columns.filter { old.column($0.name) == nil }.compactMap { column in
        column.initial?.sql.map { (column.name.folded, $0) }
      }, uniquingKeysWith: { first, _ in first })
    self.values = Dictionary(
      values.map { ($0.key.folded, $0.value) }, uniquingKeysWith: { first, _ in first })
    self.kept = kept
    new = try TableDefinition(parsing: sql("miniorm_new_\(name)"))
  }

  /// Throws if stored values would be lost. An expression for a new column may take over the values
  /// of an old column.
  func refuseDrops(inStep: Bool = false) throws(DatabaseError) {
    let sources = values.values.map { TableDefinition.Clause(parsing: $0) }
    let lost = old.columns.filter { column in
      let isKept = new.column(column.key).map { $0.generated == nil } ?? false
      return column.generated == nil && !isKept && !sources.contains { $0.names(column.key) }
    }
    guard let first = lost.first else { return }
    let isPlural = lost.count > 1
    let names = lost.map { "\(old.name).\($0.name)" }.joined(separator: ", ")
    let them = isPlural ? "them" : "it"
    let reason =
      inStep
      ? ".rebuildTable does not list \(them), or computes \(them). To keep the data, list "
        + "\(them). To drop the data, write .dropColumn(\"\(first.name)\", from: "
        + "\"\(old.name)\") before .rebuildTable, or call migrate with allowingDrops"
      : "the model does not have \(them), or computes \(them). To drop the data, write a step "
        + "with .dropColumn(\"\(first.name)\", from: \"\(old.name)\"), or call migrate with "
        + "allowingDrops. If a column was renamed, declare the property with "
        + "renamedFrom: \"\(first.name)\""
    throw DatabaseError(
      .migrate, code: .misuse,
      "\(isPlural ? "Columns" : "Column") \(names) would be lost: \(reason)",
      table: old.name, column: first.name)
  }

  var actions: [MigrationAction] {
    let obstacles = obstacles
    let copy = TableCopy(
      source: old.name, target: new.name, columns: columns, rowID: old.rowIDName,
      emptiesSource: emptiesSource, overridesConflicts: !new.conflicts.isEmpty)
    var actions: [MigrationAction] = []
    if !obstacles.isEmpty { actions.append(.refuse(table: old.name, obstacles)) }
    actions.append(.sql(new.sql))  // Step 4.
    actions.append(.copy(copy))  // Step 5.
    if old.isAutoincrement, new.isAutoincrement { actions += sequence }
    // Step 6.
    actions.append(.sql("DROP TABLE \(old.name.quotedIdentifier)", movesRows: true))
    // Step 7. Without the PRAGMA, the rename fails if a view or a trigger names the table, which
    // does not exist now.
    actions.append(.sql("PRAGMA legacy_alter_table = ON"))
    actions.append(
      .sql("ALTER TABLE \(new.name.quotedIdentifier) RENAME TO \(name.quotedIdentifier)"))
    actions.append(.sql("PRAGMA legacy_alter_table = OFF"))
    return actions + kept.map { .sql($0) }  // Step 8.
  }

  /// False if expressions of the user may read other rows, or an index of a constraint would be
  /// emptied row by row.
  private var emptiesSource: Bool {
    values.isEmpty && old.uniques.isEmpty && (old.hasRowIDKey || old.primaryKey.isEmpty)
  }

  private var columns: [(name: String, value: String)] {
    var columns: [(String, String)] = []
    for column in new.columns where column.generated == nil {
      guard let value = value(of: column) else { continue }
      columns.append((column.name.quotedIdentifier, value))
    }
    if !new.hasRowIDKey, let mine = new.rowIDName, let theirs = old.rowIDName {
      columns.insert((mine, theirs), at: 0)
    }
    // An INSERT needs a column, even if no old column is kept.
    if columns.isEmpty, let column = new.columns.first(where: { $0.generated == nil }) {
      let value = column.defaultValue.map { "(\($0.text))" } ?? "NULL"
      columns.append((column.name.quotedIdentifier, value))
    }
    return columns
  }

  private func value(of column: TableDefinition.Column) -> String? {
    if let value = values[column.key] { return value }
    if let mine = old.column(column.name) {
      let value = mine.name.quotedIdentifier
      return changes[column.key].map { $0.sql(value) } ?? value
    }
    // A new integer key takes the existing rowids.
    if new.hasRowIDKey, new.primaryKey == [column.key], !old.hasRowIDKey { return old.rowIDName }
    guard column.defaultValue == nil else { return nil }
    return initialValues[column.key]
  }

  /// The rows that cannot be kept: a value would change or is missing, or NULL is no longer
  /// allowed.
  private var obstacles: [MigrationAction.Obstacle] {
    new.columns.filter { $0.generated == nil && values[$0.key] == nil }.flatMap(obstacles)
  }

  private func obstacles(to column: TableDefinition.Column) -> [MigrationAction.Obstacle] {
    let format = modelColumns.first { $0.name.folded == column.key }?.format
    guard let mine = old.column(column.name) else {
      guard column.isNotNull, column.defaultValue == nil, value(of: column) == nil else {
        return []
      }
      return [
        MigrationAction.Obstacle(
          condition: "1", column: column.name, verb: ("would have", "would have"),
          message: "no value for the new column \(column.name), which is neither optional "
            + "nor has a default: declare a default, or fill the column in a step"
            + (format?.hasLiterals ?? true
              ? "" : ". A default such as Date() or UUID() is not a value for existing rows"),
          code: .constraintNotNull)
      ]
    }
    let name = mine.name.quotedIdentifier
    var obstacles: [MigrationAction.Obstacle] = []
    if column.isNotNull, !mine.isNotNull {
      let advice = "in column \(column.name), which becomes NOT NULL: fill it in a step"
      obstacles.append(
        MigrationAction.Obstacle(
          condition: "\(name) IS NULL", column: column.name, message: "NULL \(advice)",
          code: .constraintNotNull))
      if format?.name.string.startsWithBytes(of: "json ") ?? false {
        // JSON's null, which only an optional property reads.
        obstacles.append(
          MigrationAction.Obstacle(
            condition: "typeof(\(name)) = 'text' AND \(name) = 'null'", column: column.name,
            message: "the JSON text null \(advice)", code: .constraintNotNull, namesRows: true))
      }
    }
    if let change = changes[column.key] {
      obstacles.append(
        MigrationAction.Obstacle(
          condition: "\(name) IS NOT NULL AND \(change.sql(name)) IS NULL", column: mine.name,
          message:
            "a value in column \(mine.name), stored as \(change.from), that has no exact equivalent "
            + "as \(change.to): convert it in a step, \(change.step)",
          code: .mismatch, namesRows: true))
    } else if column.type != mine.type, !["BLOB", "ANY", ""].contains(column.type) {
      // Columns of type BLOB, ANY or without a type convert nothing.
      let converted = "CAST(\(name) AS \(column.type))"
      // The nearest double to the greatest integer is cast back to the integer, although both
      // differ.
      let exception = column.type == "REAL" ? " OR \(name) = \(Int64.max)" : ""
      // A column of any other type, such as DATETIME, converts only texts that are numbers, and no
      // BLOB. The comparison converts in the same way.
      let isCast = ["INTEGER", "INT", "REAL", "TEXT"].contains(column.type)
      let text = "CAST(\(converted) AS TEXT)"
      let keptText = isCast ? text : "iif(\(converted) = \(name), \(text), \(name))"
      let keptBlob = isCast ? "CAST(\(converted) AS BLOB)" : name
      obstacles.append(
        MigrationAction.Obstacle(
          condition: """
            CASE typeof(\(name)) WHEN 'integer' THEN CAST(\(converted) AS INTEGER) \
            WHEN 'real' THEN CAST(\(converted) AS REAL) WHEN 'text' THEN \(keptText) \
            WHEN 'blob' THEN \(keptBlob) END IS NOT \(name)\(exception)
            """,
          column: column.name,
          message: "a value in column \(column.name) that the type \(column.type) would change: "
            + "convert it in a step",
          code: .mismatch))
    }
    return obstacles
  }

  /// Keeps AUTOINCREMENT from reusing rowids of deleted rows.
  ///
  /// See [SQLite Autoincrement](https://www.sqlite.org/autoinc.html).
  private var sequence: [MigrationAction] {
    let (mine, theirs) = (new.name.quotedLiteral, old.name.quotedLiteral)
    return [
      .sql("DELETE FROM sqlite_sequence WHERE name = \(mine)"),
      .sql(
        "INSERT INTO sqlite_sequence (name, seq) "
          + "SELECT \(mine), seq FROM sqlite_sequence WHERE name = \(theirs)"),
    ]
  }
}

extension FormatChange {
  /// The SQL of a value in the new format: NULL if there is no equal value.
  fileprivate func sql(_ value: String) -> String {
    "\(FormatFunctions.convert)(\(value), \(from.name.string.quotedLiteral), "
      + "\(to.name.string.quotedLiteral))"
  }
}
