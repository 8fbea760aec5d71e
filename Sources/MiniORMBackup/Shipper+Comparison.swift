import MiniORM

/// A state of an earlier generation that a new generation continues.
struct ComparedState {
  let object: ObjectName
  /// The code of the object.
  let code: [UInt8]
  /// The sequence number of the base.
  let base: Int
  /// The size of the frames since the base.
  let frameBytes: Int
  /// The numbers of the pages that differ, and of the first page, whose frame states the size.
  let changedPages: [Int]
  let pages: LogPages
}

extension Shipper {
  /// Each restore of a state reads the lists of all continued generations.
  private static let maximumLinks = 32

  /// Compares the file and its log with the newest state in the store, at the start of the backup.
  ///
  /// The file alone cannot show that it is unchanged: in WAL mode, its change counter stays the same. So
  /// the objects of the state are read and authenticated, and each of their pages is compared. If the
  /// log grows too long meanwhile, the next generation has a base, which completes under load.
  /// - Returns: nil if a copy of the whole file is better, or if the state cannot be read.
  func comparedState(
    _ end: LogEnd, _ record: BackupRecord
  ) async throws -> ComparedState? {
    guard let log, let least = comparedSize else { return nil }
    comparedSize = nil
    guard end.fileSize > least else { return nil }
    do {
      return try await comparedState(
        end, log, file: BackupKey.file(record.identity, salt: log.key.salt))
    } catch {
      try Task.checkCancellation()
      if log.isLost { throw error }
      return nil
    }
  }

  private func comparedState(
    _ end: LogEnd, _ log: LogHold, file: [UInt8]
  ) async throws -> ComparedState? {
    let catalog = BackupCatalog(store)
    var found: (chain: BackupCatalog.Chain, object: ObjectName)?
    for name in try await catalog.names().reversed() where name.file == file {
      let chain = try await catalog.chain(name)
      found = chain.completeMoments.last.map { (chain, $0) }
      if found != nil { break }
    }
    guard let (chain, object) = found, let base = object.base else { return nil }
    let names = try chain.objects(upTo: object)
    guard Set(names.map(\.generation)).count < Self.maximumLinks else { return nil }
    let pages = try await log.holder.pages(of: end)
    // For each page, the last object counts, and a part of the base is older than each frame.
    var (framed, same) = (PageSet(), PageSet())
    var (code, size, frameBytes) = ([UInt8](), 0, 0)
    let restore = BackupRestore(store, catalog, [], Configuration())
    try await restore.read(names, log.key, after: nil) { object, last in
      guard object.pageSize == end.pageSize else {
        throw BackupCatalog.damaged("\(object.name.text) has another page size than the file")
      }
      for (page, isSame) in try await log.holder.compare(object, with: pages) {
        if object.isFrames { framed.insert(page) } else if framed.contains(page) { continue }
        same.insert(page, if: isSame)
      }
      object.forEachPage { _, count, _ in if count > 0 { size = count } }
      if object.isFrames { frameBytes += object.payload.count }
      code = last
    }
    // A state has no pages after its end, although earlier states of its base may have had some.
    var changed = (0..<pages.count).map { $0 + 1 }.filter { $0 > size || !same.contains($0) }
    // Another base makes restores faster.
    guard changed.count <= pages.count / 2, frameBytes <= 2 * end.fileSize else { return nil }
    audit.noteRead(object, code: code)
    reason =
      "the backup started, and \(changed.count) of \(pages.count) pages differed from the state of \(BackupPosition(file: file, object: object).date.exact)"
    changed.removeAll { $0 == 1 }
    return ComparedState(
      object: object, code: code, base: base, frameBytes: frameBytes, changedPages: changed + [1],
      pages: pages)
  }

  /// Sends the pages that differ from the continued state. Later frames of the log follow.
  func shipChangedPages() async throws {
    guard let log else { return }
    while let (rest, pages) = chain?.changedPages {
      let numbers = rest.prefix(
        max(1, Self.objectSize / (WriteAheadLog.frameHeaderSize + pages.pageSize)))
      let isEnd = numbers.count == rest.count
      let frames = try await log.holder.frames(numbers, of: pages, isEnd: isEnd)
      try chain?.seal(changed: frames, numbers.count)
      if isEnd || chain?.outbox.count ?? 0 >= Self.width { try await send() }
    }
  }
}
