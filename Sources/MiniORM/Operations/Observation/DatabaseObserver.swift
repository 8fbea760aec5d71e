/// An observer of a database, registered until its deinitialization.
final class DatabaseObserver: Sendable {
  private let database: Database
  private let hub: ObservationHub
  private let id: Int

  init(of database: Database) async throws(DatabaseError) {
    self.database = database
    hub = database.observationHub
    guard let id = hub.insert() else {
      throw DatabaseError(
        .open, code: .misuse, "The database is closed: open a new Database", path: database.path)
    }
    self.id = id
    if let interval = database.writer.configuration.otherChangesInterval {
      hub.lookOut(every: interval) { [weak database] in
        guard let database, !Task.isCancelled else { return false }
        // Waits for a free connection. Throws while the database is suspended, so that no check
        // takes place.
        try? await database.withConnection(.writer) { db in db.lookForOthers() }
        return true
      }
      // Record the current data version. If the connection is in use, the first check counts as a
      // change.
      if let writer = try? database.pool.take(.writer) {
        try? await writer.use(by: database, .writer, .current, after: .zero) { db in
          db.lookForOthers()
        }
      }
    }
  }

  var isChanged: Bool { hub.isChanged(id) }

  deinit { hub.remove(id) }

  /// Waits for a commit that may have changed the last read.
  /// - Returns: False if the observation is over.
  /// - Throws: ``DatabaseError`` if the task's time limit is over.
  func change() async throws(DatabaseError) -> Bool {
    let limit = TimeLimit.current
    if let limit, limit.isOver { throw limit.error }
    let timer = limit?.timer { [hub, id] in hub.wake(id) }
    defer { timer?.cancel() }
    let isChanged = await hub.waitForChange(id)
    if !isChanged, !hub.isClosed, !Task.isCancelled, let limit, limit.isOver { throw limit.error }
    return isChanged
  }

  func value<Value: Sendable>(
    _ read: @Sendable (isolated Connection) throws -> Value
  ) async throws -> Value {
    var attempts = 0
    while true {
      // Register first, so that no commit is missed.
      hub.willRead(id)
      do {
        let (value, reads) = try await database.read { db in
          _ = try db.handle  // reopens the file if needed
          return try db.recordingReads { try read(db) }
        }
        hub.didRead(id, reads)
        return value
      } catch let error as DatabaseError
        where error.code.primary == .schemaChanged && attempts < 5
      {
        // The schema changed after the compilation of a statement. SQLite retries, except when it
        // connects a virtual table.
        attempts += 1
      } catch let error as DatabaseError where error.code == .abort && !Task.isCancelled {
        // The database is suspended. After its resumption, everything counts as changed.
        hub.didRead(id, .anything)
        guard try await change() else { throw error }
      }
    }
  }
}

extension Connection {
  func recordingReads<Result>(_ body: () throws -> Result) throws -> (Result, ReadSet) {
    guard let watch = cache?.watch else { return (try body(), .anything) }
    return try watch.recordingReads(body)
  }

  fileprivate func lookForOthers() {
    guard (try? handle) != nil else { return }
    cache?.watch?.lookForOthers(in: ["main"] + attachments.map(\.name))
  }
}
