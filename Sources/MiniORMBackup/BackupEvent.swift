/// A change of the status of a ``ContinuousBackup``.
public enum BackupEvent: Sendable {
  /// A generation begins for a reason, with a copy of the whole file or of its changed pages.
  case began(generation: String, reason: String)
  /// A state was sent to the store.
  case sent(BackupPosition)
  /// A state was read back from the store and authenticated, with its base and frames.
  case restorable(BackupPosition)
  /// An attempt failed. The backup tries again, unless it ends.
  case failed(any Error)
  /// No error is left.
  case recovered
  /// The backup ended: it was stopped, or the last error was final.
  case ended

  /// Returns the changes between two statuses.
  static func changes(from old: BackupStatus, to new: BackupStatus) -> [BackupEvent] {
    var events: [BackupEvent] = []
    if let generation = new.generation, generation != old.generation {
      events.append(.began(generation: generation, reason: new.reason ?? ""))
    }
    if let position = new.position, position != old.position { events.append(.sent(position)) }
    if let position = new.lastRestorable, position != old.lastRestorable {
      events.append(.restorable(position))
    }
    if let error = new.lastError {
      if new.lastErrorDate != old.lastErrorDate { events.append(.failed(error)) }
    } else if old.lastError != nil {
      events.append(.recovered)
    }
    if old.isRunning, !new.isRunning { events.append(.ended) }
    return events
  }
}
