// Tracking the formats of columns during a migration.
extension Migrator {
  func file(on connection: isolated Connection) throws(DatabaseError) -> FileSchema {
    var file = try connection.fileSchema()
    file.records = records
    file.parsed = parsed
    return file
  }

  /// - Parameter file: The file before the operation.
  func record(_ operation: DatabaseSchema.Operation, in file: FileSchema) {
    switch operation.kind {
    case .createTable(let create):
      guard file.object("table", create.name) == nil else { return }
      for column in create.columns {
        let format = operation.followsModel ? column.provenFormat : column.claimedFormat
        records.set(format, of: column.name.folded, in: create.name.folded)
      }
    case .renameTable(let name, let newName): records.renameTable(name.folded, to: newName.folded)
    case .renameColumn(let name, let newName, let table):
      records.renameColumn(name.folded, to: newName.folded, in: table.folded)
    case .addColumn(let column, let table):
      guard let old = try? file.definition(table), old.column(column.name) == nil else { return }
      let format = operation.followsModel ? column.formatOfDefault : column.claimedFormat
      records.set(format, of: column.name.folded, in: table.folded)
    case .dropColumn(let name, let table):
      records.set(nil, of: name.folded, in: table.folded)
    case .convertColumn(let column, let table, _):
      records.set(column.format.map { .claimed($0) }, of: column.name.folded, in: table.folded)
    case .rebuildTable(let create, let values):
      guard let old = try? file.definition(create.name),
        let new = try? TableDefinition(parsing: create.sql())
      else { return }
      let changes = operation.formatChanges(in: file)
      let given = Set(values.keys.map(\.folded))
      for column in create.columns {
        let key = column.name.folded
        let mine = old.column(key)
        // A new declared type does not change the unit of a number, and a plain integer in a step
        // names no unit.
        let keepsUnit =
          !operation.followsModel && column.claimedFormat == nil
          && records.formats[create.name.folded]?[key]?.format.hasUnit ?? false
        let isKept =
          !given.contains(key) && changes[key] == nil && mine?.generated == nil
          && mine.map { $0.type == new.column(key)?.type || keepsUnit } ?? false
        guard !isKept else { continue }
        let added = mine == nil ? column.formatOfDefault : column.format.map { .claimed($0) }
        records.set(
          operation.followsModel ? added : column.claimedFormat, of: key, in: create.name.folded)
      }
      records.keep(new.columns.map(\.key), of: create.name.folded)
    case .createObject(let object):
      if !object.holdsData {
        records.objects.insert(FileRecords.Object(object.kind.type, object.name))
      }
    case .dropObject(let type, let name): records.objects.remove(FileRecords.Object(type, name))
    case .sql, .dropTable, .createIndex, .dropIndex, .backfill, .run: break
    }
  }

  /// An empty column name means all columns of the table.
  func noteChanges(_ columns: Set<ChangedColumn>) {
    emptied.formUnion(columns.filter { $0.change == .deletion }.map(\.table))
    for changed in columns where changed.change != .deletion {
      let model = declared.tables.first { model in
        model.name.folded == changed.table
          || model.formerNames.contains { $0.folded == changed.table }
      }
      let names =
        changed.column == ""
        ? Array((records.formats[changed.table] ?? [:]).keys) : [changed.column]
      // A claimed format was named for this table, by adopt or by a step, so new rows have it. After
      // a deletion, the new rows may be the old ones with other values.
      let isAddition = changed.change == .insertion && !emptied.contains(changed.table)
      for name in names {
        if isAddition, records.formats[changed.table]?[name]?.isProven == false { continue }
        records.noteChange(of: name, in: changed.table, wanted: model?.column(name)?.format)
      }
    }
  }

  // MARK: Proof

  /// Checks that the model can read every value of a column, unless the file records the model's
  /// format as proven. A claim is a recorded format that no read has proven yet.
  func proveFormats(on connection: isolated Connection) throws(DatabaseError) {
    let file = try file(on: connection)
    for model in declared.tables {
      guard let table = try? file.definition(model.name) else { continue }
      let recorded = records.formats[model.name.folded] ?? [:]
      var obstacles: [MigrationAction.Obstacle] = []
      for column in model.create.columns {
        guard let format = column.format, let mine = table.column(column.name) else { continue }
        let known = recorded[mine.key]
        guard known != .proven(format) else { continue }
        let isStrict = table.isStrict && mine.type == ExactText(column.type.rawValue)
        obstacles += column.obstacles(format, isKnown: known != nil, isStrict: isStrict)
        records.set(.proven(format), of: mine.key, in: model.name.folded)
      }
      if !isPlanning { try refuse(obstacles, of: model.name, on: connection) }
    }
  }
}

extension ColumnSchema {
  /// An SQL default only claims the format, until the rows are read.
  fileprivate var formatOfDefault: FileRecords.Format? {
    format.map { isDefaultedByDatabase || generated != nil ? .claimed($0) : .proven($0) }
  }

  fileprivate var provenFormat: FileRecords.Format? { format.map { .proven($0) } }

  fileprivate func obstacles(
    _ format: ColumnFormat, isKnown: Bool, isStrict: Bool
  ) -> [MigrationAction.Obstacle] {
    var obstacles: [MigrationAction.Obstacle] = []
    func refuse(_ condition: String, _ message: String) {
      obstacles.append(
        MigrationAction.Obstacle(
          condition: "\(quotedName) \(condition)", column: name, message: message, code: .mismatch,
          namesRows: true))
    }
    if !isNullable, isDeclaredNullable {
      refuse(
        "IS NULL", "NULL in column \(name), whose property is not optional: fill it in a step")
    }
    if !isKnown, format.hasUnit, generated == nil {
      refuse(
        "IS NOT NULL",
        "a number in column \(name), and neither the file nor the number says whether it is "
          + "stored as \(format). If it is, call adopt(formats:) before migrate, or name the "
          + "representation in the step that creates the column. If it is not, convert it in a step: "
          + conversionStep)
    }
    // A property of this type can read every value of a STRICT column.
    guard !isStrict || !["int64", "double"].contains(format.name) else { return obstacles }
    let known = format.readable(quotedName).map { " AND NOT (\($0))" } ?? ""
    refuse(
      "IS NOT NULL\(known) AND NOT \(isRead)",
      "a value in column \(name) that cannot be read as \(format): convert it in a step, "
        + conversionStep)
    return obstacles
  }
}
