/// The pages of a file that hold nothing, and wait to be used again.
///
/// Trunk pages name each other and their leaves. SQLite needs a leaf's bytes for nothing: it does not keep them in a
/// rollback journal, so that a power cut can leave one half written, with a code that does not fit.
///
/// See [The Freelist](https://www.sqlite.org/fileformat2.html#the_freelist).
struct FreePages {
  private(set) var trunks: Set<Int> = []
  private(set) var leaves: Set<Int> = []
  /// Whether all of them are known.
  let isWhole: Bool

  init(_ source: PageSource) {
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
  /// Returns which of the damaged pages hold nothing.
  func freeLeaves(among damaged: Set<Int>) -> Set<Int> {
    guard let cipher = original.key else { return [] }
    let settings = cipher.settings
    // Where the file cannot be read just now, none of them is known to be free.
    let log = readsLog ? try? WriteAheadLog(beside: path) : nil
    let source = try? PageSource(
      DatabaseFile.resolved(path), pageSize: settings.pageSize, reserved: settings.reservedSize,
      cipher: PageCipher(cipher, reserved: settings.reservedSize), damaged: damaged, log: log)
    guard let pages = source.map({ FreePages($0) }), pages.isWhole else { return [] }
    return damaged.intersection(pages.leaves)
  }

  /// Writes every free page anew, with a code that fits. It is one transaction, which fills them with zeros and frees
  /// them again: where it is interrupted they hold as little as before.
  fileprivate func rewriteFreePages() throws(DatabaseError) {
    let database = try open()
    defer { close(database) }
    Ending.watch(database)
    let table = "\"miniorm-\(String(UInt64.random(in: .min ... .max), radix: 36))\""
    for sql in [
      // Without, SQLite writes no page that is free at the end.
      "PRAGMA main.secure_delete = ON", "BEGIN IMMEDIATE", "CREATE TABLE main.\(table)(part BLOB)",
      """
      WITH RECURSIVE part(rest) AS (
        SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size
        UNION ALL SELECT rest - 1048576 FROM part WHERE rest > 1048576)
      INSERT INTO main.\(table) SELECT zeroblob(min(rest, 1048576)) FROM part
      """,
      "DROP TABLE main.\(table)", "COMMIT",
    ] { _ = try Connection.text(sql, database) }
  }
}

extension Database {
  /// Runs work that reads or writes every page. Where it fails because free pages are damaged, these are written anew, and
  /// it runs once more: there is nothing in them that could be lost.
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

  /// - Returns: Whether free pages were damaged, and nothing else in the file was.
  private func rewriteFreePages() async throws -> Bool {
    guard !configuration.isReadOnly, DatabaseFile.isFile(path) else { return false }
    let report = try await integrityReport()
    guard !report.isEmpty, report.problems.allSatisfy({ $0.kind == .freePage }) else {
      return false
    }
    let original = try await withConnection(.reader) { db in try db.original }
    try await Ending.throwing {
      try await Connection(path: path, configuration: configuration).rewriteFreePages(original)
    }
    return true
  }
}

extension Connection {
  /// Runs on this connection's executor, with a connection that no other work uses.
  fileprivate func rewriteFreePages(_ original: FileCopy.Original) throws(DatabaseError) {
    try FileCopy(
      path: path, original: original, key: nil, configuration: configuration, progress: nil
    ).rewriteFreePages()
  }
}

extension DatabaseError {
  /// Whether SQLCipher says this of a page whose code does not fit. What the system says of a disk has codes of its own,
  /// and where it is not known what became of a change, nothing else is done.
  fileprivate var mayBeDamage: Bool {
    guard !operation.isUncertain else { return false }
    return code == .error || code == .inputOutput || code.primary == .corrupt
      || code.primary == .notADatabase
  }
}
