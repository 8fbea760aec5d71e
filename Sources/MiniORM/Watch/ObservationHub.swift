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
    var isChanged = false
    /// Whether it reads some rows of a table, and not all: it may until it has read once.
    var isByRow = true
    var waiting: CheckedContinuation<Void, Never>?
  }

  fileprivate struct State {
    var observers: [Int: Observer] = [:]
    var lastID = 0
    var byColumn: [ExactText: Set<Int>] = [:]
    /// Those to whom every change may matter.
    var byAnything: Set<Int> = []
    /// Those who read some rows of a table, by the table's key.
    var byTable: [ExactText: RowObservers] = [:]
    /// Those who are reading, and how many commits there had been when each began to.
    var reading: [Int: Int] = [:]
    /// How many commits have been told, and what those changed that somebody may have missed.
    var commits = 0
    var missed: [(last: Int, changes: WriteSet)] = []
    var isClosed = false
    var visits = 0
    /// Looks for changes of others while somebody observes.
    var lookout: Task<Void, Never>?
  }
  private let state = Mutex(State())
  /// Those who want to know of each change.
  let subscribers = ChangeSubscribers()
  private let count = Atomic(0)
  private let rowCount = Atomic(0)

  /// Whether anybody observes.
  var isObserved: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

  /// Whether anybody observes some rows of a table, and not all, or is about to.
  var isObservedByRow: Bool { rowCount.load(ordering: .sequentiallyConsistent) > 0 }

  /// How many observers were looked at by commits, for tests of what one costs.
  var visits: Int { state.withLock { $0.visits } }

  /// Returns whether each of some observers waits, and has read what there is; for tests.
  func isQuiet(_ count: Int) -> Bool {
    state.withLock { state in
      state.observers.count >= count
        && state.observers.values.allSatisfy { $0.waiting != nil && !$0.isChanged }
    }
  }

  /// How many observers wait for a change, for tests that go on when they do.
  var waitingCount: Int { state.withLock { $0.observers.values.count { $0.waiting != nil } } }

  /// How many columns and rows are known to be read, for tests of what is left behind.
  var columnCount: Int {
    state.withLock { state in
      state.byColumn.count + state.byAnything.count + state.missed.count
        + state.byTable.values.reduce(0) { $0 + $1.count }
    }
  }

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
      state.reading[state.lastID] = state.commits
      count.add(1, ordering: .sequentiallyConsistent)
      rowCount.add(1, ordering: .sequentiallyConsistent)
      return state.lastID
    }
  }

  func remove(_ id: Int) {
    let (waiting, lookout) = state.withLock { state in
      guard let observer = state.observers[id] else {
        return (nil as CheckedContinuation<Void, Never>?, nil as Task<Void, Never>?)
      }
      setReads(nil, of: id, in: &state)
      state.observers[id] = nil
      state.endReading(id)
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
      guard state.observers[id] != nil else { return }
      state.observers[id]?.isChanged = false
      state.reading[id] = state.commits
    }
  }

  /// Notes what an observer has read.
  func didRead(_ id: Int, _ reads: ReadSet) {
    state.withLock { state in
      guard let before = state.reading[id] else { return }
      setReads(reads, of: id, in: &state)
      // From the latest back: those from before are many where somebody else reads for long.
      let missed = state.missed.reversed().prefix { $0.last > before }
      if missed.contains(where: { $0.changes.changes(reads) }) {
        state.observers[id]?.isChanged = true
      }
      state.endReading(id)
    }
  }

  /// Returns whether a commit has concerned an observer since it began to read.
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
      wake(id)
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
  /// - Complexity: O(*n*) in the number of columns and rows changed and of observers concerned.
  func publish(_ changes: WriteSet) {
    wake { state in
      state.noteMissed(changes)
      let found = state.concerned(by: changes)
      state.visits += found.count
      let concerned = found.filter { id in
        guard state.reading[id] == nil, let reads = state.observers[id]?.reads else { return false }
        return changes.changes(reads)
      }
      for id in concerned { state.observers[id]?.isChanged = true }
      return Array(concerned)
    }
  }

  /// Ends the wait of an observer.
  func wake(_ id: Int) { wake { _ in [id] } }

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
      let interval = max(.milliseconds(1), interval.bounded)
      // Of no observer's task, whose time limit would end all looks.
      state.lookout = Task.detached {
        while (try? await Task.sleep(for: interval)) != nil, await look() {}
      }
    }
  }
}

extension ObservationHub {
  private func setReads(_ reads: ReadSet?, of id: Int, in state: inout State) {
    guard let wasByRow = state.observers[id]?.isByRow else { return }
    state.setReads(reads, of: id)
    let isByRow = !(reads?.rows.isEmpty ?? true)
    state.observers[id]?.isByRow = isByRow
    rowCount.add((isByRow ? 1 : 0) - (wasByRow ? 1 : 0), ordering: .sequentiallyConsistent)
  }
}

extension ObservationHub.State {
  /// How many commits are kept apart for those who read meanwhile.
  private static let missedLimit = 64

  fileprivate mutating func noteMissed(_ changes: WriteSet) {
    commits += 1
    guard !reading.isEmpty else { return }
    missed.append((commits, changes))
    guard missed.count > Self.missedLimit else { return }
    // Who began in the middle of these may read once for nothing.
    var first = missed.removeFirst()
    for (last, changes) in missed.prefix(Self.missedLimit / 2) {
      first.last = last
      first.changes.formUnion(changes)
    }
    missed.replaceSubrange(..<(Self.missedLimit / 2), with: [first])
  }

  fileprivate mutating func endReading(_ id: Int) {
    reading[id] = nil
    if reading.isEmpty { missed = [] }
  }

  /// Returns those whom changes concern, as far as the columns or the rows alone say.
  fileprivate func concerned(by changes: WriteSet) -> Set<Int> {
    guard !changes.isEverything else { return Set(observers.keys) }
    var found = byAnything
    for key in changes.keys { found.formUnion(byColumn[key] ?? []) }
    for (table, rows) in changes.rows {
      if let some = byTable[table] { found.formUnion(some.concerned(by: rows, changes.keys)) }
    }
    return found
  }

  fileprivate mutating func setReads(_ reads: ReadSet?, of id: Int) {
    guard let before = observers[id]?.reads, before != reads else { return }
    for key in before.keys {
      byColumn[key]?.remove(id)
      if byColumn[key]?.isEmpty ?? false { byColumn[key] = nil }
    }
    for (table, rows) in before.rows {
      byTable[table]?.remove(id, rows)
      if byTable[table]?.isEmpty ?? false { byTable[table] = nil }
    }
    byAnything.remove(id)
    guard let reads else { return }
    for key in reads.keys { byColumn[key, default: []].insert(id) }
    for (table, rows) in reads.rows { byTable[table, default: RowObservers()].insert(id, rows) }
    if reads.isAnything { byAnything.insert(id) }
    observers[id]?.reads = reads
  }
}
