/// The records in a file about the objects that MiniORM created, and the formats of columns.
///
/// | table | a row says |
/// |---|---|
/// | `miniorm_objects` | MiniORM has created this view, trigger, index, virtual or shadow table |
/// | `miniorm_tables` | the hash of the table's statement when the columns were recorded |
/// | `miniorm_columns` | the format of the column |
///
/// `migration` is the newest row of `miniorm_migrations` when the record was written. A different
/// hash shows that another program has changed the table.
struct FileRecords: Sendable {
  struct Object: Hashable, Sendable {
    let type: String
    let name: ExactText

    init(_ type: String, _ name: String) { (self.type, self.name) = (type, name.folded) }
  }

  enum Format: Hashable, Sendable {
    /// A step or ``Database/adopt(version:formats:)`` declared the format, and the rows have not
    /// been checked yet.
    case claimed(ColumnFormat)
    case proven(ColumnFormat)

    /// - Parameter written: The text in a file. A question mark shows a claim.
    init(written: String) {
      let isClaim = written.utf8.first == UInt8(ascii: "?")
      let format = ColumnFormat(name: isClaim ? String(written.dropFirst()) : written)
      self = isClaim ? .claimed(format) : .proven(format)
    }

    var written: String {
      switch self {
      case .claimed(let format): "?\(format)"
      case .proven(let format): "\(format)"
      }
    }

    var format: ColumnFormat {
      switch self {
      case .claimed(let format), .proven(let format): format
      }
    }

    var isProven: Bool { self == .proven(format) }
  }

  var objects: Set<Object> = []
  /// The recorded formats, by the folded names of the table and the column.
  private(set) var formats: [ExactText: [ExactText: Format]] = [:]
  /// Nil during a migration, which tracks each change.
  var hashes: [ExactText: Int64]? = [:]

  /// - Complexity: O(*n*) in the length of the table's statement.
  private func isUnchanged(_ table: FileSchema.Object) -> Bool {
    guard let hashes else { return true }
    return hashes[table.name.folded] == SchemaHash.of(table.sql)
  }

  // MARK: Formats

  /// Returns the formats of a table's columns; empty if another program has changed the table.
  /// - Parameter isKnown: True if MiniORM wrote the statement, so that no hash is computed.
  func formats(in table: FileSchema.Object, isKnown: Bool = false) -> [ExactText: Format] {
    guard let formats = formats[table.name.folded], isKnown || isUnchanged(table) else {
      return [:]
    }
    return formats
  }

  mutating func set(_ format: Format?, of column: ExactText, in table: ExactText) {
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
    guard let format = formats[table]?[column]?.format else { return }
    set(format == wanted ?? format ? .claimed(format) : nil, of: column, in: table)
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
        let isProven = known?.isProven ?? false
        guard !isProven || known?.format == format else {
          throw DatabaseError(
            .migrate, code: .misuse,
            "The file records that column \(table).\(name) is stored as \(known?.format ?? format), and not as "
              + "\(format). Convert it in a step, with .convertColumn",
            table: table, column: name)
        }
        if !isProven { set(.claimed(format), of: column.key, in: table.folded) }
      }
    }
    return self.formats != before
  }

  /// Records the models' formats of dates, UUIDs and decimals as claims, until the rows prove them,
  /// and removes other claims. Ignores tables and columns that are not in the file.
  /// - Returns: True if the records have changed.
  mutating func claim(formatsOf models: [ModelTable], in file: FileSchema) -> Bool {
    let before = formats
    // A table with a former name comes last, because a different model may now have this name.
    for isRenamed in [false, true] {
      for model in models where (file.object("table", model.name) == nil) == isRenamed {
        let names = isRenamed ? model.formerNames : [model.name]
        guard let name = names.first(where: { file.object("table", $0) != nil }),
          let table = try? file.definition(name)
        else { continue }
        for old in table.columns {
          guard let column = model.column(old.key), let format = column.format else { continue }
          // Without a claim, `migrate` converts the texts of a TEXT column to a number of seconds,
          // for example. The declared type then describes the values, and not the model.
          let isClaimed =
            format.hasAlternatives
            && (old.type == model.definition.column(column.name)?.type
              || ColumnFormat.undescribed(old.type).conversion(to: format) != .computed)
          set(isClaimed ? .claimed(format) : nil, of: old.key, in: name.folded)
        }
      }
    }
    return formats != before
  }

  // MARK: Objects

  func contains(_ object: FileSchema.Object) -> Bool {
    objects.contains(Object(object.type, object.name))
      && (object.type != "table" || isUnchanged(object))
  }

  // MARK: Migrations

  /// Removes the records of objects that another program has changed.
  mutating func begin(in file: FileSchema) {
    formats = formats.filter { name, _ in
      file.object("table", name.string).map(isUnchanged) ?? false
    }
    objects = objects.filter { object in
      file.object(object.type, object.name.string).map(contains) ?? false
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
