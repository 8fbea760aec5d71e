/// Unused pages that SQLite will reuse. Trunk pages refer to the next trunk page and to leaf pages.
/// SQLite does not journal leaf pages, whose contents have no meaning. A power failure can
/// therefore leave a partially written leaf page, whose authentication code does not match.
///
/// See [The Freelist](https://www.sqlite.org/fileformat2.html#the_freelist).
package struct FreePages {
  package private(set) var trunks: Set<Int> = []
  package private(set) var leaves: Set<Int> = []
  /// True if all free pages are known.
  package let isWhole: Bool

  package init(_ source: PageSource) {
    let head = source.page(1) ?? []
    var trunk = head.number(at: 32, count: 4) ?? 0
    while trunk > 0, !trunks.contains(trunk) {
      trunks.insert(trunk)
      guard let bytes = source.page(trunk), let next = bytes.number(at: 0, count: 4),
        let count = bytes.number(at: 4, count: 4), count >= 0, count <= bytes.count / 4 - 2
      else { break }
      for index in 0..<count {
        if let page = bytes.number(at: 8 + 4 * index, count: 4) { leaves.insert(page) }
      }
      trunk = next
    }
    isWhole = trunks.union(leaves).count == head.number(at: 36, count: 4) ?? 0
  }
}

extension FileCopy {
  func freeLeaves(among damaged: Set<Int>) -> Set<Int> {
    guard let cipher = original else { return [] }
    let settings = cipher.settings
    // If the file cannot be read, no page is known to be free.
    let log = readsLog ? try? WriteAheadLog(beside: path) : nil
    let source = try? PageSource(
      DatabaseFile.resolved(path), pageSize: settings.pageSize, reserved: settings.reservedSize,
      cipher: PageCipher(cipher, reserved: settings.reservedSize), damaged: damaged, log: log)
    guard let pages = source.map({ FreePages($0) }), pages.isWhole else { return [] }
    return damaged.intersection(pages.leaves)
  }

  /// A single transaction fills the free pages with zeros and frees the pages again.
  fileprivate func rewriteFreePages() throws(DatabaseError) {
    let handle = try open()
    Ending.watch(handle.database)
    let table = "\"miniorm-\(String(UInt64.random(in: .min ... .max), radix: 36))\""
    for sql in [
      // Without secure_delete, SQLite does not write pages that are free at the commit.
      "PRAGMA main.secure_delete = ON", "BEGIN IMMEDIATE", "CREATE TABLE main.\(table)(part BLOB)",
      """
      WITH RECURSIVE part(rest) AS (
        SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size
        UNION ALL SELECT rest - 1048576 FROM part WHERE rest > 1048576)
      INSERT INTO main.\(table) SELECT zeroblob(min(rest, 1048576)) FROM part
      """,
      "DROP TABLE main.\(table)", "COMMIT",
    ] { _ = try Connection.text(sql, handle.database) }
  }
}

extension Database {
  /// If damaged free pages made the work fail, rewrites the free pages and retries once.
  func rewritingFreePages<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch let error as DatabaseError where error.mayBeDamage {
      do {
        guard try await rewriteFreePages() else { throw error }
      } catch is DatabaseError {
        throw error
      }
      return try await body()
    }
  }

  /// Returns true if only free pages were damaged.
  private func rewriteFreePages() async throws -> Bool {
    guard !configuration.isReadOnly, DatabaseFile.isFile(path) else { return false }
    let report = try await integrityReport()
    guard !report.isEmpty, report.problems.allSatisfy({ $0.kind == .freePage }) else {
      return false
    }
    try await withOriginal { original in
      try await Ending.throwing {
        try await Connection(path: path, configuration: configuration).rewriteFreePages(original)
      }
    }
    return true
  }
}

extension Connection {
  fileprivate func rewriteFreePages(_ original: CipherKey?) throws(DatabaseError) {
    try FileCopy(
      path: path, original: original, key: nil, configuration: configuration, progress: nil
    ).rewriteFreePages()
  }
}

extension DatabaseError {
  /// True for the codes with which SQLCipher reports a damaged page. If the outcome of a change is
  /// unknown, the work is not retried.
  var mayBeDamage: Bool {
    guard !operation.isUncertain else { return false }
    return code == .error || code == .inputOutput || code.primary == .corrupt
      || code.primary == .notADatabase
  }
}
