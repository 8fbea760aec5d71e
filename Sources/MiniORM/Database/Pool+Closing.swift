import Synchronization

// How connections end: idle ones, and all of them.
extension Pool {
  /// How long a reader has nothing to do before it is closed.
  static var idleTime: Duration { .seconds(30) }

  func lookForIdle() {
    _ = Timer(at: .now + Self.idleTime) { [weak self, workers] in
      // Closing a file may take long, and the thread of the timers waits for nothing.
      Task.detached(executorPreference: workers) {
        guard let self, self.closeIdle(before: .now - Self.idleTime) else { return }
        self.lookForIdle()
      }
    }
  }

  /// Closes the readers that have been idle since a moment, but for the first one.
  /// - Returns: Whether there are others.
  @discardableResult
  func closeIdle(before moment: ContinuousClock.Instant) -> Bool {
    let closing = state.withLock { state -> [Connection] in
      let closing = state.idle.filter { $0.since <= moment }.map(\.connection)
      state.idle.removeAll { $0.since <= moment }
      // They are in use until they are closed: who closes all of them waits for that.
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

  /// How many connections read, the first one included.
  var readerCount: Int { state.withLock { 1 + $0.others.count } }

  /// Every connection that there is.
  var connections: [Connection] {
    (isSingle ? [writer] : [writer, reader]) + state.withLock { $0.others }
  }

  /// Whether the calling thread runs the work of one of them.
  var isHeldByThisThread: Bool {
    writer.state.executor.isHeldByThisThread || reader.state.executor.isHeldByThisThread
      || state.withLock { $0.others.contains { $0.state.executor.isHeldByThisThread } }
  }

  /// Refuses what is asked for from now on.
  /// - Returns: Whether it does for this reason: what is closed is not suspended.
  @discardableResult
  func refuse(_ refusal: Refusal) -> Bool {
    state.withLock { state in
      guard refusal == .closed || state.refusal != .closed else { return false }
      state.refusal = refusal
      return true
    }
  }

  /// Allows it again, where it was refused for this.
  /// - Returns: Whether it was.
  @discardableResult
  func allow(after refusal: Refusal) -> Bool {
    state.withLock { state in
      guard state.refusal == refusal else { return false }
      state.refusal = nil
      return true
    }
  }

  /// Ends the wait of everybody but those who end the use of the connections themselves.
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
