extension DatabaseSchema.Operation {
  /// With foreign keys on, dropping a table deletes each row separately, and possibly rows of other
  /// tables.
  var needsForeignKeysOff: Bool {
    switch kind {
    case .dropTable, .dropColumn, .rebuildTable, .convertColumn, .addColumn: true
    default: false
    }
  }

  /// Returns the actions; empty if the file has the outcome already.
  func actions(in file: FileSchema, allowingDrops: Bool) throws(DatabaseError) -> [MigrationAction]
  {
    switch kind {
    case .sql(let script): return [.script(script)]
    case .run(let body): return [.run(body)]
    case .backfill(let table, let values): return [.backfill(table, values)]
    case .createTable(let create): return try creation(create, in: file)
    case .renameTable(let name, let newName):
      guard file.object("table", name) != nil || file.object("table", newName) == nil else {
        return []
      }
      return renaming(name, to: newName, in: file)
    case .dropTable(let name):
      // A later version of the program may have created the file.
      guard file.object("table", name) != nil || file.object("view", name) != nil else { return [] }
      guard let table = file.object("table", name), table.root == 0 else {
        return [.sql("DROP TABLE \(name.quotedIdentifier)", movesRows: true)]
      }
      // The shadow tables, if the module is known, and the triggers that name the table.
      let virtual = VirtualTable(table.name, sql: table.sql)
      let remains =
        file.triggers.filter { virtual.isNamed(in: $0.sql) }.map { ("trigger", $0.name) }
        + virtual.shadowTables.filter { file.object("table", $0) != nil }.map { ("table", $0) }
      return [
        .dropVirtualTable(
          name: table.name, remains: remains.map { SchemaObjectDefinition.dropSQL($0, $1) })
      ]
    case .addColumn(let column, let table): return try addition(of: column, to: table, in: file)
    case .renameColumn(let name, let newName, let table):
      let definition = try file.existing(table)
      guard definition.column(name) != nil || definition.column(newName) == nil else { return [] }
      return [
        .sql(
          "ALTER TABLE \(table.quotedIdentifier) RENAME COLUMN \(name.quotedIdentifier) "
            + "TO \(newName.quotedIdentifier)")
      ]
    case .dropColumn(let name, let table):
      let definition = try file.existing(table)
      guard let column = definition.column(name) else { return [] }
      // SQLite drops the column's indexes with the column.
      let indexes = file.indexes(of: table).filter { !$0.clause.names(column.key) }
      return try TableRebuild(
        definition, to: definition.name,
        keeping: indexes.map(\.sql) + file.triggers(of: table).map(\.statement),
        sql: { definition.sql(named: $0, removing: column) }
      ).actions
    case .rebuildTable(let create, let values):
      return try rebuild(create, values, in: file, allowingDrops: allowingDrops)
    case .convertColumn(let column, let table, let sql):
      if let problem = column.problem { throw problem }
      let definition = try file.existing(table)
      guard let old = definition.column(column.name), old.generated == nil else {
        throw DatabaseError(
          .migrate,
          "no such column: \(table).\(column.name), or it is generated: name a stored column",
          table: table,
          column: column.name)
      }
      let type = column.declaredType(isStrict: definition.isStrict).rawValue
      return try TableRebuild(
        definition, to: definition.name, values: [column.name: sql],
        keeping: file.dependents(of: table),
        sql: {
          definition.sql(named: $0, retyping: old, as: type, isNotNull: !column.isNullable)
        }
      ).actions
    case .createIndex(let name, let sql):
      let new = IndexDefinition(name: name, table: "", sql: sql)
      guard let object = file.object("index", name) else { return [.sql(sql)] }
      let old = IndexDefinition(name: name, table: "", sql: object.sql)
      guard old.clause == new.clause, new.tableInSQL == object.table.folded else {
        throw DatabaseSchema.misuse(
          "There is an index \(name) already, \(old.clause.text): drop it first, or rename the "
            + "new index")
      }
      return []
    case .dropIndex(let name):
      return file.object("index", name) == nil
        ? [] : [.sql(SchemaObjectDefinition.dropSQL("index", name))]
    case .createObject(let object):
      // An index of an empty file has no rows to find.
      return ([object.sql] + (file.objects.isEmpty ? [] : object.filling)).map { .sql($0) }
    case .dropObject(let type, let name):
      return [.sql(SchemaObjectDefinition.dropSQL(type, name))]
    }
  }

  private func rebuild(
    _ create: CreateTable, _ values: [String: String], in file: FileSchema, allowingDrops: Bool
  ) throws(DatabaseError) -> [MigrationAction] {
    if let problem = create.columns.lazy.compactMap(\.problem).first { throw problem }
    let definition = try file.existing(create.name)
    let wanted = try TableDefinition(parsing: create.sql())
    let changes = formatChanges(in: file)
    guard
      followsModel || !values.isEmpty || !changes.isEmpty
        || !definition.differences(from: wanted, keys: { file.primaryKey(of: $0.string) }).isEmpty
    else { return [] }
    for name in values.keys where wanted.column(name) == nil {
      throw DatabaseSchema.misuse(
        "The new table \(create.name) has no column \(name) to set: correct the name")
    }
    // The indexes of a model are created again by their own changes.
    let rebuild = try TableRebuild(
      definition, to: followsModel ? create.name : definition.name, values: values,
      changing: changes, for: followsModel ? create.columns : [],
      keeping: followsModel
        ? file.triggers(of: create.name).map(\.statement) : file.dependents(of: create.name),
      sql: { create.sql(named: $0) })
    if !allowingDrops { try rebuild.refuseDrops(inStep: !followsModel) }
    return rebuild.actions
  }

  /// Returns the columns whose format changes, except columns with explicit values.
  func formatChanges(in file: FileSchema) -> [ExactText: FormatChange] {
    guard case .rebuildTable(let create, let values) = kind,
      let old = try? file.definition(create.name),
      let new = try? TableDefinition(parsing: create.sql())
    else { return [:] }
    let given = Set(values.keys.map(\.folded))
    return file.formatChanges(
      in: old, to: new,
      create.columns.filter {
        followsModel || ($0.claimedFormat != nil && !given.contains($0.name.folded))
      })
  }

  private func renaming(_ name: String, to newName: String, in file: FileSchema)
    -> [MigrationAction]
  {
    func rename(_ name: String, _ newName: String) -> MigrationAction {
      .sql("ALTER TABLE \(name.quotedIdentifier) RENAME TO \(newName.quotedIdentifier)")
    }
    guard name.folded == newName.folded else { return [rename(name, newName)] }
    if file.object("table", name)?.name.hasSameBytes(as: newName) ?? false { return [] }
    // For names that differ only in case, SQLite reports that the table exists already.
    var between = newName + "_"
    while file.objects.contains(where: { $0.name.folded == between.folded }) { between += "_" }
    return [rename(name, between), rename(between, newName)]
  }

  private func creation(_ create: CreateTable, in file: FileSchema) throws(DatabaseError)
    -> [MigrationAction]
  {
    if let problem = create.columns.lazy.compactMap(\.problem).first { throw problem }
    guard let definition = try file.definition(create.name) else { return [.sql(create.sql())] }
    let wanted = try TableDefinition(parsing: create.sql())
    let differences = definition.differences(from: wanted, keys: { file.primaryKey(of: $0.string) })
    guard differences.isEmpty else {
      throw DatabaseSchema.misuse(
        "There is a table \(create.name) already, and it differs from the table to create. Correct the "
          + "step, or change the table with .rebuildTable:\n"
          + SchemaReport(differences: differences).description)
    }
    return []
  }

  private func addition(
    of column: ColumnSchema, to table: String, in file: FileSchema
  ) throws(DatabaseError) -> [MigrationAction] {
    if let problem = column.problem { throw problem }
    let definition = try file.existing(table)
    let (declaration, wanted) = try column.addition(to: definition)
    if let mine = definition.column(column.name), let new = wanted.columns.first {
      let differences = mine.properties(comparedWith: new)
      guard let first = differences.first else { return [] }
      throw DatabaseSchema.misuse(
        "There is a column \(table).\(column.name) already, and its \(first.property) is "
          + "\(first.file) and not \(first.model): correct the step, or change the column with "
          + ".rebuildTable")
    }
    if wanted.isAddable {
      return [
        .sql(
          "ALTER TABLE \(table.quotedIdentifier) ADD COLUMN \(declaration)",
          movesRows: wanted.givesParents)
      ]
    }
    return try TableRebuild(
      definition, to: definition.name, keeping: file.dependents(of: table),
      sql: { definition.sql(named: $0, adding: declaration) }
    ).actions
  }
}

extension ColumnSchema {
  /// The declaration for ALTER TABLE, and its parsed form in a table without other columns.
  func addition(to table: TableDefinition) throws(DatabaseError) -> (String, TableDefinition) {
    let declaration = definition(isKey: isPrimaryKey, isStrict: table.isStrict)
    let parsed = try TableDefinition(
      parsing: "CREATE TABLE \(table.name.quotedIdentifier) (\(declaration))")
    return (declaration, parsed)
  }
}

extension FileSchema {
  fileprivate func existing(_ table: String) throws(DatabaseError) -> TableDefinition {
    guard let definition = try definition(table) else {
      throw DatabaseError(.migrate, "no such table: \(table)", table: table)
    }
    return definition
  }

  /// The statements of a table's indexes and triggers.
  fileprivate func dependents(of table: String) -> [String] {
    indexes(of: table).map(\.sql) + triggers(of: table).map(\.statement)
  }
}

extension TableDefinition {
  /// True if the default of an added column refers to a parent.
  var givesParents: Bool {
    !foreignKeys.isEmpty && columns.contains { $0.defaultValue != nil }
  }

  /// True if ALTER TABLE can add the column to a table with rows.
  ///
  /// See [ALTER TABLE ADD COLUMN](https://www.sqlite.org/lang_altertable.html#altertabaddcol).
  var isAddable: Bool {
    primaryKey.isEmpty && uniques.isEmpty
      && columns.allSatisfy { column in
        guard column.generated == nil else { return !column.isStored }
        guard let value = column.defaultValue else { return !column.isNotNull }
        return value.isConstant && !(column.isNotNull && value.tokens[0].isKeyword("null"))
      }
  }
}

extension TableDefinition.Clause {
  fileprivate var isConstant: Bool {
    var tokens = tokens[...]
    if let first = tokens.first, ["-", "+"].contains(first.text) { tokens = tokens.dropFirst() }
    guard tokens.count == 1, let token = tokens.first else { return false }
    switch token.kind {
    case .number, .string, .blob: return true
    case .word: return ["null", "true", "false"].contains(token.text)
    case .quotedName, .symbol: return false
    }
  }
}
