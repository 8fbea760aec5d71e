import CSQLCipher

/// The result of a checkpoint. All checkpoints run through this type.
///
/// See [sqlite3_wal_checkpoint_v2](https://www.sqlite.org/c3ref/wal_checkpoint_v2.html).
struct Checkpoint {
  /// The result code; `SQLITE_BUSY` if another connection blocked the checkpoint.
  let code: Int32
  /// The number of pages in the write-ahead log, or -1 if unknown.
  let pageCount: Int32
  /// The number of checkpointed pages, or -1 if unknown.
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
  /// Checkpoints the write-ahead log, and waits for readers up to the lock timeout.
  ///
  /// SQLite waits for the lock of each older read mark in use. After its reader ends, a new reader
  /// may take the same lock for the latest state, and further readers may share the lock without a
  /// gap. SQLite would then wait for readers that do not block the checkpoint. So the checkpoint
  /// restarts, first after a few milliseconds, and then after twice the previous time. The write
  /// lock is released in between.
  /// - Parameter mode: `SQLITE_CHECKPOINT_FULL`, `SQLITE_CHECKPOINT_RESTART` or
  ///   `SQLITE_CHECKPOINT_TRUNCATE`.
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
