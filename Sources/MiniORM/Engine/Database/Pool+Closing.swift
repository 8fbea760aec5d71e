import Synchronization

extension Pool {
  static var idleTime: Duration { .seconds(30) }

  func lookForIdle() {
    _ = Timer(at: .now + Self.idleTime) { [weak self, workers] in
      // Closing a file can be slow: do not block the timer's queue.
      Task.detached(executorPreference: workers) {
        guard let self, self.closeIdle(before: .now - Self.idleTime) else { return }
        self.lookForIdle()
      }
    }
  }

  @discardableResult
  func closeIdle(before moment: ContinuousClock.Instant) -> Bool {
    let closing = state.withLock { state -> [Connection] in
      let closing = state.idle.filter { $0.since <= moment }.map(\.connection)
      state.idle.removeAll { $0.since <= moment }
      // Count as lent: closing the database must wait for these connections too.
      state.lent += closing.count
      return closing
    }
    workers.scheduler?.step()
    for connection in closing { connection.sync { try? $0.close() } }
    let (grants, remain) = state.withLock { state -> ([Waiter], Bool) in
      state.lent -= closing.count
      state.others.removeAll { other in closing.contains { $0 === other } }
      state.looksForIdle = !state.others.isEmpty
      return (granted(&state), state.looksForIdle)
    }
    finish(grants)
    return remain
  }

  var readerCount: Int { state.withLock { 1 + $0.others.count } }

  var connections: [Connection] { state.withLock { connections($0) } }

  private func connections(_ state: State) -> [Connection] {
    (isSingle ? [writer] : [writer, reader]) + state.others
  }

  var isHeldByThisThread: Bool {
    writer.state.executor.isHeldByThisThread || reader.state.executor.isHeldByThisThread
      || state.withLock { $0.others.contains { $0.state.executor.isHeldByThisThread } }
  }

  /// Refuses requests of a closed database.
  func close() { state.withLock { $0.refusal = .closed } }

  /// Refuses requests, ends the waits of calls and interrupts statements, until ``endSuspension()``
  /// or ``allow(after:)``. Returns false if the pool is closed.
  func suspend() -> Bool {
    let waiters = state.withLock { state -> [Waiter]? in
      guard state.refusal != .closed else { return nil }
      state.refusal = .suspended
      state.suspensions += 1
      interrupt(.suspended, state)
      return refused(.suspended, &state)
    }
    guard let waiters else { return false }
    finish(waiters)
    return true
  }

  /// Returns true if the pool was resumed before all connections were closed.
  func endSuspension() -> Bool {
    state.withLock { state in
      state.suspensions -= 1
      // A later call of `suspend()` is still waiting for connections.
      if state.suspensions == 0 { interrupt(nil, state) }
      return state.refusal == nil
    }
  }

  /// Allows requests again. Returns false if the pool does not refuse requests for this reason.
  @discardableResult
  func allow(after refusal: Refusal) -> Bool {
    state.withLock { state in
      guard state.refusal == refusal else { return false }
      state.refusal = nil
      interrupt(nil, state)
      return true
    }
  }

  /// Interrupts current and future statements on every connection; nil ends the interruption.
  func interrupt(_ refusal: Refusal?) { state.withLock { interrupt(refusal, $0) } }

  private func interrupt(_ refusal: Refusal?, _ state: State) {
    for connection in connections(state) {
      connection.state.interruption.ending.store(refusal?.rawValue ?? 0, ordering: .relaxed)
    }
  }

  /// Ends the waits of all calls, except calls that close or suspend the database.
  func refuseAll(_ refusal: Refusal) {
    finish(state.withLock { refused(refusal, &$0) })
  }

  private func refused(_ refusal: Refusal, _ state: inout State) -> [Waiter] {
    let all = (state.writes.elements + state.reads.elements).filter { $0.outcome == nil }
    (state.writes, state.reads) = (FIFO(), FIFO())
    for waiter in all where waiter.isEnding { state.append(waiter) }
    let refused = all.filter { !$0.isEnding }
    for waiter in refused { waiter.outcome = .failure(error(refusal)) }
    return refused + granted(&state)
  }
}
