import Synchronization

extension Pool {
  func noteWait(since began: ContinuousClock.Instant) {
    state.withLock { $0.noteWait(since: began) }
  }

  /// What it knows of its use.
  struct Usage {
    var readerCount = 0
    var busyReaderCount = 0
    var isWriting = false
    var waitCount = 0
    var totalWait = Duration.zero
    var longestWait = Duration.zero
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
