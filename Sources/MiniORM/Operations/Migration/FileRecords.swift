/// The records in a file about the objects that MiniORM created, and the formats of columns.
///
/// | table | a row says |
/// |---|---|
/// | `miniorm_objects` | MiniORM has created this view, trigger, index, virtual or shadow table |
/// | `miniorm_tables` | the hash of the table's statement when the columns were recorded |
/// | `miniorm_columns` | the format of the column |
///
/// `migration` is the newest row of `miniorm_migrations` when the record was written. A newer row
/// shows that an old version of MiniORM, which writes no records, has migrated the file. A
/// different hash shows that another program has changed the table.
struct FileRecords: Sendable {
  struct Object: Hashable, Sendable {
    let type: String
    let name: ExactText

    init(_ type: String, _ name: String) { (self.type, self.name) = (type, name.folded) }
  }

  var objects: Set<Object> = []
  private(set) var knowsObjects = false
  /// The recorded formats, by the folded names of the table and the column.
  private(set) var formats: [ExactText: [ExactText: ColumnFormat]] = [:]
  /// Nil during a migration, which tracks each change.
  private var hashes: [ExactText: Int64]? = [:]
  private(set) var areCurrent = false
  /// True if a version of MiniORM that writes no records migrated the file after the records were
  /// written.
  private let areOutdated: Bool

  init(areOutdated: Bool = false) { self.areOutdated = areOutdated }

  init(
    objects: Set<Object>?, formats: [ExactText: [ExactText: ColumnFormat]],
    hashes: [ExactText: Int64]
  ) {
    (self.formats, self.hashes) = (formats, hashes)
    (self.objects, knowsObjects) = (objects ?? [], objects != nil)
    (areCurrent, areOutdated) = (true, false)
  }

  /// - Complexity: O(*n*) in the length of the table's statement.
  private func isUnchanged(_ table: FileSchema.Object) -> Bool {
    guard let hashes else { return true }
    return hashes[table.name.folded] == SchemaHash.of(table.sql)
  }

  // MARK: Formats

  /// Returns the formats of a table's columns; empty if another program has changed the table.
  /// - Parameter isKnown: True if MiniORM wrote the statement, so that no hash is computed.
  func formats(in table: FileSchema.Object, isKnown: Bool = false) -> [ExactText: ColumnFormat] {
    guard let formats = formats[table.name.folded], isKnown || isUnchanged(table) else {
      return [:]
    }
    return formats
  }

  mutating func set(_ format: ColumnFormat?, of column: ExactText, in table: ExactText) {
    formats[table, default: [:]][column] = format
  }

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

  /// Updates the record of a column whose format the user's SQL may have changed: a record that
  /// differs from the model is removed, and any other becomes a claim.
  /// - Parameter wanted: The format of the model's column.
  mutating func noteChange(of column: ExactText, in table: ExactText, wanted: ColumnFormat?) {
    guard let format = formats[table]?[column] else { return }
    let isSame = wanted.map { $0.name == format.name } ?? true
    set(isSame ? format.claimed : nil, of: column, in: table)
  }

  /// Updates the records after SQL that may have changed the schema. The root page identifies a
  /// table, because ALTER TABLE keeps it.
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
      // A changed table may contain rows of the user.
      return object.type != "table" || old?.sql.hasSameBytes(as: new.sql) ?? false
    }
  }

  /// Records formats as claims, until the rows prove them.
  /// - Returns: True if a format was not recorded before.
  mutating func claim(_ formats: [String: [String: ColumnStorage]], in file: FileSchema)
    throws(DatabaseError) -> Bool
  {
    let before = self.formats
    for (table, columns) in formats {
      for (name, storage) in columns {
        guard let column = try file.definition(table)?.column(name) else {
          throw DatabaseError(
            .migrate, code: .misuse,
            "The file has no column \(table).\(name): check the names in formats", table: table,
            column: name)
        }
        // The rows prove the default format.
        guard let format = ColumnFormat(of: storage) else { continue }
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

  /// Records the models' units for a file of an old version of MiniORM, which wrote no records and
  /// read the file in these units.
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

  func contains(_ object: FileSchema.Object) -> Bool {
    objects.contains(Object(object.type, object.name))
      && (object.type != "table" || isUnchanged(object))
  }

  // MARK: Migrations

  /// Removes the records of objects that another program has changed, and adds objects of a
  /// version of MiniORM that writes no records.
  /// - Parameter declared: The program's declarations; nil for a migration without declarations.
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
        // Ordinary tables are not recorded, because their rows may belong to the user.
        guard let object = file.object(of: definition), definition.isDeclared(by: object.sql),
          SchemaObjectDefinition.isMarked(object.sql)
        else { continue }
        objects.insert(Object(object.type, object.name))
      }
      if !areOutdated { claimUnits(of: declared, in: file) }
    }
    hashes = nil
  }

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

  mutating func end(in file: FileSchema, for declared: DeclaredSchema) {
    addIndexes(of: declared, in: file)
    formats = formats.filter { file.object("table", $0.key.string) != nil }
    objects = objects.filter { file.object($0.type, $0.name.string) != nil }
  }
}
