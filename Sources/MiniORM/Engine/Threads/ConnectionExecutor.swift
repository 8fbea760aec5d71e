import CSQLCipher
import Dispatch
import Synchronization

/// The executor of a connection: a lock with a queue of jobs.
///
/// SQLite blocks its thread. On Swift's default executor, two long queries could block all threads
/// of a machine with two cores. Jobs therefore run on the threads of ``Workers``; only ``sync(_:)``
/// uses the calling thread.
final class ConnectionExecutor: SerialExecutor {
  private enum Entry {
    case job(UnownedJob)
    case thread(DispatchSemaphore)
  }

  private struct State {
    var isHeld = false
    var entries = FIFO<Entry>()
  }

  private let workers: Workers
  private let state = Mutex(State())
  /// The ID of the thread that holds the lock; 0 if free. Relaxed access suffices: a thread looks
  /// only for its own ID.
  private let holder = Atomic<UInt>(0)

  init(_ workers: Workers) { self.workers = workers }

  static var heldByThisThread: Int { Int(count.pointee) }

  // Never inlined: the count is a variable of this file's object file.
  private static var count: UnsafeMutablePointer<Int32> {
    @inline(never) get { miniorm_held_executors() }
  }

  private func hold() {
    holder.store(miniorm_thread(), ordering: .relaxed)
    Self.count.pointee += 1
  }

  private func release() {
    holder.store(0, ordering: .relaxed)
    Self.count.pointee -= 1
  }

  var isHeldByThisThread: Bool { holder.load(ordering: .relaxed) == miniorm_thread() }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let starts = state.withLock { state in
      state.entries.append(.job(job))
      defer { state.isHeld = true }
      return !state.isHeld
    }
    if starts { workers.run(self) }
  }

  // Swift requires that the process ends if code runs on the wrong executor.
  func checkIsolated() { precondition(isHeldByThisThread, "Not on the connection's executor") }

  func isIsolatingCurrentContext() -> Bool? { isHeldByThisThread }

  func drain() {
    hold()
    while let job = next() { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  /// Returns the next job, or passes the lock to the next waiting thread, or releases the lock.
  private func next() -> UnownedJob? {
    let (job, thread) = state.withLock { state -> (UnownedJob?, DispatchSemaphore?) in
      switch state.entries.popFirst() {
      case .job(let job): return (job, nil)
      case .thread(let thread):
        release()
        workers.willReleaseConnection()
        return (nil, thread)
      case nil:
        release()
        workers.willReleaseConnection()
        state.isHeld = false
        return (nil, nil)
      }
    }
    thread?.signal()
    return job
  }

  func tryEnter() -> Bool {
    let entered = state.withLock { state in
      defer { state.isHeld = true }
      return !state.isHeld
    }
    if entered { hold() }
    return entered
  }

  private func enter() {
    if let scheduler = workers.scheduler {
      while !tryEnter() { scheduler.step() }
      return
    }
    let semaphore = state.withLock { state -> DispatchSemaphore? in
      guard state.isHeld else {
        state.isHeld = true
        return nil
      }
      let semaphore = DispatchSemaphore(value: 0)
      state.entries.append(.thread(semaphore))
      return semaphore
    }
    semaphore?.wait()
    hold()
  }

  /// Releases the lock, or passes it to the next job or thread.
  func leave() {
    release()
    let (runs, thread) = state.withLock { state -> (Bool, DispatchSemaphore?) in
      switch state.entries.first {
      case nil:
        state.isHeld = false
        return (false, nil)
      case .job: return (true, nil)
      case .thread(let thread):
        _ = state.entries.popFirst()
        return (false, thread)
      }
    }
    thread?.signal()
    if runs { workers.run(self) }
  }

  func sync<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    if isHeldByThisThread { return try body() }
    enter()
    defer { leave() }
    return try body()
  }
}
