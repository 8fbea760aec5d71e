import MiniORM
import Synchronization

/// A status that shows whether a task runs.
protocol RunningStatus: Sendable {
  init()
  var isRunning: Bool { get set }
  var lastError: (any Error)? { get }
  /// The error with which the task ends.
  mutating func fail(_ error: any Error)
  /// The error of a call that needs a running task.
  static var ended: DatabaseError { get }
}

extension BackupStatus: RunningStatus {
  mutating func fail(_ error: any Error) { record(error, during: .copying) }

  static var ended: DatabaseError {
    DatabaseError(
      .copy, code: .misuse, "The continuous backup is not running: call start() before flush()")
  }
}

/// The state that a backup or a follower shares with its task.
final class BackupState<Status: RunningStatus>: Sendable {
  private struct State {
    var status = Status()
    var observers: [Int: (_ old: Status, _ new: Status) -> Void] = [:]
    var flushes: [Int: CheckedContinuation<Void, any Error>] = [:]
    var lastID = 0
    /// A pause, which a flush ends.
    var pause: Task<Void, Never>?
    var isWoken = false
    var waiting: CheckedContinuation<Void, Never>?
  }
  private let state = Mutex(State())
  let task = Mutex<Task<Void, Never>?>(nil)

  var current: Status { state.withLock { $0.status } }
  var isRunning: Bool { current.isRunning }

  func start(_ task: () -> Task<Void, Never>) {
    self.task.withLock { running in
      let isFirst = state.withLock { state in
        defer { state.status.isRunning = true }
        return !state.status.isRunning
      }
      if isFirst { running = task() }
    }
  }

  /// Ends all flushes. Later flushes fail until the next start.
  func end(_ error: (any Error)?) {
    change { status in
      status.isRunning = false
      if let error { status.fail(error) }
    }
    let flushes = state.withLock { state in
      defer { state.flushes = [:] }
      return state.flushes
    }
    for flush in flushes.values { flush.resume(throwing: error ?? Status.ended) }
  }

  // MARK: Waits

  /// - Parameter hurries: True to end a pause too.
  func wake(hurries: Bool = false) {
    let waiting = state.withLock { state in
      state.isWoken = true
      if hurries { state.pause?.cancel() }
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  /// Waits for a call of `wake()`, also an earlier one, or for the cancellation of the task.
  func waitForWake() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard !state.isWoken, !Task.isCancelled else { return true }
          state.waiting = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      wake()
    }
    state.withLock { $0.isWoken = false }
  }

  /// Waits for a time, or until a flush begins.
  func pause(_ duration: Duration) async {
    let pause = Task { _ = try? await Task.sleep(for: duration) }
    state.withLock { state in
      state.pause = pause
      if !state.flushes.isEmpty { pause.cancel() }
    }
    await withTaskCancellationHandler {
      await pause.value
    } onCancel: {
      pause.cancel()
    }
    state.withLock { $0.pause = nil }
  }

  // MARK: Flushes

  func flush() async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let error: (any Error)? = state.withLock { state in
          if Task.isCancelled { return CancellationError() }
          guard state.status.isRunning else { return state.status.lastError ?? Status.ended }
          state.flushes[id] = continuation
          state.pause?.cancel()
          return nil
        }
        if let error { continuation.resume(throwing: error) } else { wake() }
      }
    } onCancel: {
      state.withLock { $0.flushes.removeValue(forKey: id) }?.resume(throwing: CancellationError())
    }
  }

  var pendingFlushes: Set<Int> { state.withLock { Set($0.flushes.keys) } }

  func finish(_ ids: Set<Int>) {
    let flushes = state.withLock { state in ids.compactMap { state.flushes.removeValue(forKey: $0) }
    }
    for flush in flushes { flush.resume() }
  }

  // MARK: Status

  func change(_ body: (inout Status) -> Void) {
    state.withLock { state in
      let old = state.status
      body(&state.status)
      for observer in state.observers.values { observer(old, state.status) }
    }
  }

  /// The current status, and each later status. A slow reader receives only the newest.
  func observe() -> AsyncStream<Status> {
    observe(.bufferingNewest(1), first: { [$0] }, { [$1] })
  }

  /// - Parameters:
  ///   - first: Returns the first elements.
  ///   - elements: Returns the elements for a change of the status.
  func observe<Element: Sendable>(
    _ policy: AsyncStream<Element>.Continuation.BufferingPolicy,
    first: (Status) -> [Element], _ elements: @escaping @Sendable (Status, Status) -> [Element]
  ) -> AsyncStream<Element> {
    let (stream, observer) = AsyncStream<Element>.makeStream(bufferingPolicy: policy)
    let id = state.withLock { state in
      state.lastID += 1
      state.observers[state.lastID] = { old, new in
        for element in elements(old, new) { observer.yield(element) }
      }
      for element in first(state.status) { observer.yield(element) }
      return state.lastID
    }
    observer.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.observers.removeValue(forKey: id) }
    }
    return stream
  }
}
