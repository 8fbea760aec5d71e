/// What a file records of the objects that MiniORM has created in it, and of the formats of its
/// columns.
///
/// | table | a row says |
/// |---|---|
/// | `miniorm_objects` | MiniORM has created this view, trigger, index or virtual table, or the table that belongs to one |
/// | `miniorm_tables` | the hash of the table's statement, as it was when its columns were recorded |
/// | `miniorm_columns` | the format of the column |
///
/// `migration` is the row of `miniorm_migrations` that was written with the record. If there is a later
/// row, a MiniORM version without records has migrated the file since. If a hash differs, another
/// program has changed the table.
struct FileRecords: Sendable {
  struct Object: Hashable, Sendable {
    let type: String
    let name: ExactText

    init(_ type: String, _ name: String) { (self.type, self.name) = (type, name.folded) }
  }

  var objects: Set<Object> = []
  /// Whether the file says which objects MiniORM has created.
  private(set) var knowsObjects = false
  /// The formats of columns, by the folded names of the table and the column.
  private(set) var formats: [ExactText: [ExactText: ColumnFormat]] = [:]
  /// The recorded hashes of tables; nil in a migration, which knows of each change.
  private var hashes: [ExactText: Int64]? = [:]
  /// Whether they were written with the newest migration of the file.
  private(set) var areCurrent = false
  /// Whether a MiniORM version without records has migrated the file after they were written.
  private let areOutdated: Bool

  /// - Parameter areOutdated: Whether the file has records that its newest migration did not write.
  init(areOutdated: Bool = false) { self.areOutdated = areOutdated }

  /// - Parameter objects: The objects, or nil if the file does not record them.
  init(
    objects: Set<Object>?, formats: [ExactText: [ExactText: ColumnFormat]],
    hashes: [ExactText: Int64]
  ) {
    (self.formats, self.hashes) = (formats, hashes)
    (self.objects, knowsObjects) = (objects ?? [], objects != nil)
    (areCurrent, areOutdated) = (true, false)
  }

  /// Whether a table is as it was when it was recorded.
  /// - Complexity: O(*n*) in the length of its statement.
  private func isUnchanged(_ table: FileSchema.Object) -> Bool {
    guard let hashes else { return true }
    return hashes[table.name.folded] == SchemaHash.of(table.sql)
  }

  // MARK: Formats

  /// Returns the recorded formats of a table's columns; none, if another program has changed the table.
  /// - Parameters:
  ///   - table: The table as the file declares it now.
  ///   - isKnown: Whether the table is as MiniORM writes it, so that its hash need not be computed.
  func formats(in table: FileSchema.Object, isKnown: Bool = false) -> [ExactText: ColumnFormat] {
    guard let formats = formats[table.name.folded], isKnown || isUnchanged(table) else {
      return [:]
    }
    return formats
  }

  mutating func set(_ format: ColumnFormat?, of column: ExactText, in table: ExactText) {
    formats[table, default: [:]][column] = format
  }

  /// Drops what is recorded of columns that a table no longer has.
  mutating func keep(_ columns: some Sequence<ExactText>, of table: ExactText) {
    let columns = Set(columns)
    formats[table] = formats[table]?.filter { columns.contains($0.key) }
  }

  mutating func renameColumn(_ name: ExactText, to newName: ExactText, in table: ExactText) {
    guard name != newName, let format = formats[table]?.removeValue(forKey: name) else { return }
    formats[table]?[newName] = format
  }

  mutating func renameTable(_ name: ExactText, to newName: ExactText) {
    guard name != newName, let columns = formats.removeValue(forKey: name) else { return }
    formats[newName] = columns
  }

  /// Notes that SQL of the user's has changed values of a column. They may have another format now,
  /// above all if the column is about to get one.
  /// - Parameter wanted: The format that the model's column has.
  mutating func noteChange(of column: ExactText, in table: ExactText, wanted: ColumnFormat?) {
    guard let format = formats[table]?[column] else { return }
    let isSame = wanted.map { $0.name == format.name } ?? true
    set(isSame ? format.claimed : nil, of: column, in: table)
  }

  /// Follows SQL of the user's that may have changed the schema. A table is known by its first page,
  /// which ALTER TABLE keeps.
  mutating func follow(from before: FileSchema, to after: FileSchema) {
    let tables = Dictionary(
      after.tables.map { ($0.root, $0) }, uniquingKeysWith: { first, _ in first })
    let known = formats
    formats = [:]
    for (name, columns) in known {
      guard let old = before.object("table", name.string), let new = tables[old.root] else {
        continue
      }
      guard !old.sql.hasSameBytes(as: new.sql) else {
        formats[name] = columns
        continue
      }
      let types = { (table: FileSchema.Object) in
        Dictionary(
          ((try? TableDefinition(parsing: table.sql))?.columns ?? []).map { ($0.key, $0.type) },
          uniquingKeysWith: { first, _ in first })
      }
      let (oldTypes, newTypes) = (types(old), types(new))
      formats[new.name.folded] = columns.filter {
        newTypes[$0.key] != nil && newTypes[$0.key] == oldTypes[$0.key]
      }
    }
    objects = objects.filter { object in
      guard let new = after.object(object.type, object.name.string) else { return false }
      let old = before.object(object.type, object.name.string)
      // It may have rows of the user's now.
      return object.type != "table" || old?.sql.hasSameBytes(as: new.sql) ?? false
    }
  }

  /// Records the formats that a program names, until the rows prove them.
  /// - Returns: Whether any of them was not recorded.
  mutating func claim(_ formats: [String: [String: ColumnStorage]], in file: FileSchema)
    throws(DatabaseError) -> Bool
  {
    let before = self.formats
    for (table, columns) in formats {
      for (name, storage) in columns {
        guard let column = try file.definition(table)?.column(name) else {
          throw DatabaseError(
            .migrate, code: .misuse, "The file has no column \(table).\(name)", table: table,
            column: name)
        }
        let format = ColumnFormat(of: storage)
        let known = self.formats[table.folded]?[column.key]
        guard known?.isClaim ?? true || known?.name == format.name else {
          throw DatabaseError(
            .migrate, code: .misuse,
            "The file records that column \(table).\(name) is stored as \(known ?? format), and not as "
              + "\(format). Convert it in a step, with .convertColumn",
            table: table, column: name)
        }
        if known?.isClaim ?? true { set(format.claimed, of: column.key, in: table.folded) }
      }
    }
    return self.formats != before
  }

  /// Records the units that the models declare, for a file of a MiniORM version without records: the
  /// numbers do not show them, and the file was read in these units so far.
  private mutating func claimUnits(of declared: DeclaredSchema, in file: FileSchema) {
    for model in declared.tables where model.create.columns.contains(where: \.hasUnit) {
      for name in [model.name] + model.formerNames {
        guard let table = try? file.definition(name) else { continue }
        for column in table.columns {
          guard let wanted = model.column(column.key), wanted.hasUnit,
            model.definition.column(wanted.name)?.type == column.type,
            formats[name.folded]?[column.key] == nil
          else { continue }
          set(wanted.format?.claimed, of: column.key, in: name.folded)
        }
      }
    }
  }

  // MARK: Objects

  /// Whether MiniORM has created an object, and may drop it.
  func contains(_ object: FileSchema.Object) -> Bool {
    objects.contains(Object(object.type, object.name))
      && (object.type != "table" || isUnchanged(object))
  }

  // MARK: Migrations

  /// Prepares the records for a migration: drops the records of objects that other programs have
  /// changed, and records the objects that a MiniORM version without records has created.
  /// - Parameter declared: What the program declares; nil for a migration that knows none of it.
  mutating func begin(in file: FileSchema, for declared: DeclaredSchema?) {
    formats = formats.filter { name, _ in
      file.object("table", name.string).map(isUnchanged) ?? false
    }
    objects = objects.filter { object in
      file.object(object.type, object.name.string).map(contains) ?? false
    }
    if !knowsObjects, let declared {
      knowsObjects = true
      for definition in declared.objects where !definition.holdsData && definition.kind != .table {
        // An ordinary table is none of them: its rows may be the user's.
        guard let object = file.object(of: definition), definition.isDeclared(by: object.sql),
          SchemaObjectDefinition.isMarked(object.sql)
        else { continue }
        objects.insert(Object(object.type, object.name))
      }
      if !areOutdated { claimUnits(of: declared, in: file) }
    }
    hashes = nil
  }

  /// Records the indexes that are as their models declare them.
  mutating func addIndexes(of declared: DeclaredSchema, in file: FileSchema) {
    for table in declared.tables {
      for index in table.indexes {
        guard let object = file.object("index", index.name),
          IndexDefinition(name: index.name, table: table.name, sql: object.sql)
            .hasSameClause(as: index)
        else { continue }
        objects.insert(Object("index", index.name))
      }
    }
  }

  /// Drops what no longer exists, at the end of a migration, and records declared indexes.
  mutating func end(in file: FileSchema, for declared: DeclaredSchema) {
    addIndexes(of: declared, in: file)
    formats = formats.filter { file.object("table", $0.key.string) != nil }
    objects = objects.filter { file.object($0.type, $0.name.string) != nil }
  }
}
