import CSQLCipher

/// The result of [sqlite3_wal_checkpoint_v2](https://www.sqlite.org/c3ref/wal_checkpoint_v2.html).
struct Checkpoint {
  let code: Int32
  /// The size of the log in pages; -1 if unknown.
  let pageCount: Int32
  /// The number of log pages moved to the database file; -1 if unknown.
  let movedCount: Int32

  var isBusy: Bool { code & 0xff == SQLITE_BUSY }

  fileprivate init(_ database: OpaquePointer, _ schema: UnsafePointer<CChar>, _ mode: Int32) {
    var (count, moved): (Int32, Int32) = (-1, -1)
    code = sqlite3_wal_checkpoint_v2(database, schema, mode, &count, &moved)
    (pageCount, movedCount) = (count, moved)
  }

  static func passive(_ database: OpaquePointer, _ schema: UnsafePointer<CChar>) -> Checkpoint {
    Checkpoint(database, schema, SQLITE_CHECKPOINT_PASSIVE)
  }
}

extension Interruption {
  /// Runs a checkpoint that waits for readers up to the lock timeout.
  ///
  /// SQLite waits for the lock of each older read mark, which new readers of the latest state can
  /// take too. The checkpoint therefore gives up after 5 ms, releases the write lock, and retries
  /// with twice the time.
  func checkpoint(
    _ database: OpaquePointer, _ schema: UnsafePointer<CChar>, _ mode: Int32
  ) -> Checkpoint {
    let (whole, began) = (lockTimeout, ContinuousClock.now)
    defer { lockTimeout = whole }
    var part = Duration.milliseconds(5)
    while true {
      let left = whole.map { $0 - (ContinuousClock.now - began) } ?? part
      lockTimeout = min(left, part)
      waited = nil
      let checkpoint = Checkpoint(database, schema, mode)
      // Waiting longer cannot help unless the checkpoint waited for a lock.
      guard checkpoint.isBusy, waited != nil else { return checkpoint }
      guard whole == nil || left > part else {
        waited = ContinuousClock.now - began
        return checkpoint
      }
      part *= 2
    }
  }
}
