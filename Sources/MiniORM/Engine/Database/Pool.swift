import Synchronization

/// The connections of a database, each lent to a single caller at a time, in the order of requests.
final class Pool: Sendable {
  let path: String
  private let limit: Int
  let workers: Workers
  let home = HomeProcess()
  let state: Mutex<State>
  /// The first reader, which stays open; the writer if a second connection would open a different
  /// database.
  let reader: Connection
  /// Released after the readers: only a writable connection can checkpoint the log.
  let writer: Connection

  deinit { state.withLock { ($0.idle, $0.others) = ([], []) } }

  struct State {
    var refusal: Refusal?
    /// The number of calls of `suspend()` that wait for connections.
    var suspensions = 0
    var isWriterLent = false
    var isReaderLent = false
    var idle: [(connection: Connection, since: ContinuousClock.Instant)] = []
    var others: [Connection] = []
    /// The number of lent readers, including the first.
    var lent = 0
    /// True while a caller holds all readers.
    var isDrained = false
    var writes = FIFO<Waiter>()
    var reads = FIFO<Waiter>()
    var template = ConnectionTemplate()
    var looksForIdle = false
    var held: [HeldSnapshot] = []
    /// Ends the read transaction of a continuous backup.
    var releaseLog: (@Sendable () -> Void)?
    var waitCount = 0
    var totalWait = Duration.zero
    var longestWait = Duration.zero

    mutating func append(_ waiter: Waiter) {
      if waiter.role == .writer { writes.append(waiter) } else { reads.append(waiter) }
    }
  }

  init(writer: Connection, reader: Connection, path: String, limit: Int) {
    (self.writer, self.reader, self.path) = (writer, reader, path)
    self.limit = max(1, limit)
    workers = writer.configuration.workers
    state = Mutex(State())
  }

  var isSingle: Bool { reader === writer }

  enum Role: Sendable { case reader, writer, allReaders }

  /// A pending request for a connection, protected by the lock of the pool's state.
  final class Waiter: Sendable {
    private struct State {
      var outcome: Result<Connection, any Error>?
      var resume: (@Sendable (Result<Connection, any Error>) -> Void)?
    }

    let role: Role
    /// True for closing and suspending, which wait despite a refusal.
    let isEnding: Bool
    private let state = Mutex(State())

    var outcome: Result<Connection, any Error>? {
      get { state.withLock { $0.outcome } }
      set { state.withLock { $0.outcome = newValue } }
    }

    fileprivate var resume: (@Sendable (Result<Connection, any Error>) -> Void)? {
      get { state.withLock { $0.resume } }
      set { state.withLock { $0.resume = newValue } }
    }

    init(_ role: Role, isEnding: Bool = false) { (self.role, self.isEnding) = (role, isEnding) }
  }

  enum Refusal: UInt8 {
    case closed = 1
    case suspended
  }

  func error(_ refusal: Refusal) -> DatabaseError {
    switch refusal {
    case .closed:
      DatabaseError(.open, code: .misuse, "The database is closed: open a new Database", path: path)
    case .suspended: .suspended(path)
    }
  }

  var refusal: Refusal? { state.withLock { $0.refusal } }

  // MARK: Lending

  /// Throws in a forked child.
  @inline(__always)
  func checkProcess(_ operation: DatabaseError.Operation = .begin) throws(DatabaseError) {
    guard home.isCurrent else { throw .forked(operation, path) }
  }

  /// Returns a free connection; nil if there is none or an earlier request is pending.
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

  /// Throws `CancellationError`, or ``DatabaseError`` after the time limit.
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
      state.append(waiter)
      return granted(&state)
    }
    finish(grants)
  }

  func overdue(_ role: Role, _ waited: Duration) -> DatabaseError {
    let what =
      role == .reader
      ? "A read waited \(waited.inSeconds) for one of the \(limit) reading connections, which are all in use: raise Configuration.maximumReaderCount or readerTimeout"
      : "The call waited \(waited.inSeconds) for the connection, which another call uses"
    return DatabaseError(.begin, code: .busy, what, path: path)
  }

  func give(up waiter: Waiter, _ error: any Error) {
    let grants = state.withLock { state -> [Waiter] in
      guard waiter.outcome == nil else { return [] }
      waiter.outcome = .failure(error)
      // Later requests may now succeed. For a request that is not enqueued yet, `enqueue` reports
      // the error.
      return (waiter.resume == nil ? [] : [waiter]) + granted(&state)
    }
    finish(grants)
  }

  func outcome(of waiter: Waiter) -> Result<Connection, any Error> {
    state.withLock { _ in waiter.outcome } ?? .failure(error(.closed))
  }

  var waitingCount: Int {
    state.withLock { state in
      (state.writes.elements + state.reads.elements).count { $0.outcome == nil }
    }
  }

  func noteWait(since began: ContinuousClock.Instant) {
    state.withLock { state in
      let waited = ContinuousClock.now - began
      state.waitCount += 1
      state.totalWait += waited
      state.longestWait = max(state.longestWait, waited)
    }
  }

  func finish(_ waiters: [Waiter]) {
    for waiter in waiters {
      guard let outcome = waiter.outcome, let resume = waiter.resume else { continue }
      resume(outcome)
    }
  }

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

  func giveBackReaders(_ template: ConnectionTemplate?) {
    guard !isSingle else { return }
    let grants = state.withLock { state -> [Waiter] in
      state.isDrained = false
      if let template { state.template = template }
      return granted(&state)
    }
    finish(grants)
  }

  /// Removes the readers except the first, and returns them for closing. The caller holds all
  /// readers.
  func removeOthers() -> [Connection] {
    state.withLock { state in
      state.idle = []
      defer { state.others = [] }
      return state.others
    }
  }

  /// Takes all connections, and returns the readers except the first, for closing; nil if the pool
  /// is in use.
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
