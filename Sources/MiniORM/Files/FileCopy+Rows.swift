import CSQLCipher

extension FileCopy {
  /// The page cache of the verification, in KiB. With SQLite's default of 2 MiB, nearly every
  /// lookup of an index entry or a parent row would decrypt a page.
  #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    // A smaller cache, because these systems end apps that use too much memory.
    private static let cacheSize = 32 << 10
  #else
    private static let cacheSize = 128 << 10
  #endif

  /// - Parameter isSeparate: False if the copy replaces the original.
  func write(
    _ copy: String, from source: OpaquePointer, isSeparate: Bool
  ) throws(DatabaseError) {
    let attachment = Attachment(name: "copy", path: copy, cipher: key, isImmutable: false)
    try copying { () throws(DatabaseError) in
      let code = attachment.attachFile(to: source)
      guard code == SQLITE_OK else {
        // Only an error for the path explains why the copy cannot be created.
        throw DatabaseError.opening(copy, code: code, creates: true)
      }
      try writeRows(copy, from: source)
      if isSeparate { try BackupRecord.remove(from: "copy", source) }
      try CodecState.check(source, .copy, path: path)
      let detached = attachment.detach(from: source)
      guard detached == SQLITE_OK else {
        throw DatabaseError(.copy, code: detached, from: source)
      }
    }
  }

  func writeRows(_ copy: String, from source: OpaquePointer) throws(DatabaseError) {
    func run(_ sql: String) throws(DatabaseError) -> String? { try Connection.text(sql, source) }
    // After a crash, the incomplete copy is useless, so it needs no journal on the disk.
    _ = try run("PRAGMA copy.journal_mode = MEMORY")
    _ = try run("PRAGMA copy.synchronous = OFF")
    if key == nil {
      var size = pageSize
      if size == nil { size = try run("PRAGMA main.page_size") }
      guard let size else { throw failure(.error, "The page size of the file is unknown") }
      _ = try run("PRAGMA copy.page_size = \(size)")
    }
    if let mode = try run("PRAGMA main.auto_vacuum") {
      _ = try run("PRAGMA copy.auto_vacuum = \(mode)")
    }
    let steps = CopyProgress(copy, total: DatabaseFile.size(path), report: progress)
    try steps.watching(source) { () throws(DatabaseError) in
      do throws(DatabaseError) {
        try copyRows(from: source, steps)
      } catch {
        throw Ending.error ?? error
      }
    }
  }

  /// Throws if a missing collation orders rows, which would be in the wrong order.
  private func checkStandIns(_ source: OpaquePointer) throws(DatabaseError) {
    guard configuration.standsInForCollations else { return }
    let sql = ForeignIndex.query(knowing: configuration.collations)
    let indexes = try Connection.rows(sql, source).compactMap { ForeignIndex($0) }
    guard let index = indexes.first(where: \.ordersTable) else { return }
    throw failure(
      .error,
      "The rows of table \(index.table) are in the order of the collation \(index.collation), which is "
        + "not registered: copy the file in a program that lists it in Configuration.collations")
  }

  private func copyRows(from source: OpaquePointer, _ steps: CopyProgress) throws(DatabaseError) {
    try checkStandIns(source)
    func run(_ sql: String) throws(DatabaseError) -> String? { try Connection.text(sql, source) }
    _ = try run("BEGIN")
    // This statement holds the read snapshot until the reset, even after COMMIT. It also updates
    // the cached schema: sqlcipher_export does not retry if the schema is out of date, for example
    // after a VACUUM by another connection.
    var reading: OpaquePointer?
    defer { sqlite3_finalize(reading) }
    var code = sqlite3_prepare_v2(
      source, "SELECT count(*) FROM main.sqlite_schema", -1, &reading, nil)
    if code == SQLITE_OK { code = sqlite3_step(reading) }
    guard code == SQLITE_ROW else {
      throw DatabaseError(.copy, code: code, from: source, path: path)
    }
    try export(source)
    try keepRowIDs(source)
    for name in ["user_version", "application_id"] {
      if let value = try run("PRAGMA main.\(name)") {
        _ = try run("PRAGMA copy.\(name) = \(value)")
      }
    }
    _ = try run("COMMIT")
    // Drops the page cache, so that the verification reads from the disk.
    sqlite3_db_release_memory(source)
    _ = try run("PRAGMA copy.cache_size = -\(Self.cacheSize)")
    try CopyVerification(source: source, path: path).run(steps)
    steps.begin(.codes)
    // Pages without an HMAC, and pages in memory, have no codes.
    if let key, key.settings.hmacAlgorithm != nil, steps.isFile,
      let damage = try IntegrityCheck.codes("copy", source, key: key, steps).first
    {
      throw damage.isUnread
        ? failure(.inputOutput, "The copy cannot be read: \(damage.message). Check the disk")
        : failure(
          .corrupt,
          "The copy does not contain the bytes that were written: \(damage.message). Check the disk"
        )
    }
  }
}

extension FileCopy {
  /// Runs `sqlcipher_export`, which reports every failure as SQLITE_ERROR, and restores the code
  /// from the message.
  func export(_ source: OpaquePointer) throws(DatabaseError) {
    do throws(DatabaseError) {
      _ = try Connection.text("SELECT sqlcipher_export('copy')", source)
    } catch {
      let codes = [
        SQLITE_IOERR, SQLITE_FULL, SQLITE_NOMEM, SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_READONLY,
        SQLITE_BUSY, SQLITE_LOCKED,
      ]
      let code = codes.first { code in
        sqlite3_errstr(code).map { error.message.hasSameBytes(as: String(cString: $0)) } ?? false
      }
      guard error.code == .error else { throw error }
      guard let code else {
        // For an error in a nested statement, sqlcipher_export reports no message either.
        guard error.saysNothing else { throw error }
        throw DatabaseError(
          error.operation, code: .inputOutput,
          "The file could not be read, or the copy could not be written. SQLCipher reports no cause: check the disk and its free space",
          sql: error.sql)
      }
      throw DatabaseError(
        error.operation, code: ResultCode(rawValue: code), error.message, sql: error.sql)
    }
  }
}

extension FileCopy {
  /// Keeps the rowids of tables with neither an `INTEGER PRIMARY KEY` nor an index, which
  /// `sqlcipher_export` would renumber.
  func keepRowIDs(_ source: OpaquePointer) throws(DatabaseError) {
    let tables = try Connection.rows(
      """
      SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')
        AND wr = 0 AND name <> 'sqlite_schema' ORDER BY name
      """, source, .copy)
    // The copy already has its triggers, and a row may violate a CHECK constraint.
    var code = miniorm_db_config(source, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    guard code == SQLITE_OK else {
      throw DatabaseError(.copy, code: code, from: source, path: path)
    }
    defer { code = miniorm_db_config(source, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1) }
    _ = try Connection.text("PRAGMA ignore_check_constraints = ON", source)
    for row in tables {
      guard case .text(let table) = row[0] else { continue }
      try keepRowIDs(of: table, source)
    }
    // The verification checks the constraints.
    _ = try Connection.text("PRAGMA ignore_check_constraints = OFF", source)
  }

  private func keepRowIDs(of table: String, _ source: OpaquePointer) throws(DatabaseError) {
    var columns: [String] = []
    let sql = "SELECT name, hidden FROM pragma_table_xinfo(\(table.quotedLiteral), 'main')"
    var names: Set<ExactText> = []
    for row in try Connection.rows(sql, source, .copy) {
      guard case .text(let column) = row[0] else { continue }
      names.insert(column.folded)
      // Generated columns cannot be inserted.
      if row[1] == .integer(0) { columns.append(column.quotedIdentifier) }
    }
    // If columns have all three names of the rowid, SQL cannot read the rowid.
    guard let rowID = RowID.name(besides: names) else { return }
    let name = table.quotedIdentifier
    let ends = { (schema: String) throws(DatabaseError) in
      try Connection.rows(
        "SELECT (SELECT min(\(rowID)) FROM \(schema).\(name)), (SELECT max(\(rowID)) FROM \(schema).\(name))",
        source, .copy)
    }
    // The rowids of the copy count from 1 without gaps. With the same number of rows, equal bounds
    // imply equal rowids.
    guard try ends("main") != ends("copy") else { return }
    let list = ([rowID] + columns).joined(separator: ", ")
    _ = try Connection.text("DELETE FROM copy.\(name)", source)
    _ = try Connection.text(
      "INSERT INTO copy.\(name) (\(list)) SELECT \(list) FROM main.\(name) ORDER BY \(rowID)",
      source)
  }
}
