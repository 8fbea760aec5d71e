import CSQLCipher

extension Database {
  /// Brings what can be read of a damaged file into a new one: every row that stands on whole pages, and the
  /// indexes, views and triggers, which are made again.
  ///
  /// ```swift
  /// let report = try await Database.salvage(path: "damaged.db", key: key, to: "salvaged.db")
  /// print(report)
  /// ```
  /// SQLCipher reads nothing any more after the first damaged page. So the pages are read one by one, those
  /// whose authentication code does not fit are left out, and rows to which no whole page leads are found by
  /// themselves. A row comes back as it was or not at all. Where nobody can tell which table it belongs to, it is put
  /// into a table `lost_and_found`.
  ///
  /// The damaged file is not changed, nor a file beside it. A log or a journal that was left there is applied to a copy;
  /// one that belongs to another file is refused. Nobody may have the file open. Restoring a backup is better where
  /// there is one.
  ///
  /// A file that is not encrypted has no authentication codes: only what contradicts itself is left out, and a row
  /// on a damaged page may come back with other values.
  /// - Parameters:
  ///   - path: The path of the damaged file.
  ///   - key: Its key, which the new file has too; `nil` for a file that is not encrypted.
  ///   - destination: The path of the new file.
  ///   - schema: The SQL that made all the tables and indexes, for a file whose first page, or whose schema, is
  ///     damaged. The file's own goes before. Without it, the rows of tables of which the file does not tell
  ///     any more are in `lost_and_found`.
  ///   - configuration: Its cipher settings, and the functions and collations that its tables use.
  ///   - progress: Is called with the fraction that is done, from 0 to 1.
  /// - Returns: What came back, table by table, and what is lost.
  /// - Throws: ``DatabaseError`` with the operation `copy`: with the code `cannotOpen` where there is a file at `destination`, `busy` where the file is open in this process;
  ///   `CancellationError`. There is no new file then.
  /// - Complexity: O(*n*) in the size of the file. The disk needs room for the new one, and the folder for temporary
  ///   files for a copy of the damaged one where a log or a journal was left beside it.
  public static func salvage(
    path: String, key: Key?, to destination: String, schema: String? = nil,
    configuration: Configuration = Configuration(), progress: (@Sendable (Double) -> Void)? = nil
  ) async throws -> SalvageReport {
    try await Ending.throwing {
      try await Connection(path: path, configuration: configuration)
        .salvage(key, to: destination, schema, progress)
    }
  }
}

extension Connection {
  fileprivate func salvage(
    _ key: Key?, to destination: String, _ schema: String?,
    _ progress: (@Sendable (Double) -> Void)?
  ) throws(DatabaseError) -> SalvageReport {
    let original = try Database.original(path, key, configuration)
    let isPlain = try DatabaseFile.isPlain(path)
    guard original.isEncrypted || isPlain else {
      throw DatabaseError.unreadable(path, hasKey: false)
    }
    let file = FileCopy(
      path: DatabaseFile.resolved(path), original: original, key: original.key,
      configuration: configuration, progress: progress)
    let busy = file.failure(.busy, "The file is open in this process: close it first")
    guard OpenFile.ifClosed(file.path, { () }) != nil else { throw busy }
    return try file.salvage(to: destination, schema)
  }
}

extension FileCopy {
  func salvage(
    to destination: String, _ schema: String?
  ) throws(DatabaseError) -> SalvageReport {
    guard DatabaseFile.isFile(destination), !destination.utf8.contains(0) else {
      throw failure(.misuse, "\(destination) is not the path of a file")
    }
    guard !DatabaseFile.exists(destination), !DatabaseFile.isLink(destination) else {
      throw failure(.cannotOpen, "There is a file at \(destination) already")
    }
    let inspection: Inspection
    do throws(DatabaseError) {
      inspection = try Inspection(path, original, configuration)
    } catch {
      throw error.adding(operation: .copy)
    }
    defer { withExtendedLifetime(inspection) {} }
    guard !inspection.isInUse else { throw failure(.busy, "Another connection has the file open") }
    do throws(DatabaseError) {
      return try salvage(inspection, to: destination, schema)
    } catch {
      throw inspection.naming(error)
    }
  }

  private func salvage(
    _ inspection: Inspection, to destination: String, _ schema: String?
  ) throws(DatabaseError) -> SalvageReport {
    let copy =
      "\(destination).miniorm-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    defer {
      for file in DatabaseFile.all(copy) where DatabaseFile.exists(file) {
        try? DatabaseFile.remove(file)
      }
    }
    guard DatabaseFile.create(copy) else {
      let error = DatabaseError.opening(
        copy, code: ResultCode.cannotOpen.rawValue, from: nil, isReadOnly: false, creates: true)
      throw failure(.cannotOpen, error.message)
    }
    let pages = try pages(inspection)
    let shape = try FileCopy.memory(configuration)
    defer { sqlite3_close_v2(shape) }
    let salvage = Salvage(pages, shape: shape)
    try salvage.run(schema) { () throws(DatabaseError) in try Ending.check() }
    let report = try write(salvage, to: copy)
    if let reason = DatabaseFile.synchronize(copy, permissionsOf: path) {
      throw failure(.inputOutput, "The new file is not on the disk: \(reason)")
    }
    if let reason = DatabaseFile.move(copy, toFree: destination) {
      throw failure(.inputOutput, "The new file could not be put at \(destination): \(reason)")
    }
    DatabaseFile.synchronizeFolder(DatabaseFile.parent(destination))
    progress?(1)
    return report
  }

  private func pages(_ inspection: Inspection) throws(DatabaseError) -> PageSource {
    let file = FileCopy(
      path: inspection.path, original: original, key: key,
      configuration: inspection.configuration, progress: nil)
    let database = try file.open(isRead: false)
    defer { close(database) }
    try Ending.check()
    guard original.isEncrypted else {
      // Without codes the header is believed.
      let size = try Connection.text("PRAGMA main.page_size", database).flatMap { Int($0) } ?? 4096
      return try source(file.path, size, reserved: 0, nil, [])
    }
    let damaged = try IntegrityCheck(database: database, key: key).damagedPages()
    let size = try Connection.text("PRAGMA cipher_page_size", database).flatMap { Int($0) } ?? 4096
    guard let key else { throw DatabaseError.unreadable(path, hasKey: true) }
    // SQLite has the number of another setting as long as it has read no page.
    let reserved = key.settings.reservedSize
    let source = try source(
      file.path, size, reserved: reserved, PageCipher(key, reserved: reserved),
      Set(damaged.compactMap(\.page)))
    // With another key no page fits. Where pages have no codes, none looks like one; the first may have its
    // head in plain.
    let hasCodes = key.settings.hmacAlgorithm != nil
    let first = hasCodes || source.pageCount == 1 ? 1 : 2
    guard
      hasCodes && damaged.isEmpty
        || (first...max(first, source.pageCount)).contains(where: { number in
          guard let page = source.page(number) else { return false }
          return hasCodes || BTreePage(page, isFirst: number == 1) != nil
        })
    else {
      // With another key no page fits, and from a disk that fails none is read.
      let isRead = damaged.isEmpty || damaged.contains { !IntegrityCheck.isUnread($0) }
      guard isRead else { throw failure(.inputOutput, "No page of the file can be read") }
      throw DatabaseError.unreadable(path, hasKey: true)
    }
    return source
  }

  private func source(
    _ path: String, _ size: Int, reserved: Int, _ cipher: PageCipher?, _ damaged: Set<Int>
  ) throws(DatabaseError) -> PageSource {
    guard size >= 512 else { throw failure(.cannotOpen, "The file cannot be read") }
    return try PageSource(
      path, pageSize: size, reserved: reserved, cipher: cipher, damaged: damaged)
  }

  /// Returns a database in memory that has the configuration's functions and collations.
  private static func memory(_ configuration: Configuration) throws(DatabaseError) -> OpaquePointer
  {
    var pointer: OpaquePointer?
    let code = SQLiteLibrary.openInMemory(&pointer)
    do throws(DatabaseError) {
      guard code == SQLITE_OK, let pointer else {
        throw DatabaseError(.copy, code: code, from: pointer)
      }
      try configuration.registerFunctions(on: pointer)
      try configuration.registerCollations(on: pointer)
      return pointer
    } catch {
      sqlite3_close_v2(pointer)
      throw error
    }
  }

  private func write(
    _ salvage: Salvage, to copy: String
  ) throws(DatabaseError) -> SalvageReport {
    let new = FileCopy(
      path: copy, original: original, key: nil, configuration: configuration, progress: nil)
    let database = try new.open(isRead: false)
    defer { close(database) }
    Ending.watch(database)
    if !original.isEncrypted {
      _ = try Connection.text("PRAGMA page_size = \(salvage.source.pageSize)", database)
    }
    _ = try Connection.text("PRAGMA journal_mode = MEMORY", database)
    _ = try Connection.text("PRAGMA synchronous = OFF", database)
    var last = 0.0
    do throws(DatabaseError) {
      return try salvage.write(to: database) { fraction throws(DatabaseError) in
        guard fraction - last >= 0.01 else { return }
        last = fraction
        try Ending.check()
        progress?(fraction)
      }
    } catch {
      throw DatabaseError(.copy, code: error.code, error.message, sql: error.sql, path: self.path)
    }
  }
}
