import CSQLCipher

/// All checkpoints run through this type.
///
/// See [sqlite3_wal_checkpoint_v2](https://www.sqlite.org/c3ref/wal_checkpoint_v2.html).
struct Checkpoint {
  let code: Int32
  /// The number of pages in the log; -1 if unknown.
  let pageCount: Int32
  /// The number of checkpointed pages; -1 if unknown.
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
  /// Waits for readers up to the lock timeout.
  ///
  /// SQLite waits for the lock of each older read mark. New readers of the latest state may take
  /// the same lock, so SQLite could wait for readers that do not block the checkpoint. The
  /// checkpoint therefore restarts after a few milliseconds, and then after twice the previous
  /// time. The write lock is released in between.
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
      // Return if no lock was waited for, or if the call ends.
      guard checkpoint.isBusy, waited != nil else { return checkpoint }
      guard whole == nil || left > part else {
        waited = ContinuousClock.now - began
        return checkpoint
      }
      part *= 2
    }
  }
}
