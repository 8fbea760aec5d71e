import Dispatch

/// Runs the jobs of one connection, one at a time, on a queue of its own.
///
/// SQLite blocks. On the default executor two long queries would occupy both threads of a machine
/// with two cores, and every other task of the process would wait.
final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "MiniORM.Connection")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Runs a closure between two jobs while the calling thread waits.
  func sync<Result>(_ body: () -> Result) -> Result { queue.sync(execute: body) }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
