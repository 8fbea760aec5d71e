import Synchronization

/// The observers of a database and their reads. A commit wakes the affected observers.
///
/// Observers are indexed by columns and rows, so the cost of a commit depends only on the number of
/// affected observers. The hub stores no values: a woken observer reads the current state.
final class ObservationHub: Sendable {
  struct Observer {
    var reads = ReadSet()
    var isChanged = false
    var isByRow = true
    var waiting: CheckedContinuation<Void, Never>?
  }

  struct State {
    var observers: [Int: Observer] = [:]
    var lastID = 0
    var byColumn: [ExactText: Set<Int>] = [:]
    var byAnything: Set<Int> = []
    var byTable: [ExactText: RowObservers] = [:]
    /// The number of commits at the start of each running read.
    var reading: [Int: Int] = [:]
    /// The number of commits, and the recent changes that a running read may have missed.
    var commits = 0
    var missed: [(last: Int, changes: WriteSet)] = []
    var isClosed = false
    /// The number of observers that commits have checked, for tests.
    var visits = 0
    var lookout: Task<Void, Never>?
  }
  let state = Mutex(State())
  let subscribers = ChangeSubscribers()
  private let count = Atomic(0)
  private let rowCount = Atomic(0)

  var isObserved: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

  var isObservedByRow: Bool { rowCount.load(ordering: .sequentiallyConsistent) > 0 }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Ends all observations, or allows observations again after a failed close.
  func setClosed(_ isClosed: Bool) {
    subscribers.setClosed(isClosed)
    wake { state in
      state.isClosed = isClosed
      return isClosed ? Array(state.observers.keys) : []
    }
  }

  // MARK: Observers

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

  func willRead(_ id: Int) {
    state.withLock { state in
      guard state.observers[id] != nil else { return }
      state.observers[id]?.isChanged = false
      state.reading[id] = state.commits
    }
  }

  func didRead(_ id: Int, _ reads: ReadSet) {
    state.withLock { state in
      guard let before = state.reading[id] else { return }
      setReads(reads, of: id, in: &state)
      // The search begins at the end: during a long read of a different observer, there can be many
      // older entries.
      let missed = state.missed.reversed().prefix { $0.last > before }
      if missed.contains(where: { $0.changes.changes(reads) }) {
        state.observers[id]?.isChanged = true
      }
      state.endReading(id)
    }
  }

  func isChanged(_ id: Int) -> Bool { state.withLock { $0.observers[id]?.isChanged ?? false } }

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

  func publishEverything() {
    publish(.everything)
    subscribers.publish(.everything)
  }

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

  func wake(_ id: Int) { wake { _ in [id] } }

  private func wake(_ choose: (inout State) -> [Int]) {
    let waiting = state.withLock { state in
      choose(&state).compactMap { id -> CheckedContinuation<Void, Never>? in
        defer { state.observers[id]?.waiting = nil }
        return state.observers[id]?.waiting
      }
    }
    let resume = { @Sendable in for continuation in waiting { continuation.resume() } }
    // The task lets the caller of the transaction continue before many observers read.
    if waiting.count > 1 { Task.detached { resume() } } else { resume() }
  }

  // MARK: Changes by other connections

  /// Checks for commits by other connections at an interval, until `look` returns false.
  func lookOut(every interval: Duration, _ look: @escaping @Sendable () async -> Bool) {
    state.withLock { state in
      guard state.lookout == nil, !state.observers.isEmpty else { return }
      let interval = max(.milliseconds(1), interval.bounded)
      // Detached: otherwise the checks, which serve all observers, would inherit the time limit of
      // the first observer's task, and would fail once the limit is over.
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
  private static let missedLimit = 64

  fileprivate mutating func noteMissed(_ changes: WriteSet) {
    commits += 1
    guard !reading.isEmpty else { return }
    missed.append((commits, changes))
    guard missed.count > Self.missedLimit else { return }
    // Merged entries may cause an unnecessary read of an observer that began in between.
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
    for key in before.keys { byColumn.remove(id, from: key) }
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

/// The observers of a table's rows, by row, and by column for commits with unknown rows.
struct RowObservers {
  private var byRow: [Int64: Set<Int>] = [:]
  private var byColumn: [ExactText: Set<Int>] = [:]

  var isEmpty: Bool { byRow.isEmpty && byColumn.isEmpty }
  var count: Int { byRow.count + byColumn.count }

  mutating func insert(_ id: Int, _ reads: RowReads) {
    for row in reads.rowIDs { byRow[row, default: []].insert(id) }
    for key in reads.keys { byColumn[key, default: []].insert(id) }
  }

  mutating func remove(_ id: Int, _ reads: RowReads) {
    for row in reads.rowIDs { byRow.remove(id, from: row) }
    for key in reads.keys { byColumn.remove(id, from: key) }
  }

  /// Returns the observers of changed rows, or of changed columns if the rows are unknown.
  /// - Complexity: O(*n*) in the smaller of the numbers of changed and observed rows, and in the
  ///   number of results.
  func concerned(by rows: ChangedRows, _ keys: Set<ExactText>) -> Set<Int> {
    var found: Set<Int> = []
    switch rows {
    case .known(let rows) where rows.count <= byRow.count:
      for row in rows { found.formUnion(byRow[row] ?? []) }
    case .known(let rows):
      for (row, ids) in byRow where rows.contains(row) { found.formUnion(ids) }
    case .unknown:
      for key in keys { found.formUnion(byColumn[key] ?? []) }
    }
    return found
  }
}

extension Dictionary where Value == Set<Int> {
  fileprivate mutating func remove(_ id: Int, from key: Key) {
    self[key]?.remove(id)
    if self[key]?.isEmpty ?? false { self[key] = nil }
  }
}
