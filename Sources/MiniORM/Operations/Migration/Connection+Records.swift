extension FileRecords {
  private static let objectsTable = "miniorm_objects"
  private static let tablesTable = "miniorm_tables"
  private static let columnsTable = "miniorm_columns"

  private static let tables = [
    (
      objectsTable,
      """
      CREATE TABLE miniorm_objects (
        type TEXT NOT NULL,
        name TEXT NOT NULL,
        migration INTEGER NOT NULL,
        PRIMARY KEY (type, name)
      ) STRICT, WITHOUT ROWID
      """
    ),
    (
      tablesTable,
      """
      CREATE TABLE miniorm_tables (
        tbl TEXT PRIMARY KEY NOT NULL,
        hash INTEGER NOT NULL,
        migration INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID
      """
    ),
    (
      columnsTable,
      """
      CREATE TABLE miniorm_columns (
        tbl TEXT NOT NULL,
        col TEXT NOT NULL,
        format TEXT NOT NULL,
        migration INTEGER NOT NULL,
        PRIMARY KEY (tbl, col)
      ) STRICT, WITHOUT ROWID
      """
    ),
  ]

  /// Compares the SQL, because another program may have a table of this name.
  static func isOwn(_ name: String, _ sql: String) -> Bool {
    let own = tables + [(Migrator.historyTable, Migrator.historySQL)]
    return own.contains { $0.0.folded == name.folded && $0.1.hasSameBytes(as: sql) }
  }

  /// Reads the records. The result is empty if the file was last migrated by an old version of
  /// MiniORM, which writes no records.
  fileprivate static func read(on connection: isolated Connection) throws(DatabaseError)
    -> FileRecords
  {
    for name in [tablesTable, columnsTable] {
      guard try connection.hasOwnTable(name) else { return FileRecords() }
    }
    var (newest, hashes): (Int64, [ExactText: Int64]) = (0, [:])
    for row in try connection.query("SELECT tbl, hash, migration FROM \(raw: tablesTable)") {
      guard case .text(let table) = row.values[0], case .integer(let hash) = row.values[1],
        case .integer(let migration) = row.values[2]
      else { continue }
      hashes[table.folded] = hash
      newest = max(newest, migration)
    }
    guard try connection.newestMigration() == newest else {
      return FileRecords(areOutdated: true)
    }
    var objects: Set<Object>?
    if try connection.hasOwnTable(objectsTable) {
      objects = []
      for row in try connection.query("SELECT type, name FROM \(raw: objectsTable)") {
        guard case .text(let type) = row.values[0], case .text(let name) = row.values[1] else {
          continue
        }
        objects?.insert(Object(type, name))
      }
    }
    var formats: [ExactText: [ExactText: ColumnFormat]] = [:]
    for row in try connection.query("SELECT tbl, col, format FROM \(raw: columnsTable)") {
      guard case .text(let table) = row.values[0], case .text(let column) = row.values[1],
        case .text(let format) = row.values[2]
      else { continue }
      formats[table.folded, default: [:]][column.folded] = ColumnFormat(name: format)
    }
    return FileRecords(objects: objects, formats: formats, hashes: hashes)
  }

  fileprivate func write(_ file: FileSchema, on connection: isolated Connection)
    throws(DatabaseError)
  {
    for (name, sql) in Self.tables {
      // Dropping and creating a table changes the schema, so that all connections recompile their
      // statements even if a migration only converts rows.
      if try connection.hasOwnTable(name) {
        _ = try connection.query(SQL(raw: "DROP TABLE \(name)"))
      }
      guard knowsObjects || name != Self.objectsTable else { continue }
      try connection.createOwnTable(name, sql)
    }
    let migration = try connection.newestMigration()
    for object in objects {
      try connection.execute(
        """
        INSERT INTO \(raw: Self.objectsTable) (type, name, migration)
        VALUES (\(object.type), \(object.name.string), \(migration))
        """)
    }
    let recorded = Set(objects.filter { $0.type == "table" }.map(\.name)).union(formats.keys)
    let hashes = recorded.compactMap { name in
      file.object("table", name.string).map { (name, SchemaHash.of($0.sql)) }
    }
    // The record of the history table identifies the migration even if there are no other tables.
    let history = (Migrator.historyTable.folded, SchemaHash.of(Migrator.historySQL))
    for (table, hash) in hashes + [history] {
      try connection.execute(
        """
        INSERT INTO \(raw: Self.tablesTable) (tbl, hash, migration)
        VALUES (\(table.string), \(hash), \(migration))
        """)
    }
    for (table, columns) in formats {
      for (column, format) in columns {
        try connection.execute(
          """
          INSERT INTO \(raw: Self.columnsTable) (tbl, col, format, migration)
          VALUES (\(table.string), \(column.string), \(format.written), \(migration))
          """)
      }
    }
  }
}

extension Connection {
  func records() throws(DatabaseError) -> FileRecords { try FileRecords.read(on: self) }

  /// - Parameter file: The schema after the migration.
  func write(_ records: FileRecords, in file: FileSchema) throws(DatabaseError) {
    try records.write(file, on: self)
  }

  fileprivate func newestMigration() throws(DatabaseError) -> Int64 {
    let newest = try value(Int64?.self, "SELECT max(id) FROM \(raw: Migrator.historyTable)")
    return (newest ?? nil) ?? 0
  }

  func hasOwnTable(_ name: String) throws(DatabaseError) -> Bool {
    let sql = try value(
      String.self, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = \(name)")
    return sql.map { FileRecords.isOwn(name, $0) } ?? false
  }

  func createOwnTable(_ name: String, _ sql: String) throws(DatabaseError) {
    let others = try value(
      Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = \(name) COLLATE NOCASE")
    guard others == 0 else {
      throw DatabaseSchema.misuse(
        "The file has a table \(name) from another program, but MiniORM uses this name for its "
          + "records: rename that table")
    }
    _ = try query(SQL(raw: sql))
  }

  /// Returns the tables of the records, and the objects that MiniORM created apart from the models'
  /// tables. Types are SQLite's.
  package func declaredObjects() throws(DatabaseError) -> [(type: String, name: String)] {
    var own: [(type: String, name: String)] = []
    for row in try query("SELECT name, sql FROM sqlite_schema WHERE type = 'table'") {
      guard case .text(let name) = row.values[0], case .text(let sql) = row.values[1],
        FileRecords.isOwn(name, sql)
      else { continue }
      own.append(("table", name))
    }
    let file = try migrationState().file
    return own
      + file.objects.filter { object in
        guard file.records.knowsObjects else {
          // A virtual table has no root page.
          return (object.type != "table" || object.root == 0)
            && SchemaObjectDefinition.isMarked(object.sql)
        }
        return object.type != "index" && file.records.contains(object)
      }.map { ($0.type, $0.name) }
  }

  package func recordedFormats() throws(DatabaseError) -> [ExactText: [ExactText: String]] {
    let file = try migrationState().file
    var formats: [ExactText: [ExactText: String]] = [:]
    for table in file.objects where table.type == "table" {
      formats[table.name.folded] = file.records.formats(in: table).mapValues(\.description)
    }
    return formats
  }
}
