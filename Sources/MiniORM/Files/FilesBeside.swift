/// The log and the journal beside a file. SQLite finds both by name alone; this type detects a log
/// or journal that belongs to a different file, or to an earlier state of the file.
struct FilesBeside {
  let log: WriteAheadLog?
  let journal: RollbackJournal?

  /// - Parameter isWritten: True while another connection's transaction uses the journal.
  init(_ file: String, isWritten: Bool) throws(DatabaseError) {
    do throws(DatabaseError) {
      log = try WriteAheadLog(beside: file)
      journal = isWritten ? nil : try RollbackJournal(beside: file)
    } catch {
      throw error.code == .corrupt ? error.because(.foreignChanges) : error
    }
  }

  var unfinished: UnfinishedChanges? {
    journal != nil ? .journal : log.map { .log(commits: $0.commitCount) }
  }

  static func hasLog(
    _ path: String, _ original: CipherKey?
  ) throws(DatabaseError) -> Bool {
    try StoredPages(FileBytes(path), original).head?.isLogged ?? false
  }

  /// - Throws: ``DatabaseError`` with the reason ``DatabaseError/OpeningFailure/foreignChanges``,
  ///   or ``DatabaseError/OpeningFailure/wrongKey``.
  func check(_ file: FileBytes, _ path: String, _ original: CipherKey?) throws(DatabaseError) {
    guard let name = journal?.path ?? log?.path else { return }
    guard let reason = try mismatch(with: file, path, original) else { return }
    throw DatabaseError(
      .open, code: .cannotOpen,
      "\(name) does not belong to the file: \(reason). SQLite would apply it and damage the file: "
        + "move it to another folder, or put back the file that it belongs to", path: path
    ).because(.foreignChanges)
  }

  /// Returns why the log or the journal does not belong to the file; nil if it does.
  private func mismatch(
    with file: FileBytes, _ path: String, _ original: CipherKey?
  ) throws(DatabaseError) -> String? {
    guard try file.size > 0 else { return "the file is empty" }
    guard log == nil || journal == nil else {
      return "there is also a write-ahead log, and a file cannot have both"
    }
    let pages = try StoredPages(file, original)
    if let size = log?.pageSize ?? journal?.pageSize, size != pages.size {
      return "its page size is \(size), but the page size of the file is \(pages.size)"
    }
    if let log { return try mismatch(of: log, pages, path) }
    guard let journal else { return nil }
    return try mismatch(of: journal, pages, path)
  }

  private func mismatch(
    of log: WriteAheadLog, _ pages: StoredPages, _ path: String
  ) throws(DatabaseError) -> String? {
    let first = log.page(1)
    if let first, !pages.begins(first) { return pages.otherBeginning }
    for number in log.pages {
      try Ending.check()
      guard let page = log.page(number), !pages.fits(page, number) else { continue }
      guard pages.head != nil else { throw DatabaseError.unreadable(path, hasKey: true) }
      return
        "its pages have another key. If the key of the file was being changed, give the new key"
    }
    guard let head = pages.head else { return nil }
    guard head.isLogged else {
      return "the header of the file excludes a write-ahead log"
    }
    if let log = first.flatMap(pages.head), log.isOlder(than: head) {
      return "it is older than the file"
    }
    return nil
  }

  private func mismatch(
    of journal: RollbackJournal, _ pages: StoredPages, _ path: String
  ) throws(DatabaseError) -> String? {
    if let name = journal.superJournal, !Self.isSuperJournal(name) {
      return
        "it names a super-journal that is not a journal, and SQLite would delete that file: \(String(decoding: name, as: UTF8.self))"
    }
    var reason: String?
    try journal.forEachPage { number, page throws(DatabaseError) in
      guard reason == nil else { return }
      try Ending.check()
      if number == 1, !pages.begins(page) {
        reason = pages.otherBeginning
      } else if !pages.fits(page, number) {
        guard pages.head != nil else { throw DatabaseError.unreadable(path, hasKey: true) }
        reason =
          "its pages have another key. If the key of the file was being changed, give the old key"
      } else if number == 1, let head = pages.head, let before = pages.head(page),
        !head.mayFollow(before)
      {
        reason = "it was made for another state of the file"
      }
    }
    return reason
  }

  /// True for a super-journal's name: SQLite's end with `-mj`, six digits, 9 and two digits.
  private static func isSuperJournal(_ path: [UInt8]) -> Bool {
    let end = path.suffix(12)
    guard end.count == 12, end.starts(with: "-mj".utf8) else { return false }
    let digits = Array(end.dropFirst(3))
    return digits[6] == UInt8(ascii: "9")
      && digits.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0)
      }
  }
}

private struct StoredPages {
  let size: Int
  /// The header; nil if the key is wrong or the page is damaged.
  private(set) var head: Head?
  private let cipher: CipherKey?
  private let authenticator: PageAuthenticator?

  init(_ file: FileBytes, _ original: CipherKey?) throws(DatabaseError) {
    cipher = original
    if let cipher {
      (authenticator, size) = (try PageAuthenticator(cipher), cipher.settings.pageSize)
    } else {
      (authenticator, size) = (nil, DatabaseFile.pageSize(file.read(18, at: 0)) ?? 0)
    }
    head = size > 0 ? file.read(size, at: 0).flatMap(head) : nil
  }

  /// True if the HMAC of a page matches, or pages have no HMAC.
  func fits(_ page: [UInt8], _ number: Int) -> Bool {
    authenticator?.isAuthentic(page, number: number) ?? true
  }

  func head(_ page: [UInt8]) -> Head? {
    guard let cipher else { return Head(page, isEncrypted: false) }
    guard fits(page, 1) else { return nil }
    return PageCipher(cipher, reserved: cipher.settings.reservedSize)
      .decrypt(page, isFirst: true).flatMap { Head($0, isEncrypted: true) }
  }

  func begins(_ page: [UInt8]) -> Bool {
    guard let cipher else { return page.starts(with: DatabaseFile.plainHeader) }
    return cipher.settings.plaintextHeaderSize > 0 || page.starts(with: cipher.salt)
  }

  var otherBeginning: String {
    cipher == nil ? "it is encrypted, and the file is not" : "its salt differs from the file's salt"
  }

  /// The fields of the database header that identify a state of the file.
  ///
  /// See [The Database Header](https://www.sqlite.org/fileformat2.html#the_database_header).
  struct Head {
    let isLogged: Bool
    private let schemaCookie: Int32
    /// A counter of transactions; nil for an encrypted file, where SQLCipher stores a random
    /// number.
    private let changeCounter: Int32?

    init?(_ page: [UInt8], isEncrypted: Bool) {
      guard page.count >= 100, Array(page[21..<24]) == [64, 32, 32],
        let counter = page.number(at: 24, count: 4), let cookie = page.number(at: 40, count: 4)
      else { return nil }
      isLogged = page[19] == 2
      schemaCookie = Int32(truncatingIfNeeded: cookie)
      changeCounter = isEncrypted ? nil : Int32(truncatingIfNeeded: counter)
    }

    func isOlder(than other: Head) -> Bool {
      guard schemaCookie &- other.schemaCookie >= 0 else { return true }
      guard let one = changeCounter, let other = other.changeCounter else { return false }
      return one &- other < 0
    }

    /// True if a transaction that began with the given header may have written this header.
    func mayFollow(_ before: Head) -> Bool {
      guard schemaCookie &- before.schemaCookie >= 0 else { return false }
      guard let now = changeCounter, let then = before.changeCounter else { return true }
      return (0...1).contains(now &- then)
    }
  }
}
