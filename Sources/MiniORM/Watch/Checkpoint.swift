import CSQLCipher

/// What SQLite says of a checkpoint. All of them are made here.
///
/// See [sqlite3_wal_checkpoint_v2](https://www.sqlite.org/c3ref/wal_checkpoint_v2.html).
struct Checkpoint {
  /// `SQLITE_BUSY` where somebody was in the way.
  let code: Int32
  /// How many pages are in the write-ahead log, or -1 where nothing is known of one.
  let pageCount: Int32
  /// How many of them are in the file, or -1.
  let movedCount: Int32

  var isBusy: Bool { code & 0xff == SQLITE_BUSY }

  fileprivate init(_ database: OpaquePointer, _ schema: UnsafePointer<CChar>, _ mode: Int32) {
    var (count, moved): (Int32, Int32) = (-1, -1)
    code = sqlite3_wal_checkpoint_v2(database, schema, mode, &count, &moved)
    (pageCount, movedCount) = (count, moved)
  }

  /// Moves what it can without waiting for anybody.
  static func passive(_ database: OpaquePointer, _ schema: UnsafePointer<CChar>) -> Checkpoint {
    Checkpoint(database, schema, SQLITE_CHECKPOINT_PASSIVE)
  }
}

extension Interruption {
  /// Moves the write-ahead log into the file, and waits for those who read as long as a lock is waited for.
  ///
  /// SQLite waits for the lock of each state before the last one that somebody read when it looked. Once that reader
  /// has ended, the next one may read the last state under the same lock, and others with it, each before the one
  /// before it has ended: SQLite would wait for all of them, of whom none is in its way. So it is made to look
  /// anew, after a few milliseconds first, and after twice as long each time. It does not hold the lock for writing
  /// in between.
  /// - Parameter mode: `SQLITE_CHECKPOINT_FULL` or one that goes further.
  func checkpoint(
    _ database: OpaquePointer, _ schema: UnsafePointer<CChar>, _ mode: Int32
  ) -> Checkpoint {
    let (whole, began) = (patience, ContinuousClock.now)
    defer { patience = whole }
    var part = Duration.milliseconds(5)
    while true {
      let left = whole.map { $0 - (ContinuousClock.now - began) } ?? part
      patience = min(left, part)
      waited = nil
      let checkpoint = Checkpoint(database, schema, mode)
      // Otherwise there was nobody to wait for, or the call ends.
      guard checkpoint.isBusy, waited != nil else { return checkpoint }
      guard whole == nil || left > part else {
        waited = ContinuousClock.now - began
        return checkpoint
      }
      part *= 2
    }
  }
}
