import CSQLCipher
import Dispatch
import Synchronization

/// The threads of connections. A busy connection occupies a thread, even while it waits. A few more
/// threads run tasks that resume after a wait. An idle thread ends after 5 seconds.
final class Workers: TaskExecutor {
  static let shared = Workers(patience: .seconds(5))

  static var processors: Int { max(1, Int(miniorm_processors())) }

  private enum Work {
    /// The jobs of a connection, which may block.
    case connection(ConnectionExecutor)
    /// A part of a task before it uses a connection. Does not block.
    case task(UnownedJob)
  }

  private struct State {
    var connections = FIFO<ConnectionExecutor>()
    var tasks = FIFO<UnownedJob>()
    var taskThreads = 0
    /// The thread parked last resumes first, so that the others can time out.
    var parked: [DispatchSemaphore] = []
    var count = 0
  }

  private let state = Mutex(State())
  /// The threads that hold a connection. A thread leaves this count before it releases the
  /// connection: otherwise a call could start a thread although this thread is about to be free.
  private let connectionThreads = Atomic<Int>(0)
  private let patience: DispatchTimeInterval
  let scheduler: (any WorkScheduler)?

  private init(patience: DispatchTimeInterval) { (self.patience, scheduler) = (patience, nil) }

  init(_ scheduler: any WorkScheduler) { (patience, self.scheduler) = (.never, scheduler) }

  var count: Int { state.withLock { $0.count } }

  func run(_ executor: ConnectionExecutor) {
    if let scheduler { return scheduler.run { executor.drain() } }
    wake { $0.connections.append(executor) }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if let scheduler { return scheduler.run { self.perform(.task(job)) } }
    wake { $0.tasks.append(job) }
  }

  /// Called before a thread releases its connection.
  func willReleaseConnection() { connectionThreads.subtract(1, ordering: .relaxed) }

  private func wake(adding work: (inout State) -> Void) {
    let (parked, starts) = state.withLock { state -> (DispatchSemaphore?, Bool) in
      work(&state)
      // A thread that runs a part of a task takes the next part afterwards.
      let waiting =
        state.connections.count + min(state.tasks.count, Self.processors - state.taskThreads)
      let busy = connectionThreads.load(ordering: .relaxed) + state.taskThreads
      // A thread that is neither busy nor parked looks for work before it parks.
      if state.count - busy - state.parked.count >= waiting { return (nil, false) }
      if let parked = state.parked.popLast() { return (parked, false) }
      state.count += 1
      return (nil, true)
    }
    parked?.signal()
    guard starts else { return }
    let code = miniorm_start_thread { _ in
      Workers.shared.work()
      return nil
    }
    // The process cannot start more threads: use a thread of Dispatch.
    if code != 0 { DispatchQueue.global().async { Workers.shared.work() } }
  }

  private func perform(_ work: Work) {
    switch work {
    case .connection(let executor): executor.drain()
    case .task(let job): job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  private func next(_ state: inout State) -> Work? {
    if let executor = state.connections.popFirst() {
      connectionThreads.add(1, ordering: .relaxed)
      return .connection(executor)
    }
    guard state.taskThreads < Self.processors, let job = state.tasks.popFirst() else { return nil }
    state.taskThreads += 1
    return .task(job)
  }

  private func work() {
    let semaphore = DispatchSemaphore(value: 0)
    while true {
      let work = state.withLock { state -> Work? in
        let work = next(&state)
        if work == nil { state.parked.append(semaphore) }
        return work
      }
      if let work {
        perform(work)
        if case .task = work { state.withLock { $0.taskThreads -= 1 } }
        continue
      }
      guard semaphore.wait(timeout: .now() + patience) == .timedOut else { continue }
      let ends = state.withLock { state -> Bool in
        guard let index = state.parked.firstIndex(where: { $0 === semaphore }) else { return false }
        state.parked.remove(at: index)
        state.count -= 1
        return true
      }
      if ends { return }
      semaphore.wait()  // another thread has taken this semaphore, and will signal
    }
  }
}

/// Replaces the system's scheduling in tests, to provoke rare orders of events.
protocol WorkScheduler: AnyObject, Sendable {
  func run(_ work: @escaping @Sendable () -> Void)

  /// Lets other work run first. The caller holds no lock.
  func step()

  /// Called after an opening, so that the scheduler can add steps to SQLite's callbacks.
  func opened(_ database: OpaquePointer)
}
