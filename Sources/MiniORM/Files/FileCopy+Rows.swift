import CSQLCipher

extension FileCopy {
  /// The page cache of the verification, in KiB. With SQLite's default of 2 MiB, nearly every
  /// lookup of an index entry or a parent row would decrypt a page.
  #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    // The system ends apps that use too much memory.
    private static let cacheSize = 32 << 10
  #else
    private static let cacheSize = 128 << 10
  #endif

  func write(_ copy: String, from source: OpaquePointer) throws(DatabaseError) {
    let attachment = Attachment(name: "copy", path: copy, cipher: key, isImmutable: false)
    do throws(DatabaseError) {
      let code = attachment.attachFile(to: source)
      guard code == SQLITE_OK else {
        // Only an error for the path explains why the copy cannot be created.
        throw DatabaseError.opening(copy, code: code, from: nil, isReadOnly: false, creates: true)
      }
      try writeRows(copy, from: source)
      try CodecState.check(source, .copy, path: path)
      let detached = attachment.detach(from: source)
      guard detached == SQLITE_OK else {
        throw DatabaseError(.copy, code: detached, from: source)
      }
    } catch {
      throw DatabaseError(.copy, code: error.code, error.message, sql: error.sql, path: path)
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
        guard steps.hasStopped else { throw error }
        throw failure(.interrupt, "The task was cancelled")
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
      let damage = try IntegrityCheck.codes("copy", source, key: key).first
    {
      throw damage.isUnread
        ? failure(.inputOutput, "The copy cannot be read: \(damage.message). Check the disk")
        : failure(
          .corrupt,
          "The copy does not contain the bytes that were written: \(damage.message). Check the disk")
    }
  }
}
