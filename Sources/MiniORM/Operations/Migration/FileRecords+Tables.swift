extension FileRecords {
  fileprivate static let tables = [
    (
      "miniorm_objects",
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
      "miniorm_tables",
      """
      CREATE TABLE miniorm_tables (
        tbl TEXT PRIMARY KEY NOT NULL,
        hash INTEGER NOT NULL,
        migration INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID
      """
    ),
    (
      "miniorm_columns",
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
    let own =
      tables + [
        (Migrator.historyTable, Migrator.historySQL), (BackupRecord.table, BackupRecord.sql),
      ]
    return own.contains { $0.0.folded == name.folded && $0.1.hasSameBytes(as: sql) }
  }
}

extension Connection {
  /// Reads the records. Records whose tables another program has removed are empty.
  func records() throws(DatabaseError) -> FileRecords {
    var records = FileRecords()
    var hashes: [ExactText: Int64] = [:]
    for row in try rows("type, name", of: "miniorm_objects") {
      guard case (.text(let type), .text(let name)) = (row[0], row[1]) else { continue }
      records.objects.insert(FileRecords.Object(type, name))
    }
    for row in try rows("tbl, hash", of: "miniorm_tables") {
      guard case (.text(let table), .integer(let hash)) = (row[0], row[1]) else { continue }
      hashes[table.folded] = hash
    }
    for row in try rows("tbl, col, format", of: "miniorm_columns") {
      guard case (.text(let table), .text(let column), .text(let format)) = (row[0], row[1], row[2])
      else { continue }
      records.set(FileRecords.Format(written: format), of: column.folded, in: table.folded)
    }
    records.hashes = hashes
    return records
  }

  /// - Parameter file: The schema after the migration.
  func write(_ records: FileRecords, in file: FileSchema) throws(DatabaseError) {
    for (name, sql) in FileRecords.tables {
      // Dropping and creating a table changes the schema, so that all connections recompile their
      // statements even if a migration only converts rows.
      if try hasOwnTable(name) {
        _ = try query(SQL(raw: "DROP TABLE \(name)"))
      }
      try createOwnTable(name, sql)
    }
    let newest = try value(
      Int64?.self, "SELECT max(id) FROM \(raw: Migrator.historyTable)")
    let migration = (newest ?? nil) ?? 0
    for object in records.objects {
      try execute(
        "INSERT INTO miniorm_objects VALUES (\(object.type), \(object.name.string), \(migration))")
    }
    let recorded = Set(records.objects.filter { $0.type == "table" }.map(\.name)).union(
      records.formats.keys)
    for table in recorded {
      guard let sql = file.object("table", table.string)?.sql else { continue }
      try execute(
        "INSERT INTO miniorm_tables VALUES (\(table.string), \(SchemaHash.of(sql)), \(migration))")
    }
    for (table, columns) in records.formats {
      for (column, format) in columns {
        try execute(
          "INSERT INTO miniorm_columns VALUES (\(table.string), \(column.string), \(format.written), \(migration))"
        )
      }
    }
  }

  fileprivate func rows(_ columns: String, of table: String) throws(DatabaseError)
    -> [[DatabaseValue]]
  {
    guard try hasOwnTable(table) else { return [] }
    return try query("SELECT \(raw: columns) FROM \(raw: table)").map(\.values)
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
    for name in [Migrator.historyTable, BackupRecord.table] + FileRecords.tables.map(\.0) {
      if try hasOwnTable(name) { own.append(("table", name)) }
    }
    let file = try migrationState().file
    return own
      + file.objects.filter { $0.type != "index" && file.records.contains($0) }
      .map { ($0.type, $0.name) }
  }

  package func recordedFormats() throws(DatabaseError) -> [ExactText: [ExactText: String]] {
    let file = try migrationState().file
    var formats: [ExactText: [ExactText: String]] = [:]
    for table in file.objects where table.type == "table" {
      formats[table.name.folded] = file.records.formats(in: table).mapValues {
        $0.format.description
      }
    }
    return formats
  }
}
