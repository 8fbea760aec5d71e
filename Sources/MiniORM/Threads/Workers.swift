import CSQLCipher
import Dispatch
import Synchronization

/// The threads that connections run on, away from those that Swift's tasks share.
///
/// There are no more of them than a limit, whatever the number of databases, and one that has had
/// nothing to do for a while ends. A queue of Dispatch for each connection would make a thread for
/// each that is busy.
final class Workers: TaskExecutor {
  static let shared = Workers(limit: max(64, 4 * processors), patience: .seconds(5))

  /// How many processors there are.
  static var processors: Int { max(1, Int(miniorm_processors())) }

  private enum Work {
    /// All that is to be done with a connection.
    case connection(ConnectionExecutor)
    /// A piece of a task that waits for a connection, or goes to use one.
    case task(UnownedJob)
  }

  private struct State {
    var work = FIFO<Work>()
    /// What threads without work wait at. The last to come is the first to go on, so that the others end.
    var parked: [DispatchSemaphore] = []
    var count = 0
  }

  private let state = Mutex(State())
  private let limit: Int
  private let patience: DispatchTimeInterval
  /// Who decides what runs when; nil where the system does.
  let scheduler: (any WorkScheduler)?

  private init(limit: Int, patience: DispatchTimeInterval) {
    (self.limit, self.patience, scheduler) = (limit, patience, nil)
  }

  /// Leaves all the work to somebody else.
  init(_ scheduler: any WorkScheduler) {
    (limit, patience, self.scheduler) = (0, .never, scheduler)
  }

  /// How many threads there are.
  var count: Int { state.withLock { $0.count } }

  /// Has a thread drain an executor.
  func run(_ executor: ConnectionExecutor) { run(.connection(executor)) }

  func enqueue(_ job: consuming ExecutorJob) { run(.task(UnownedJob(job))) }

  private func run(_ work: Work) {
    if let scheduler { return scheduler.run { self.perform(work) } }
    let (parked, starts) = state.withLock { state -> (DispatchSemaphore?, Bool) in
      state.work.append(work)
      if let parked = state.parked.popLast() { return (parked, false) }
      guard state.count < limit else { return (nil, false) }
      state.count += 1
      return (nil, true)
    }
    if let parked { parked.signal() }
    guard starts else { return }
    let code = miniorm_start_thread { _ in
      Workers.shared.work()
      return nil
    }
    // Too many threads in the process: Dispatch has some of its own.
    if code != 0 { DispatchQueue.global().async { Workers.shared.work() } }
  }

  private func perform(_ work: Work) {
    switch work {
    case .connection(let executor): executor.drain()
    case .task(let job): job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// What each thread does.
  private func work() {
    let semaphore = DispatchSemaphore(value: 0)
    while true {
      let next = state.withLock { state -> Work? in
        let next = state.work.popFirst()
        if next == nil { state.parked.append(semaphore) }
        return next
      }
      if let next {
        perform(next)
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
      semaphore.wait()  // it was called just now
    }
  }
}
