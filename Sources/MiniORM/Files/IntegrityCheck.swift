import CSQLCipher

package struct IntegrityCheck {
  /// The maximum number of problems that SQLite lists.
  static let limit = 1_000
  /// The number of times that a page is read before it counts as damaged.
  private static let readings = 3

  let database: OpaquePointer
  let key: CipherKey?
  let readsLog: Bool
  let freeLeaves: (Set<Int>) -> Set<Int>
  let progress: CopyProgress?

  package init(
    database: OpaquePointer, key: CipherKey?, readsLog: Bool = false,
    freeLeaves: @escaping (Set<Int>) -> Set<Int> = { _ in [] }, progress: CopyProgress? = nil
  ) {
    (self.database, self.key) = (database, key)
    (self.readsLog, self.freeLeaves, self.progress) = (readsLog, freeLeaves, progress)
  }

  func run() throws(DatabaseError) -> IntegrityReport {
    progress?.begin(.pages)
    var problems: [IntegrityReport.Problem] = []
    if key != nil {
      let damaged = try readablePagesThatAreDamaged()
      // This connection has read page 1 with the key.
      guard !damaged.contains(where: { $0.page == 1 }) else {
        throw DatabaseError(
          .step, code: .notADatabase,
          "Page 1 no longer matches the key: another connection changed the key during the check, or the page was damaged. Check again with the current key"
        )
      }
      // After a damaged page, SQLCipher fails every read, and SQLite would report all pages. Free
      // pages are not read.
      guard damaged.allSatisfy({ $0.kind == .freePage }) else {
        return IntegrityReport(problems: damaged, isComplete: false)
      }
      problems = damaged
    }
    progress?.begin(.structure(hasCodes: key != nil))
    var parts = try structure()
    // SQLite reports a temporary read failure, for example for lack of memory, as damage. A second
    // check finds only real damage again.
    if parts.problems.contains(where: { $0.kind == .structure }), try !CodecState.isLost(database) {
      parts = try structure()
    }
    parts.notChecked += try unreadableVirtualTables()
    var found = parts.problems
    if !found.contains(where: { $0.kind == .structure }) {
      let others = found.firstIndex { $0.kind != .constraint } ?? found.endIndex
      let checks = try brokenChecks()
      found.insert(contentsOf: checks.problems, at: others)
      parts.notChecked += checks.notChecked
    }
    // All pages matched before, so this failure is temporary.
    guard try !CodecState.isLost(database) else {
      throw DatabaseError(
        .step, code: .inputOutput, "The file could not be read completely: check the disk")
    }
    problems += found
    var isCut = problems.count >= Self.limit
    if !problems.contains(where: { $0.kind == .structure }) {
      let broken = try brokenForeignKeys()
      isCut = isCut || broken.problems.count >= Self.limit
      problems += broken.problems
      parts.notChecked += broken.notChecked
    }
    return IntegrityReport(
      problems: problems,
      isComplete: !isCut && parts.notChecked.isEmpty
        && !problems.contains { $0.kind == .structure },
      notChecked: parts.notChecked)
  }

  // MARK: Structure

  private func structure() throws(DatabaseError) -> Parts {
    var parts = Parts()
    let failure = try Self.unlessMissing { () throws(DatabaseError) in
      parts.problems = try problems(of: "integrity_check(\(Self.limit))")
    }
    return failure == nil ? parts : try structureOfTables()
  }

  func problems(of pragma: String) throws(DatabaseError) -> [IntegrityReport.Problem] {
    var problems: [IntegrityReport.Problem] = []
    do throws(DatabaseError) {
      let tables = try tablesOfIndexes()
      let sql = "PRAGMA main.\(pragma)"
      try Connection.forEachRow(sql, database) { row throws(DatabaseError) in
        guard case .text(let text)? = row.first else { return }
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
          let line = String(decoding: line, as: UTF8.self)
          if line.hasSameBytes(as: "ok") || line.startsWithBytes(of: "*** in database") { continue }
          if let code = Self.failure(in: line), code & 0xff == SQLITE_NOMEM {
            throw DatabaseError(.step, code: code, from: nil)
          }
          problems.append(Self.problem(line, tables))
        }
      }
    } catch {
      // If SQLite cannot read on, the PRAGMA ends with an error.
      guard error.code.primary == .corrupt else {
        guard error.saysNothing else { throw error }
        throw DatabaseError(
          .step, code: .inputOutput, "The file could not be read completely: check the disk")
      }
      problems.append(IntegrityReport.Problem(.structure, error.message))
    }
    return problems
  }

  /// Returns the first message of an integrity check; nil if the file is intact. No connection may
  /// write to the file.
  ///
  /// The check runs twice if it finds a problem, because SQLite reports a temporary read failure as
  /// damage.
  /// - Parameter check: Returns the first row of `PRAGMA integrity_check` or `quick_check`.
  static func damage(
    path: String, _ check: () throws(DatabaseError) -> String?
  ) throws(DatabaseError) -> String? {
    var found: String?
    for _ in 0..<2 {
      found = try check()
      guard found != "ok" else { return nil }
    }
    if let found, let code = failure(in: found) {
      throw DatabaseError(.copy, code: code, from: nil, path: path)
    }
    return found ?? "NULL"
  }

  /// Returns the code in a message about lack of memory or a disk error; nil for a message about
  /// damage.
  private static func failure(in text: String) -> Int32? {
    guard
      let number = number(after: "error code=", in: text) ?? number(after: "error code ", in: text),
      let code = Int32(exactly: number), [SQLITE_NOMEM, SQLITE_IOERR].contains(code & 0xff)
    else { return nil }
    return code
  }

  // MARK: Pages

  /// Returns the damaged pages. A page counts as damaged only if several reads fail, because other
  /// connections may write to the file.
  package func damagedPages() throws(DatabaseError) -> [IntegrityReport.Problem] {
    let found = try pagesThatDoNotFit()
    guard !found.isEmpty else { return [] }
    let free = freeLeaves(Set(found.compactMap(\.page)))
    return found.map { problem in
      guard let page = problem.page, free.contains(page) else { return problem }
      return IntegrityReport.Problem(
        .freePage,
        "page \(page) is damaged but free: no row is lost, and vacuum() rewrites the page",
        page: page)
    }
  }

  /// - Throws: ``DatabaseError`` with ``ResultCode/inputOutput`` if the disk returns no page.
  func readablePagesThatAreDamaged() throws(DatabaseError) -> [IntegrityReport.Problem] {
    let damaged = try damagedPages()
    if damaged.contains(where: \.isUnread), DatabaseFile.head(of: database) == nil {
      throw DatabaseError(.step, code: .inputOutput, "The file cannot be read: check the disk")
    }
    return damaged
  }

  /// Returns each page whose HMAC does not match; none if pages have no HMAC.
  ///
  /// `PRAGMA cipher_integrity_check` reads only the pages of the file, not of the log, confuses page
  /// numbers from 4 GiB on, and crashes for lack of memory in SQLCipher 4.6.1.
  /// - Parameter readsLog: True to check the newer versions of pages in a log.
  static func codes(
    _ schema: String, _ database: OpaquePointer, key: CipherKey, readsLog: Bool = false,
    _ progress: CopyProgress? = nil
  ) throws(DatabaseError) -> [IntegrityReport.Problem] {
    guard SQLiteLibrary.hasMemory else {
      throw DatabaseError(.step, code: SQLITE_NOMEM, from: nil)
    }
    guard let authenticator = try PageAuthenticator(key),
      let name = sqlite3_db_filename(database, schema)
    else { return [] }
    let path = String(cString: name)
    let log = readsLog ? try WriteAheadLog(beside: path, isInUse: true) : nil
    let file = try FileBytes(path)
    let (size, pageSize) = (try file.size, key.settings.pageSize)
    // SQLite never writes to the lock-byte page.
    let locked = (1 << 30) / pageSize + 1
    var problems: [IntegrityReport.Problem] = []
    func report(_ page: Int, _ reason: String, isUnread: Bool = false) {
      var problem = IntegrityReport.Problem(
        .page, "page \(page) is damaged: \(reason)", page: page)
      problem.isUnread = isUnread
      problems.append(problem)
    }
    let count = log?.pageCount ?? Int(clamping: size) / pageSize
    for number in stride(from: 1, through: count, by: 1) where number != locked {
      if number % 1_000 == 0 {
        try Ending.check()
        progress?.reach(Double(number) / Double(count))
      }
      let page =
        log?.page(number) ?? file.read(pageSize, at: Int64(number - 1) * Int64(pageSize))
      if let page {
        guard !authenticator.isAuthentic(page, number: number) else { continue }
        report(number, "HMAC verification failed for page \(number)")
      } else {
        report(
          number, "error reading \(pageSize) bytes from file page \(number)", isUnread: true)
      }
    }
    let rest = log == nil ? Int(clamping: size) % pageSize : 0
    if rest > 0 {
      report(
        count + 1,
        "page \(count + 1) has an invalid size of \(rest) bytes (expected \(pageSize) bytes)")
    }
    return problems
  }

  private func pagesThatDoNotFit() throws(DatabaseError) -> [IntegrityReport.Problem] {
    guard let key else { return [] }
    var found: [IntegrityReport.Problem] = []
    for reading in 0..<Self.readings {
      try Ending.check()
      let now = try Self.codes("main", database, key: key, readsLog: readsLog, progress)
      let pages = Set(now.map(\.page))
      // A page counts if every reading fails. For page 1 the last one decides: the key may have
      // changed in between.
      found =
        reading == 0
        ? now
        : now.filter { $0.page == 1 }
          + found.filter {
            $0.page != 1 && pages.contains($0.page)
          }
      if found.isEmpty { return [] }
    }
    return found
  }

  // MARK: Messages

  private func tablesOfIndexes() throws(DatabaseError) -> [ExactText: String] {
    var tables: [ExactText: String] = [:]
    let sql = "SELECT type, name, tbl_name FROM main.sqlite_schema WHERE type IN ('table', 'index')"
    for row in try Connection.rows(sql, database) {
      guard case .text(let name) = row[1], case .text(let table) = row[2] else { continue }
      tables[ExactText(name)] = table
    }
    return tables
  }

  static func problem(
    _ line: String, _ tables: [ExactText: String]
  ) -> IntegrityReport.Problem {
    if let index = rest(of: line, after: "missing from index ")
      ?? rest(of: line, after: "wrong # of entries in index ")
      ?? rest(of: line, after: "non-unique entry in index ")
      ?? rest(of: line, after: " of index ") ?? rest(of: line, after: " from index ")
    {
      return IntegrityReport.Problem(
        .index, line, table: tables[ExactText(index)], index: index,
        rowID: number(after: "row ", in: line).map(Int64.init))
    }
    if let table = rest(of: line, after: "CHECK constraint failed in ") {
      return IntegrityReport.Problem(.constraint, line, table: table)
    }
    if let column = rest(of: line, after: " value in ") {
      // The line has the names of the table and the column, unquoted, with a dot in between.
      let table = tables.values.filter { column.startsWithBytes(of: $0 + ".") }
        .max { $0.utf8.count < $1.utf8.count }
      return IntegrityReport.Problem(.constraint, line, table: table)
    }
    let page = number(after: "page ", in: line) ?? number(after: "Page ", in: line)
    return IntegrityReport.Problem(.structure, line, page: page)
  }

  private static func rest(of line: String, after words: String) -> String? {
    guard let range = line.utf8.firstRange(of: words.utf8) else { return nil }
    return String(decoding: line.utf8[range.upperBound...], as: UTF8.self)
  }

  private static func number(after words: String, in line: String) -> Int? {
    guard let rest = rest(of: line, after: words) else { return nil }
    let digits = rest.utf8.prefix {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
    }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}
