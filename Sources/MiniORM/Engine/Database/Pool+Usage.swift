import Synchronization

extension Pool {
  func noteWait(since began: ContinuousClock.Instant) {
    state.withLock { $0.noteWait(since: began) }
  }

  struct Usage {
    let readerCount: Int
    let busyReaderCount: Int
    let isWriting: Bool
    let waitCount: Int
    let totalWait: Duration
    let longestWait: Duration
  }

  var usage: Usage {
    state.withLock { state in
      Usage(
        readerCount: 1 + state.others.count,
        busyReaderCount: isSingle ? (state.isWriterLent ? 1 : 0) : state.lent,
        isWriting: !isSingle && state.isWriterLent, waitCount: state.waitCount,
        totalWait: state.totalWait, longestWait: state.longestWait)
    }
  }
}
