import Dispatch
import MiniORM
import Synchronization

/// Runs the calls of a store on threads of their own, and gives each a time limit.
///
/// A store may block its thread, for example the folder of a file server that does not answer. The
/// threads of databases, and of Swift's pool, stay free. A call that does not return keeps its thread,
/// so the number of calls is limited.
final class TimedStore: BackupStore {
  static let maximumCalls = 16
  static let usualLimit = Duration.seconds(60)

  private let store: any BackupStore
  private let limit: Duration
  private let callCount = Atomic(0)

  init(_ store: any BackupStore, limit: Duration = usualLimit) {
    (self.store, self.limit) = (store, limit)
  }

  func put(_ name: String, _ bytes: [UInt8]) async throws {
    try await call(limit) { [store] in try await store.put(name, bytes) }
  }

  func create(_ name: String, _ bytes: [UInt8]) async throws -> Bool {
    try await call(limit) { [store] in try await store.create(name, bytes) }
  }

  func get(_ name: String) async throws -> [UInt8]? {
    try await call(limit) { [store] in try await store.get(name) }
  }

  /// A list of many names takes many requests.
  func list(_ prefix: String) async throws -> [String] {
    try await call(limit * 5) { [store] in try await store.list(prefix) }
  }

  func delete(_ name: String) async throws {
    try await call(limit) { [store] in try await store.delete(name) }
  }

  private func call<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard callCount.add(1, ordering: .relaxed).newValue <= Self.maximumCalls else {
      callCount.subtract(1, ordering: .relaxed)
      throw Self.failure("\(Self.maximumCalls) calls of the store have not returned")
    }
    let call = Call<Value>()
    let task = Task.detached(executorPreference: OwnThread()) { [self] in
      do {
        call.end(.success(try await body()))
      } catch {
        call.end(.failure(error))
      }
      callCount.subtract(1, ordering: .relaxed)
    }
    let timer = Timer(at: .now + limit) {
      task.cancel()
      call.end(.failure(Self.failure("A call of the store did not end within \(limit)")))
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      try await call.value
    } onCancel: {
      task.cancel()
      call.end(.failure(CancellationError()))
    }
  }

  private static func failure(_ message: String) -> DatabaseError {
    DatabaseError(
      .copy, code: .busy, "\(message): check the disk, or the connection to the service")
  }

  /// A result that the store, the time limit or a cancellation gives, whichever is first.
  private final class Call<Value: Sendable>: Sendable {
    private struct State {
      var result: Result<Value, any Error>?
      var waiting: CheckedContinuation<Value, any Error>?
    }
    private let state = Mutex(State())

    func end(_ result: Result<Value, any Error>) {
      let waiting = state.withLock { state in
        if state.result == nil { state.result = result }
        defer { state.waiting = nil }
        return state.waiting
      }
      waiting?.resume(with: result)
    }

    var value: Value {
      get async throws {
        try await withCheckedThrowingContinuation { continuation in
          let result = state.withLock { state in
            if state.result == nil { state.waiting = continuation }
            return state.result
          }
          if let result { continuation.resume(with: result) }
        }
      }
    }
  }

  private final class OwnThread: TaskExecutor {
    /// A serial queue gets a thread even while other queues are blocked.
    private let queue = DispatchQueue(label: "MiniORM store")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}
