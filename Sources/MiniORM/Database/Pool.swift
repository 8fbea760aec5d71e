import Synchronization

/// The connections of a database, and who may use which of them: one that writes, and several that
/// read. Each is lent to one caller at a time, in the order in which they ask.
final class Pool: Sendable {
  let path: String
  private let limit: Int
  let workers: Workers
  let home = HomeProcess()
  let state: Mutex<State>
  /// The first one that reads, which is never closed before the database; the writer itself where a
  /// second connection would not see the same database.
  let reader: Connection
  /// The connection that writes. It is dropped last: only one that writes can move the log into the file.
  let writer: Connection

  deinit { state.withLock { ($0.idle, $0.others) = ([], []) } }

  struct State {
    var refusal: Refusal?
    var isWriterLent = false
    var isReaderLent = false
    /// Those beside the first one.
    var idle: [(connection: Connection, since: ContinuousClock.Instant)] = []
    var others: [Connection] = []
    /// How many readers are lent, the first one included.
    var lent = 0
    /// Whether somebody has all the readers.
    var isDrained = false
    var writes = FIFO<Waiter>()
    var reads = FIFO<Waiter>()
    var template = ConnectionTemplate()
    var looksForIdle = false
    var held: [HeldSnapshot] = []
    var waitCount = 0
    var totalWait = Duration.zero
    var longestWait = Duration.zero

    mutating func noteWait(since began: ContinuousClock.Instant) {
      let waited = ContinuousClock.now - began
      waitCount += 1
      totalWait += waited
      longestWait = max(longestWait, waited)
    }
  }

  init(writer: Connection, reader: Connection, path: String, limit: Int) {
    (self.writer, self.reader, self.path) = (writer, reader, path)
    self.limit = max(1, limit)
    workers = writer.configuration.workers
    state = Mutex(State())
  }

  /// Whether one connection does both.
  var isSingle: Bool { reader === writer }

  enum Role { case reader, writer, allReaders }

  /// Somebody who waits for a connection. What it holds is touched only while the pool's state is
  /// locked.
  final class Waiter: @unchecked Sendable {
    let role: Role
    /// Whether it is to end the use of the connections, and so waits whatever is refused.
    let isEnding: Bool
    var outcome: Result<Connection, any Error>?
    fileprivate var resume: (@Sendable (Result<Connection, any Error>) -> Void)?

    init(_ role: Role, isEnding: Bool = false) { (self.role, self.isEnding) = (role, isEnding) }
  }

  /// Why nothing is lent.
  enum Refusal: UInt8 {
    case closed = 1
    case suspended
  }

  func error(_ refusal: Refusal) -> DatabaseError {
    switch refusal {
    case .closed: DatabaseError(.open, code: .misuse, "The database is closed", path: path)
    case .suspended: .suspended(path)
    }
  }

  /// Why nothing is lent; nil where it is.
  var refusal: Refusal? { state.withLock { $0.refusal } }

  // MARK: Lending

  /// Refuses to do anything in a child of the process that opened the database.
  @inline(__always)
  func checkProcess(_ operation: DatabaseError.Operation = .begin) throws(DatabaseError) {
    guard home.isCurrent else { throw .forked(operation, path) }
  }

  /// Returns a connection, if one is free and nobody waits for it.
  @inline(__always)
  func take(_ role: Role) throws(DatabaseError) -> Connection? {
    try checkProcess()
    workers.scheduler?.step()
    return try state.withLock { state throws(DatabaseError) -> Connection? in
      if let refusal = state.refusal { throw error(refusal) }
      return free(role, &state)
    }
  }

  private func free(_ role: Role, _ state: inout State) -> Connection? {
    switch isSingle ? .writer : role {
    case .writer:
      guard !state.isWriterLent, state.writes.isEmpty else { return nil }
      state.isWriterLent = true
      return writer
    case .reader:
      guard state.reads.isEmpty else { return nil }
      return freeReader(&state)
    case .allReaders:
      return nil
    }
  }

  private func freeReader(_ state: inout State) -> Connection? {
    guard !state.isDrained else { return nil }
    if !state.isReaderLent {
      state.isReaderLent = true
      state.lent += 1
      return reader
    }
    if let idle = state.idle.popLast() {
      state.lent += 1
      return idle.connection
    }
    guard state.others.count + 1 < limit else { return nil }
    let connection = Connection(reader, state.template)
    state.others.append(connection)
    state.lent += 1
    return connection
  }

  /// Waits for a connection without blocking a thread.
  /// - Parameters:
  ///   - evenIfRefused: Also while nothing is lent, for those who had begun before.
  ///   - isEnding: For closing and suspending, which nothing ends.
  /// - Throws: `CancellationError`, and ``DatabaseError`` when the wait takes too long.
  func wait(
    for role: Role, patience: Duration?, _ limit: TimeLimit?, evenIfRefused: Bool = false,
    isEnding: Bool = false
  ) async throws -> Connection {
    if let limit, limit.isOver { throw limit.error }
    let role = isSingle && role == .reader ? .writer : role
    let waiter = Waiter(role, isEnding: isEnding)
    let began = ContinuousClock.now
    let last = [patience.map { began + $0.bounded }, limit?.end].compactMap(\.self).min()
    let timer = last.map { last in
      Timer(at: last) {
        let waited = ContinuousClock.now - began
        self.give(
          up: waiter, limit.flatMap { $0.isOver ? $0.error : nil } ?? self.overdue(role, waited))
      }
    }
    defer {
      timer?.cancel()
      noteWait(since: began)
    }
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        enqueue(waiter, evenIfRefused || isEnding) { continuation.resume(with: $0) }
      }
    } onCancel: {
      give(up: waiter, CancellationError())
    }
  }

  func enqueue(
    _ waiter: Waiter, _ evenIfRefused: Bool = false,
    _ resume: @escaping @Sendable (Result<Connection, any Error>) -> Void
  ) {
    workers.scheduler?.step()
    let grants = state.withLock { state -> [Waiter] in
      waiter.resume = resume
      if let refusal = state.refusal, !evenIfRefused, waiter.outcome == nil {
        waiter.outcome = .failure(error(refusal))
      }
      guard waiter.outcome == nil else { return [waiter] }
      if waiter.role == .writer {
        state.writes.append(waiter)
      } else {
        state.reads.append(waiter)
      }
      return granted(&state)
    }
    finish(grants)
  }

  func overdue(_ role: Role, _ waited: Duration) -> DatabaseError {
    let what =
      role == .reader
      ? "A read waited \(waited.inSeconds) for one of \(limit) connections that read, which are all in use: see Configuration.maximumReaderCount and readerTimeout"
      : "This waited \(waited.inSeconds) for the connection"
    return DatabaseError(.begin, code: .busy, what, path: path)
  }

  /// Ends a wait, if it has not ended yet.
  func give(up waiter: Waiter, _ error: any Error) {
    let grants = state.withLock { state -> [Waiter] in
      guard waiter.outcome == nil else { return [] }
      waiter.outcome = .failure(error)
      // It may have stood before others, who can go on without it. Where it has not begun to wait
      // yet, it finds that out by itself.
      return (waiter.resume == nil ? [] : [waiter]) + granted(&state)
    }
    finish(grants)
  }

  /// Returns what became of a wait that has ended.
  func outcome(of waiter: Waiter) -> Result<Connection, any Error> {
    state.withLock { _ in waiter.outcome } ?? .failure(error(.closed))
  }

  /// How many wait.
  var waitingCount: Int {
    state.withLock { state in
      (state.writes.elements + state.reads.elements).count { $0.outcome == nil }
    }
  }

  func finish(_ waiters: [Waiter]) {
    for waiter in waiters {
      guard let outcome = waiter.outcome, let resume = waiter.resume else { continue }
      resume(outcome)
    }
  }

  /// Returns those who wait and can have what they wait for, in order.
  func granted(_ state: inout State) -> [Waiter] {
    guard !state.writes.isEmpty || !state.reads.isEmpty else { return [] }
    var grants: [Waiter] = []
    while let waiter = state.writes.first {
      if waiter.outcome == nil {
        guard !state.isWriterLent else { break }
        state.isWriterLent = true
        waiter.outcome = .success(writer)
        grants.append(waiter)
      }
      _ = state.writes.popFirst()
    }
    while let waiter = state.reads.first {
      if waiter.outcome == nil {
        if waiter.role == .allReaders {
          guard state.lent == 0, !state.isDrained else { break }
          state.isDrained = true
          waiter.outcome = .success(reader)
        } else {
          guard let connection = freeReader(&state) else { break }
          waiter.outcome = .success(connection)
        }
        grants.append(waiter)
      }
      _ = state.reads.popFirst()
    }
    return grants
  }

  /// Takes a connection back.
  func give(back connection: Connection) {
    workers.scheduler?.step()
    let (grants, looks) = state.withLock { state -> ([Waiter], Bool) in
      var looks = false
      if connection === writer {
        state.isWriterLent = false
      } else {
        state.lent -= 1
        if connection === reader {
          state.isReaderLent = false
        } else {
          state.idle.append((connection, .now))
          looks = !state.looksForIdle
          state.looksForIdle = true
        }
      }
      return (granted(&state), looks)
    }
    if !grants.isEmpty { finish(grants) }
    if looks { lookForIdle() }
    workers.scheduler?.step()
  }

  // MARK: All readers

  /// Takes all the readers back. What they are opened with may be another now.
  func giveBackReaders(_ template: ConnectionTemplate?) {
    guard !isSingle else { return }
    let grants = state.withLock { state -> [Waiter] in
      state.isDrained = false
      if let template { state.template = template }
      return granted(&state)
    }
    finish(grants)
  }

  /// Returns the readers beside the first one, when nobody has one: they are opened anew when they
  /// are needed.
  func removeOthers() -> [Connection] {
    state.withLock { state in
      state.idle = []
      defer { state.others = [] }
      return state.others
    }
  }

  /// Takes every connection, if nobody has one or waits for one.
  /// - Returns: The readers beside the first one, which are opened anew when they are needed.
  func takeAll() -> [Connection]? {
    state.withLock { state in
      guard !state.isWriterLent, state.lent == 0, !state.isDrained, state.writes.isEmpty,
        state.reads.isEmpty
      else { return nil }
      (state.isWriterLent, state.isDrained, state.idle) = (true, !isSingle, [])
      defer { state.others = [] }
      return state.others
    }
  }

  func set(_ template: ConnectionTemplate) { state.withLock { $0.template = template } }
}
