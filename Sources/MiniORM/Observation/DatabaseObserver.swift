/// A place among a database's observers, given up when nobody holds it any more.
final class DatabaseObserver: Sendable {
  private let database: Database
  private let hub: ObservationHub
  private let id: Int

  /// - Throws: ``DatabaseError`` where the database is closed.
  init(of database: Database) async throws(DatabaseError) {
    self.database = database
    hub = database.observationHub
    guard let id = hub.insert() else {
      throw DatabaseError(.open, code: .misuse, "The database is closed", path: database.path)
    }
    self.id = id
    if let interval = database.writer.configuration.otherChangesInterval {
      hub.lookOut(every: interval) { [weak database] in
        guard let database, !Task.isCancelled else { return false }
        await database.writer.lookForOthers()
        return true
      }
      // What others commit from here on differs from what is noted now.
      await database.writer.lookForOthers()
    }
  }

  /// Whether a commit may have changed what was read, since it was.
  var isChanged: Bool { hub.isChanged(id) }

  deinit { hub.remove(id) }

  /// Waits for a commit that may have changed what was read.
  /// - Returns: Whether there is one: not where the observation is over.
  func change() async -> Bool { await hub.waitForChange(id) }

  /// Reads a value, and notes what it depends on.
  func value<Value: Sendable>(_ read: ObservedRead<Value>) async throws -> Value {
    var attempts = 0
    while true {
      // Before the transaction begins, so that no commit falls between.
      hub.willRead(id)
      do {
        let (value, reads) = try await read.run(in: database)
        hub.didRead(id, reads)
        return value
      } catch let error as DatabaseError
        where error.code.primary == .schemaChanged && attempts < 5
      {
        // The schema changed between the compilation of a statement and its run: SQLite begins
        // again by itself, and not where a virtual table is connected.
        attempts += 1
      } catch let error as DatabaseError where error.code == .abort && !Task.isCancelled {
        // The database is suspended: when it is resumed everything is told to have changed.
        hub.didRead(id, .anything)
        guard await hub.waitForChange(id) else { throw error }
      }
    }
  }
}

/// What an observer reads.
enum ObservedRead<Value: Sendable>: Sendable {
  /// A query: where it is short, on the thread of the task that observes, as when it is awaited.
  case query(@Sendable (isolated Connection) throws(DatabaseError) -> Value)
  /// A user's closure, or SQL, in one transaction, in which nothing can be written.
  case closure(@Sendable (isolated Connection) throws -> Value)

  /// Reads the value, and finds out what it depends on.
  fileprivate func run(in database: Database) async throws -> (Value, ReadSet) {
    switch self {
    case .query(let read):
      try await database.reading { db throws(DatabaseError) in
        _ = try db.handle  // opens the file where it had to be closed
        return try db.recordingReads { () throws(DatabaseError) in try read(db) }
      }
    case .closure(let read):
      try await database.read { db in
        _ = try db.handle
        return try db.recordingReads { try read(db) }
      }
    }
  }
}

extension Connection {
  /// Runs a closure, and finds out what it reads.
  func recordingReads<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> (Result, ReadSet) {
    guard let watch = cache?.watch else { return (try body(), .anything) }
    return try watch.recordingReads(body)
  }

  fileprivate func lookForOthers() {
    guard (try? handle) != nil else { return }
    cache?.watch?.lookForOthers(in: ["main"] + attachments.map(\.name))
  }
}
