import Synchronization

/// Knows who observes a database and what each one reads, and wakes those whom a commit concerns.
///
/// Observers are found by the columns that they read, so that a commit costs what it wakes, and not
/// what there is. Nothing is kept for one that does not ask: it is told that there is something new,
/// and reads what is there when it asks.
final class ObservationHub: Sendable {
  /// Somebody who observes.
  fileprivate struct Observer {
    var reads = ReadSet()
    /// What was committed since it began to read; nil while it does not.
    var missed: WriteSet? = WriteSet()
    var isChanged = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  fileprivate struct State {
    var observers: [Int: Observer] = [:]
    var lastID = 0
    var byColumn: [ExactText: Set<Int>] = [:]
    /// Those to whom every change may matter.
    var byAnything: Set<Int> = []
    var reading: Set<Int> = []
    var isClosed = false
    var visits = 0
    /// Looks for changes of others while somebody observes.
    var lookout: Task<Void, Never>?
  }
  private let state = Mutex(State())
  /// Those who want to know of each change.
  let subscribers = ChangeSubscribers()
  private let count = Atomic(0)

  /// Whether anybody observes.
  var isObserved: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

  /// How many observers were looked at by commits, for tests of what one costs.
  var visits: Int { state.withLock { $0.visits } }

  /// Whether each of some observers waits, and has read what there is; for tests.
  func isQuiet(_ count: Int) -> Bool {
    state.withLock { state in
      state.observers.count >= count
        && state.observers.values.allSatisfy { $0.waiting != nil && !$0.isChanged }
    }
  }

  /// How many columns are known to be read, for tests of what is left behind.
  var columnCount: Int { state.withLock { $0.byColumn.count + $0.byAnything.count } }

  /// Whether the database is closed.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Ends every observation, or allows them again where the database could not be closed.
  func setClosed(_ isClosed: Bool) {
    subscribers.setClosed(isClosed)
    wake { state in
      state.isClosed = isClosed
      return isClosed ? Array(state.observers.keys) : []
    }
  }

  // MARK: Observers

  /// Takes an observer in.
  /// - Returns: Its number; nil where the database is closed.
  func insert() -> Int? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.lastID += 1
      state.observers[state.lastID] = Observer()
      state.reading.insert(state.lastID)
      count.add(1, ordering: .sequentiallyConsistent)
      return state.lastID
    }
  }

  func remove(_ id: Int) {
    let (waiting, lookout) = state.withLock { state in
      guard let observer = state.observers[id] else {
        return (nil as CheckedContinuation<Void, Never>?, nil as Task<Void, Never>?)
      }
      state.setReads(nil, of: id)
      state.observers[id] = nil
      state.reading.remove(id)
      count.subtract(1, ordering: .sequentiallyConsistent)
      guard state.observers.isEmpty else { return (observer.waiting, nil) }
      defer { state.lookout = nil }
      return (observer.waiting, state.lookout)
    }
    lookout?.cancel()
    waiting?.resume()
  }

  /// Notes that an observer is about to read: what is committed from here on it may miss.
  func willRead(_ id: Int) {
    state.withLock { state in
      state.observers[id]?.missed = WriteSet()
      state.observers[id]?.isChanged = false
      state.reading.insert(id)
    }
  }

  /// Notes what an observer has read.
  func didRead(_ id: Int, _ reads: ReadSet) {
    state.withLock { state in
      guard let missed = state.observers[id]?.missed else { return }
      state.setReads(reads, of: id)
      state.observers[id]?.missed = nil
      state.reading.remove(id)
      if missed.changes(reads) { state.observers[id]?.isChanged = true }
    }
  }

  /// Whether a commit has concerned an observer since it began to read.
  func isChanged(_ id: Int) -> Bool { state.withLock { $0.observers[id]?.isChanged ?? false } }

  /// Waits until a commit has concerned an observer.
  /// - Returns: Whether one has: not where the database was closed, or the task cancelled.
  func waitForChange(_ id: Int) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard let observer = state.observers[id], !observer.isChanged, !state.isClosed,
            !Task.isCancelled
          else { return true }
          state.observers[id]?.waiting = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      wake { _ in [id] }
    }
    return state.withLock { state in
      !state.isClosed && state.observers[id]?.isChanged ?? false
    }
  }

  // MARK: Commits

  /// Tells that anything may have changed.
  func publishEverything() {
    publish(.everything)
    subscribers.publish(.everything)
  }

  /// Tells those whom it concerns of what has been committed.
  /// - Complexity: O(*n*) in the number of columns changed and of observers concerned.
  func publish(_ changes: WriteSet) {
    wake { state in
      for id in state.reading { state.observers[id]?.missed?.formUnion(changes) }
      var concerned = changes.isEverything ? Set(state.observers.keys) : state.byAnything
      for key in changes.keys { concerned.formUnion(state.byColumn[key] ?? []) }
      concerned.subtract(state.reading)
      for id in concerned { state.observers[id]?.isChanged = true }
      state.visits += concerned.count
      return Array(concerned)
    }
  }

  private func wake(_ choose: (inout State) -> [Int]) {
    let waiting = state.withLock { state in
      choose(&state).compactMap { id -> CheckedContinuation<Void, Never>? in
        defer { state.observers[id]?.waiting = nil }
        return state.observers[id]?.waiting
      }
    }
    for continuation in waiting { continuation.resume() }
  }

  // MARK: Others

  /// Looks for changes of others from now on, as long as somebody observes.
  /// - Parameter look: Looks once; false ends it.
  func lookOut(every interval: Duration, _ look: @escaping @Sendable () async -> Bool) {
    state.withLock { state in
      guard state.lookout == nil, !state.observers.isEmpty else { return }
      state.lookout = Task {
        while (try? await Task.sleep(for: interval)) != nil, await look() {}
      }
    }
  }
}

extension ObservationHub.State {
  fileprivate mutating func setReads(_ reads: ReadSet?, of id: Int) {
    guard let before = observers[id]?.reads, before != reads else { return }
    for key in before.keys {
      byColumn[key]?.remove(id)
      if byColumn[key]?.isEmpty ?? false { byColumn[key] = nil }
    }
    byAnything.remove(id)
    guard let reads else { return }
    for key in reads.keys { byColumn[key, default: []].insert(id) }
    if reads.isAnything { byAnything.insert(id) }
    observers[id]?.reads = reads
  }
}
