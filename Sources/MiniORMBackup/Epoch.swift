import MiniORM

/// The right to write to a store. Each copy that takes over the store claims the next epoch, and the names
/// of its generations follow all names of earlier epochs.
enum Epoch {
  /// Returns the number that an object among the announcements claims.
  static func number(_ name: String) -> UInt64? {
    name.utf8.starts(with: GenerationName.folder.utf8)
      ? UInt64(digits: name.dropFirst(GenerationName.folder.count), 8) : nil
  }

  /// True if the bytes claim an epoch. After a change of the key, the key of another copy is unknown; an
  /// implausible number then proves that no copy has counted so far.
  static func isClaim(
    _ bytes: [UInt8], of epoch: UInt64, _ key: BackupKey
  ) throws(DatabaseError) -> Bool {
    if let object = try BackupObject(bytes, key: key) {
      return object.kind == .claim && object.generation.epoch == epoch
    }
    return BackupObject.isFormed(bytes)
      && Generation(epoch: epoch, number: 0, random: 0).isPlausible
  }

  /// Claims the epoch after all epochs of a store.
  /// - Parameter own: The epoch of the file.
  /// - Throws: ``DatabaseError`` if another copy claims the epoch at the same time.
  static func claimNext(
    after own: UInt64, in store: any BackupStore, _ key: BackupKey, identity: [UInt8],
    path: String
  ) async throws -> UInt64 {
    let file = try BackupKey.file(identity, salt: key.salt)
    let names = try await BackupCatalog.retrying { try await store.list(GenerationName.folder) }
    let used = names.compactMap { name in
      number(name) ?? GenerationName(name).flatMap { $0.file == file ? $0.generation.epoch : nil }
    }
    var epoch = used.filter { Generation(epoch: $0, number: 0, random: 0).isPlausible }
      .reduce(own, max)
    while true {
      epoch += 1
      let claim = BackupObject(
        .claim, 0, pageSize: 0, salt: key.salt, identity: identity,
        Generation(epoch: epoch, number: 0, tag: try key.tag()), sequence: 0, time: 0,
        previous: BackupObject.noCode, payload: [])
      let (name, bytes) = (
        "\(GenerationName.folder)\(epoch.digits(8))", try claim.sealed(by: key).bytes
      )
      let isOwn = try await BackupCatalog.retrying { try await store.create(name, bytes) }
      if isOwn { return epoch }
      // A repeated request finds the object of the first. Other objects without a code are in the way.
      let found = try await BackupCatalog.retrying { try await store.get(name) } ?? []
      if found == bytes { return epoch }
      guard try !isClaim(found, of: epoch, key) else {
        throw DatabaseError(
          .copy, code: .busy,
          "Another copy of the database takes over the store at the same time (epoch \(epoch)): decide which copy continues, and try again with this copy",
          path: path)
      }
    }
  }
}

extension Connection {
  /// Returns the row that the backup keeps in the file.
  func backupRecord() throws -> BackupRecord? { try BackupRecord.read(try handle) }

  func write(_ record: BackupRecord) throws {
    let database = try handle
    defer { rollBack(database) }
    _ = try Self.text("BEGIN IMMEDIATE", database)
    try BackupRecord.write(record, database)
    _ = try Self.text("COMMIT", database)
  }
}
