struct AutomaticChange: Sendable {
  let kind: Kind
  let actions: [MigrationAction]

  /// A repeated kind shows that the change had no effect.
  enum Kind: Hashable {
    case drop(type: String, ExactText)
    case create(type: String, ExactText)
    case renameTable(ExactText, to: ExactText)
    case renameColumn(ExactText, of: ExactText, to: ExactText)
    case addColumn(ExactText, to: ExactText)
    case rebuild(ExactText)
  }

  var name: String {
    switch kind {
    case .drop(let type, let name): "drop \(type) \(name)"
    case .create(let type, let name): "create \(type) \(name)"
    case .renameTable(let former, let name): "rename table \(former) to \(name)"
    case .renameColumn(let former, let table, let name):
      "rename column \(table).\(former) to \(name)"
    case .addColumn(let name, let table): "add column \(table).\(name)"
    case .rebuild(let table): "rebuild table \(table)"
    }
  }

  /// Returns the next change that brings a file closer to the models; nil if the file matches.
  ///
  /// Changes are computed one by one, because a change can modify other objects. For example,
  /// renaming a column also renames it in indexes, triggers and views.
  static func next(
    in file: FileSchema, for declared: DeclaredSchema, allowingDrops: Bool
  ) throws(DatabaseError) -> AutomaticChange? {
    // Obsolete objects first: SQLite refuses a change to a table if a view or trigger would no
    // longer compile.
    if let object = try file.obsoleteObject(declared.objects) {
      return .drop(type: object.type, object.name)
    }
    if let change = try next(in: file, for: declared.tables, allowingDrops: allowingDrops) {
      return change
    }
    return file.missingObject(declared.objects).map { object in
      AutomaticChange(
        kind: .create(type: object.kind.type, ExactText(object.name)),
        actions: ([object.sql] + object.filling).map { .sql($0) })
    }
  }

  private static func drop(type: String, _ name: String) -> AutomaticChange {
    AutomaticChange(
      kind: .drop(type: type, ExactText(name)),
      actions: [.sql(SchemaObjectDefinition.dropSQL(type, name))])
  }

  private static func next(
    in file: FileSchema, for models: [ModelTable], allowingDrops: Bool
  ) throws(DatabaseError) -> AutomaticChange? {
    if let rename = try rename(in: file, for: models) { return rename }
    for model in models where file.object("table", model.name) == nil {
      guard file.object("view", model.name) == nil else { continue }
      return AutomaticChange(
        kind: .create(type: "table", ExactText(model.name)), actions: [.sql(model.sql)])
    }
    // Indexes are dropped from all tables first, because an index name may move to another table.
    for model in models {
      if let change = try dropIndex(file.differences(model), of: model, in: file, allowingDrops) {
        return change
      }
    }
    for model in models {
      let differences = file.differences(model)
      guard !differences.isEmpty, let table = try? file.definition(model.name) else { continue }
      if let change = try alter(
        table, to: model, differences, in: file, allowingDrops: allowingDrops)
      {
        return change
      }
      for case .missingIndex(_, let name) in differences {
        guard let index = model.indexes.first(where: { $0.name.hasSameBytes(as: name) }) else {
          continue
        }
        return AutomaticChange(
          kind: .create(type: "index", ExactText(name)), actions: [.sql(index.sql)])
      }
    }
    return nil
  }

  /// Throws if the file has an object under both its former and its new name.
  private static func rename(
    in file: FileSchema, for models: [ModelTable]
  ) throws(DatabaseError) -> AutomaticChange? {
    for model in models where file.object("table", model.name) == nil {
      // A different model may now have the former name. Its table is created later.
      let former = model.formerNames.first { file.object("table", $0) != nil }
      guard let former else { continue }
      return AutomaticChange(
        kind: .renameTable(ExactText(former), to: ExactText(model.name)),
        actions: [
          .sql("ALTER TABLE \(former.quotedIdentifier) RENAME TO \(model.name.quotedIdentifier)")
        ])
    }
    // Only after all renames of tables is each table compared with its own model.
    for model in models {
      if let former = file.formerTable(beside: model, models) {
        throw DatabaseError(
          .migrate, code: .misuse,
          "The file has both the table \(model.name) and the table \(former), from which the model "
            + "says it was renamed: in a step, move the rows of \(former) and drop it with "
            + ".dropTable(\"\(former)\"), or remove renamedFrom: \"\(former)\"",
          table: model.name)
      }
      guard let definition = try? file.definition(model.name) else { continue }
      for column in model.definition.columns {
        let former = model.formerColumns[column.key]?.first { former in
          definition.column(former) != nil && model.definition.column(former) == nil
        }
        guard let former else { continue }
        guard definition.column(column.name) == nil else {
          throw DatabaseError(
            .migrate, code: .misuse,
            "The table \(model.name) has both the column \(column.name) and the column \(former), "
              + "from which the model says it was renamed: in a step, move the values of \(former) "
              + "and drop it with .dropColumn(\"\(former)\", from: \"\(model.name)\"), or remove "
              + "renamedFrom: \"\(former)\"",
            table: model.name, column: column.name)
        }
        return AutomaticChange(
          kind: .renameColumn(
            ExactText(former), of: ExactText(model.name), to: ExactText(column.name)),
          actions: [
            .sql(
              "ALTER TABLE \(model.name.quotedIdentifier) RENAME COLUMN "
                + "\(former.quotedIdentifier) TO \(column.name.quotedIdentifier)")
          ])
      }
    }
    return nil
  }

  /// Drops an index that the model declares differently or not at all. Throws for a unique index
  /// that MiniORM has not created, because the app may rely on its constraint.
  private static func dropIndex(
    _ differences: [SchemaReport.Difference], of model: ModelTable, in file: FileSchema,
    _ allowingDrops: Bool
  ) throws(DatabaseError) -> AutomaticChange? {
    for difference in differences {
      let name: String
      switch difference {
      case .extraIndex(_, let index), .differentIndex(_, let index, _, _): name = index
      default: continue
      }
      guard let object = file.object("index", name) else { continue }
      let index = IndexDefinition(name: name, table: model.name, sql: object.sql)
      let declared = model.indexes.first { $0.name.folded == name.folded }
      guard index.isUnique else { return .drop(type: "index", name) }
      guard declared?.isUnique ?? false || allowingDrops || file.records.contains(object) else {
        throw DatabaseError(
          .migrate, code: .misuse,
          "The unique index \(name) of table \(model.name) would be dropped, and with it the constraint "
            + "that it enforces: \(index.clause.text). To keep it, declare it in the indexes of the model: "
            + "Index(\"\(name)\", unique: true) { … }. To drop it, write a step with "
            + ".dropIndex(\"\(name)\"), or call migrate with allowingDrops",
          table: model.name)
      }
      let note =
        "index \(name) of table \(model.name) enforces a constraint that no model declares: "
      return AutomaticChange(
        kind: .drop(type: "index", ExactText(name)),
        actions: [
          .note(note + index.clause.text), .sql(SchemaObjectDefinition.dropSQL("index", name)),
        ])
    }
    return nil
  }

  private static func alter(
    _ table: TableDefinition, to model: ModelTable, _ differences: [SchemaReport.Difference],
    in file: FileSchema, allowingDrops: Bool
  ) throws(DatabaseError) -> AutomaticChange? {
    let isDeclaredOtherwise = differences.contains { difference in
      switch difference {
      case .missingIndex, .extraIndex, .differentIndex, .differentColumn(_, _, "format", _, _):
        false
      default: true
      }
    }
    let changes = file.formatChanges(in: table, to: model.definition, model.create.columns)
    guard isDeclaredOtherwise || !changes.isEmpty else { return nil }
    if changes.isEmpty, let declaration = try addition(to: table, of: model, in: file) {
      return AutomaticChange(
        kind: .addColumn(ExactText(declaration.name), to: ExactText(model.name)),
        actions: [
          .sql(
            "ALTER TABLE \(model.name.quotedIdentifier) ADD COLUMN \(declaration.sql)",
            movesRows: declaration.givesParents)
        ])
    }
    let rebuild = try TableRebuild(
      table, to: model.name, changing: changes, for: model.create.columns,
      keeping: file.triggers(of: model.name).map(\.sql),
      sql: { model.create.sql(named: $0) })
    if !allowingDrops { try rebuild.refuseDrops() }
    return AutomaticChange(
      kind: .rebuild(ExactText(model.name)),
      actions: table.constraints(missingIn: model.definition).map { .note($0) } + rebuild.actions)
  }

  private static func addition(
    to table: TableDefinition, of model: ModelTable, in file: FileSchema
  ) throws(DatabaseError) -> (name: String, sql: String, givesParents: Bool)? {
    var result = table
    var first: (String, String, Bool)?
    for column in model.create.columns where table.column(column.name) == nil {
      let declaration = column.definition(
        isKey: model.definition.primaryKey.contains(column.name.folded),
        isStrict: model.definition.isStrict)
      let wanted = try TableDefinition(
        parsing: "CREATE TABLE \(model.name.quotedIdentifier) (\(declaration))")
      guard wanted.isAddable else { return nil }
      result.columns += wanted.columns
      result.checks += wanted.checks
      result.foreignKeys.formUnion(wanted.foreignKeys)
      first = first ?? (column.name, declaration, wanted.givesParents)
    }
    let keys = { (name: ExactText) in
      name == model.name.folded ? model.definition.primaryKey : file.primaryKey(of: name.string)
    }
    return result.differences(from: model.definition, keys: keys).isEmpty ? first : nil
  }
}
