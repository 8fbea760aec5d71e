import CSQLCipher
import Dispatch
import Synchronization

/// Runs the jobs of one connection, one at a time: a lock, and a thread that takes it.
///
/// SQLite blocks. On the default executor two long queries would occupy both threads of a machine with
/// two cores, and every other task of the process would wait. Jobs therefore run on one of the
/// ``Workers``. Only synchronous calls take the lock on their own thread (``sync(_:)``).
final class ConnectionExecutor: SerialExecutor {
  private enum Entry {
    case job(UnownedJob)
    /// A thread that waits for the lock.
    case thread(DispatchSemaphore)
  }

  private struct State {
    var isHeld = false
    var entries = FIFO<Entry>()
  }

  private let workers: Workers
  private let state = Mutex(State())
  /// The thread that holds the lock, and 0 where none does. It is compared with the thread that asks,
  /// which is the only one that could have written its own number.
  private let holder = Atomic<UInt>(0)

  init(_ workers: Workers) { self.workers = workers }

  /// How many executors the calling thread holds.
  static var heldByThisThread: Int { Int(count.pointee) }

  // Never inlined: the count is the one of this file's object file.
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

  /// Whether the calling thread is running this connection's work.
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

  // Swift asks it to end the process where code of its own, and not a caller, is on the wrong executor.
  func checkIsolated() { precondition(isHeldByThisThread, "Not on the connection's executor") }

  func isIsolatingCurrentContext() -> Bool? { isHeldByThisThread }

  /// Runs what is enqueued. The lock is held already, for whoever calls this.
  func drain() {
    hold()
    while let job = next() { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  /// Returns the next job; where there is none, the lock goes to who waits for it.
  private func next() -> UnownedJob? {
    let (job, thread) = state.withLock { state -> (UnownedJob?, DispatchSemaphore?) in
      switch state.entries.popFirst() {
      case .job(let job): return (job, nil)
      case .thread(let thread):
        release()
        return (nil, thread)
      case nil:
        release()
        state.isHeld = false
        return (nil, nil)
      }
    }
    thread?.signal()
    return job
  }

  /// Takes the lock for the calling thread, if it is free.
  func tryEnter() -> Bool {
    let entered = state.withLock { state in
      defer { state.isHeld = true }
      return !state.isHeld
    }
    if entered { hold() }
    return entered
  }

  /// Takes the lock for the calling thread, and blocks it until it is free.
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

  /// Gives the lock to who is next.
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

  /// Runs a closure on the calling thread, which waits for its turn.
  func sync<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    if isHeldByThisThread { return try body() }
    enter()
    defer { leave() }
    return try body()
  }
}
