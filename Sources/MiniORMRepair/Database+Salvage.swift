import CSQLCipher
public import MiniORM

extension Database {
  /// Recovers the readable contents of a damaged file into a new file.
  ///
  /// ```swift
  /// let report = try await Database.salvage(path: "damaged.db", key: key, to: "salvaged.db")
  /// print(report)
  /// ```
  /// After the first damaged page, SQLCipher refuses to read any other page. This method reads each
  /// page separately, skips pages whose HMAC does not match, and also finds rows whose parent pages
  /// are damaged. A row is recovered unchanged or not at all. Rows of an unknown table go to the
  /// table `lost_and_found`. Indexes, views and triggers are recreated.
  ///
  /// Close the file in all processes first. The damaged file, its log and its journal are not
  /// changed. A leftover log or journal is applied to a copy, unless it belongs to a different
  /// file. If you have a backup, prefer ``restore(from:key:progress:)``.
  ///
  /// The pages of an unencrypted file have no HMAC. Only inconsistent pages are skipped, and a row
  /// on a damaged page may be recovered with wrong values.
  /// - Parameters:
  ///   - path: The path of the damaged file.
  ///   - key: The key of the damaged file and of the new file; `nil` for an unencrypted file.
  ///   - destination: The path of the new file.
  ///   - schema: The SQL that created the tables and indexes, if the first page or the schema is
  ///     damaged. Declarations in the file take precedence.
  ///   - configuration: The cipher settings, and the functions and collations that the tables use.
  ///   - progress: Receives the completed fraction, from 0 to 1.
  /// - Returns: The numbers of recovered and lost rows of each table.
  /// - Throws: ``DatabaseError`` with the operation `copy`. The code is `cannotOpen` if a file
  ///   exists at `destination`, and `busy` if the damaged file is open. `CancellationError`. After
  ///   an error there is no new file.
  /// - Complexity: O(*n*) in the size of the file. The disk needs space for the new file, and the
  ///   folder for temporary files needs space for a copy if there is a leftover log or journal.
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
    guard original != nil || isPlain else {
      throw DatabaseError.unreadable(path, hasKey: false)
    }
    var configuration = configuration
    // Without stand-ins, tables and indexes with an unregistered collation would be lost.
    configuration.standsInForCollations = true
    let file = FileCopy(
      path: DatabaseFile.resolved(path), original: original, key: original,
      configuration: configuration, progress: progress)
    try file.whileClosed(file.path, named: "The file") {}
    return try file.salvage(to: destination, schema)
  }
}

extension FileCopy {
  func salvage(
    to destination: String, _ schema: String?
  ) throws(DatabaseError) -> SalvageReport {
    guard DatabaseFile.isFile(destination), !destination.utf8.contains(0) else {
      throw failure(.misuse, "\(destination) is not a file path: give the path of a file")
    }
    guard !DatabaseFile.exists(destination), !DatabaseFile.isLink(destination) else {
      throw failure(.cannotOpen, "There is a file at \(destination) already: choose another path")
    }
    let inspection: Inspection
    do throws(DatabaseError) {
      inspection = try Inspection(path, original, configuration)
    } catch {
      throw error.adding(operation: .copy)
    }
    defer { withExtendedLifetime(inspection) {} }
    guard !inspection.isInUse else {
      throw failure(.busy, "Another connection has the file open: close it first")
    }
    do throws(DatabaseError) {
      return try salvage(inspection, to: destination, schema)
    } catch {
      throw inspection.naming(error)
    }
  }

  private func salvage(
    _ inspection: Inspection, to destination: String, _ schema: String?
  ) throws(DatabaseError) -> SalvageReport {
    let report = try withTemporaryFile(beside: destination, permissionsOf: path) {
      copy throws(DatabaseError) in
      try salvage(inspection, into: copy, schema)
    } place: { copy throws(DatabaseError) in
      try move(to: destination) { DatabaseFile.move(copy, toFree: $0) }
    }
    progress?(1)
    return report
  }

  private func salvage(
    _ inspection: Inspection, into copy: String, _ schema: String?
  ) throws(DatabaseError) -> SalvageReport {
    let pages = try pages(inspection)
    let shape = try SQLiteHandle(.copy)
    try configuration.registerFunctions(on: shape.database)
    try configuration.registerCollations(on: shape.database)
    let salvage = Salvage(pages, shape: shape.database)
    try salvage.run(schema) { () throws(DatabaseError) in try Ending.check() }
    return try write(salvage, to: copy)
  }

  private func pages(_ inspection: Inspection) throws(DatabaseError) -> PageSource {
    let file = FileCopy(
      path: inspection.path, original: original, key: key,
      configuration: inspection.configuration, progress: nil)
    let handle = try file.open(isRead: false)
    let database = handle.database
    try Ending.check()
    guard original != nil else {
      // Without HMACs, the header cannot be verified.
      let size = try Connection.text("PRAGMA main.page_size", database).flatMap { Int($0) } ?? 4096
      var reserved: Int32 = -1
      sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
      return try source(file.path, size, reserved: Int(max(0, reserved)), nil, [])
    }
    let damaged = try IntegrityCheck(database: database, key: key).damagedPages()
    let size = try Connection.text("PRAGMA cipher_page_size", database).flatMap { Int($0) } ?? 4096
    guard let key else { throw DatabaseError.unreadable(path, hasKey: true) }
    // Before the first page is read, SQLite reports the reserved size of the default settings.
    let reserved = key.settings.reservedSize
    let source = try source(
      file.path, size, reserved: reserved, PageCipher(key, reserved: reserved),
      Set(damaged.compactMap(\.page)))
    // With a wrong key, no page matches. Pages without an HMAC cannot be checked. The first page
    // may have a plaintext header.
    let hasCodes = key.settings.hmacAlgorithm != nil
    let first = hasCodes || source.pageCount == 1 ? 1 : 2
    guard
      hasCodes && damaged.isEmpty
        || (first...max(first, source.pageCount)).contains(where: { number in
          guard let page = source.page(number) else { return false }
          return hasCodes || BTreePage(page, isFirst: number == 1) != nil
        })
    else {
      // The key is wrong, or the disk returns no page.
      let isRead = damaged.isEmpty || damaged.contains { !$0.isUnread }
      guard isRead else {
        throw failure(.inputOutput, "No page of the file can be read: check the disk")
      }
      throw DatabaseError.unreadable(path, hasKey: true)
    }
    return source
  }

  private func source(
    _ path: String, _ size: Int, reserved: Int, _ cipher: PageCipher?, _ damaged: Set<Int>
  ) throws(DatabaseError) -> PageSource {
    guard size >= 512 else {
      throw failure(.cannotOpen, "The file cannot be read: check the disk")
    }
    return try PageSource(
      path, pageSize: size, reserved: reserved, cipher: cipher, damaged: damaged)
  }

  private func write(
    _ salvage: Salvage, to copy: String
  ) throws(DatabaseError) -> SalvageReport {
    let new = FileCopy(
      path: copy, original: original, key: nil, configuration: configuration, progress: nil)
    let handle = try new.open(isRead: false)
    let database = handle.database
    Ending.watch(database)
    if original == nil {
      _ = try Connection.text("PRAGMA page_size = \(salvage.source.pageSize)", database)
    }
    _ = try Connection.text("PRAGMA journal_mode = MEMORY", database)
    _ = try Connection.text("PRAGMA synchronous = OFF", database)
    var last = 0.0
    do throws(DatabaseError) {
      return try salvage.write(to: database, knowing: configuration.collations) {
        fraction throws(DatabaseError) in
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
