/// An operation that follows from the models.
struct AutomaticChange {
  /// A description for errors and for the progress.
  let name: String
  let operation: DatabaseSchema.Operation
  /// Remarks for a plan.
  var notes: [String] = []

  private init(_ name: String, _ kind: DatabaseSchema.Operation.Kind, notes: [String] = []) {
    (self.name, self.notes) = (name, notes)
    operation = DatabaseSchema.Operation(kind: kind, followsModel: true)
  }

  private static func drop(_ type: String, _ name: String, notes: [String] = []) -> Self {
    AutomaticChange("drop \(type) \(name)", .dropObject(type: type, name), notes: notes)
  }

  /// Returns the changes that create all tables and objects in an empty file.
  static func creation(of declared: DeclaredSchema) -> [AutomaticChange] {
    declared.tables.flatMap { model in [create(model)] + model.indexes.map { create($0) } }
      + declared.objects.map { create($0) }
  }

  private static func create(_ model: ModelTable) -> Self {
    AutomaticChange("create table \(model.name)", .createTable(model.create))
  }

  private static func create(_ index: IndexDefinition) -> Self {
    AutomaticChange("create index \(index.name)", .createIndex(index.name, sql: index.sql))
  }

  private static func create(_ object: SchemaObjectDefinition) -> Self {
    AutomaticChange("create \(object.kind.type) \(object.name)", .createObject(object))
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
      return drop(object.type, object.name)
    }
    if let change = try next(in: file, for: declared.tables, allowingDrops) { return change }
    return file.missingObject(declared.objects).map { create($0) }
  }

  private static func next(
    in file: FileSchema, for models: [ModelTable], _ allowingDrops: Bool
  ) throws(DatabaseError) -> AutomaticChange? {
    if let rename = try rename(in: file, for: models) { return rename }
    for model in models where file.object("table", model.name) == nil {
      guard file.object("view", model.name) == nil else { continue }
      return create(model)
    }
    // Indexes are dropped from all tables first, because an index name may move to another table.
    let differences = models.map { file.differences($0) }
    for (model, differences) in zip(models, differences) {
      if let change = try dropIndex(differences, of: model, in: file, allowingDrops) {
        return change
      }
    }
    for (model, differences) in zip(models, differences) {
      guard !differences.isEmpty, let table = try? file.definition(of: model) else { continue }
      if let change = try alter(table, to: model, differences, in: file) { return change }
      for case .missingIndex(_, let name) in differences {
        if let index = model.indexes.first(where: { $0.name.hasSameBytes(as: name) }) {
          return create(index)
        }
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
        "rename table \(former) to \(model.name)", .renameTable(former, to: model.name))
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
          "rename column \(model.name).\(former) to \(column.name)",
          .renameColumn(former, to: column.name, table: model.name))
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
      guard index.isUnique else { return drop("index", name) }
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
      return drop("index", name, notes: [note + index.clause.text])
    }
    return nil
  }

  /// Adds a column, or rebuilds the table.
  private static func alter(
    _ table: TableDefinition, to model: ModelTable, _ differences: [SchemaReport.Difference],
    in file: FileSchema
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
    if changes.isEmpty, let column = try addition(to: table, of: model, in: file) {
      return AutomaticChange(
        "add column \(model.name).\(column.name)", .addColumn(column, table: model.name))
    }
    var create = model.create
    let keys = try file.definition(model.name)?.foreignKeys ?? []
    create.constraints += model.keptKeys.filter { keys.contains($0.key) }.map(\.sql)
    return AutomaticChange(
      "rebuild table \(model.name)", .rebuildTable(create, values: [:]),
      notes: table.constraints(missingIn: model.definition))
  }

  /// Returns the first missing column, if the table matches the model after ALTER TABLE has added
  /// all missing columns.
  private static func addition(
    to table: TableDefinition, of model: ModelTable, in file: FileSchema
  ) throws(DatabaseError) -> ColumnSchema? {
    var result = table
    let missing = model.create.columns.filter { table.column($0.name) == nil }
    for column in missing {
      let (_, wanted) = try column.addition(to: model.definition)
      guard wanted.isAddable else { return nil }
      result.columns += wanted.columns
      result.checks += wanted.checks
      result.foreignKeys.formUnion(wanted.foreignKeys)
      result.conflicts.merge(wanted.conflicts) { $1 }
    }
    let keys = { (name: ExactText) in
      name == model.name.folded ? model.definition.primaryKey : file.primaryKey(of: name.string)
    }
    return result.differences(from: model.definition, keys: keys).isEmpty ? missing.first : nil
  }
}
