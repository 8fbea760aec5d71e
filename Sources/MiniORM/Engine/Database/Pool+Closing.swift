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

  var connections: [Connection] {
    (isSingle ? [writer] : [writer, reader]) + state.withLock { $0.others }
  }

  var isHeldByThisThread: Bool {
    writer.state.executor.isHeldByThisThread || reader.state.executor.isHeldByThisThread
      || state.withLock { $0.others.contains { $0.state.executor.isHeldByThisThread } }
  }

  /// Refuses requests. Returns false if the pool is closed and cannot be suspended.
  @discardableResult
  func refuse(_ refusal: Refusal) -> Bool {
    state.withLock { state in
      guard refusal == .closed || state.refusal != .closed else { return false }
      state.refusal = refusal
      return true
    }
  }

  /// Allows requests again. Returns false if the pool does not refuse requests for this reason.
  @discardableResult
  func allow(after refusal: Refusal) -> Bool {
    state.withLock { state in
      guard state.refusal == refusal else { return false }
      state.refusal = nil
      return true
    }
  }

  /// Ends the waits of all calls, except calls that close or suspend the database.
  func refuseAll(_ refusal: Refusal) {
    let waiters = state.withLock { state -> [Waiter] in
      let all = (state.writes.elements + state.reads.elements).filter { $0.outcome == nil }
      (state.writes, state.reads) = (FIFO(), FIFO())
      for waiter in all where waiter.isEnding {
        if waiter.role == .writer {
          state.writes.append(waiter)
        } else {
          state.reads.append(waiter)
        }
      }
      let refused = all.filter { !$0.isEnding }
      for waiter in refused { waiter.outcome = .failure(error(refusal)) }
      return refused + granted(&state)
    }
    finish(waiters)
  }
}
